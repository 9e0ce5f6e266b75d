"""keylane.spark.SharedKeys refuses to broadcast a key unless Spark encrypts what it stores and what it sends."""

import pytest
from cluster import HOST
from common import NAME, write_key
from pyspark.sql import SparkSession

import keylane.spark

LOCAL = {"spark.master": "local[1]", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST}
STORED = {"spark.io.encryption.enabled": "true"}
SENT = {"spark.authenticate": "true", "spark.authenticate.secret": "not a key", "spark.network.crypto.enabled": "true"}


# A process keeps the settings of its first session, so none here turns both on.
@pytest.mark.parametrize(
    ("settings", "text"),
    [({}, "spark.io.encryption.enabled"), (STORED, "spark.network.crypto.enabled"), (SENT, "spark.io.encryption.enabled")],
)
def test_without_encryption(settings, text, tmp_path):
    builder = SparkSession.builder
    for name, value in (LOCAL | {"spark.ui.enabled": "false"} | settings).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        with pytest.raises(ValueError, match=text):
            keylane.spark.SharedKeys(spark, {NAME: write_key(tmp_path) / NAME})
    finally:
        spark.stop()
