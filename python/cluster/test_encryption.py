"""keylane.spark.SharedKeys: keys in a broadcast variable, where Spark encrypts what it stores and sends."""

import os
import secrets

import pyarrow as pa
import pytest
from cluster import Cluster, get
from common import NAME, RAW, folders_with_secrets, has_secret, write_key
from pyspark.sql import SparkSession

import keylane
import keylane.spark

STORED = {"spark.io.encryption.enabled": "true"}
SENT = {
    "spark.authenticate": "true",
    "spark.authenticate.secret": secrets.token_hex(16),
    "spark.network.crypto.enabled": "true",
}


def session(settings):
    builder = SparkSession.builder.appName("keylane")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def test_a_cluster_with_encryption(tmp_path, tmp_path_factory):
    file = write_key(tmp_path_factory.mktemp("keys")) / NAME
    raw = file.with_name("raw")
    raw.touch(mode=0o600)
    raw.write_bytes(RAW)
    (tmp_path / "events").mkdir()
    os.environ["SPARK_LOCAL_DIRS"] = str(tmp_path / "local")
    with Cluster(tmp_path, STORED | SENT) as cluster:
        cluster.add_worker("one", {})
        cluster.add_worker("two", {})
        spark = session(cluster.settings_of_a_session(tmp_path / "events"))
        try:
            df = spark.range(10_000)
            with pytest.raises(KeyError, match="no key is loaded"):
                keylane.spark.hash_columns(df, {"tag": ("id", NAME)})
            shared = keylane.spark.SharedKeys(spark, {NAME: file, "raw": raw})
            assert not has_secret(repr(shared).encode())
            tagged = keylane.spark.hash_columns(df, {"tag": ("id", NAME), "same": ("id", "raw")}, shared=shared)
            found = {row.id: (row.tag, row.same) for row in tagged.repartition(4).collect()}
            expected = keylane.hash_column(pa.array(range(10_000)), RAW, form="int64").to_pylist()
            assert found == {number: (tag, tag) for number, tag in enumerate(expected)}
            web = spark.sparkContext.uiWebUrl
            assert not any(has_secret(get(f"{web}/{page}/")) for page in ("environment", "SQL", "storage", "jobs"))
            here, seen = folders_with_secrets(tmp_path)
            assert here == [] and seen > 10
            shared.unpersist()
        finally:
            spark.stop()
        here, _ = folders_with_secrets(tmp_path)
        assert here == []
