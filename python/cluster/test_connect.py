"""keylane.spark through Spark Connect: the server is a process of its own, and the driver of a cluster."""

import pyarrow as pa
import pytest
from cluster import connect_server, written_of
from common import NAME, RAW, folders_with_secrets, forms, has_secret, write_key
from pyspark.sql import SparkSession

import keylane
import keylane.spark


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("connect")


@pytest.fixture(scope="module")
def server(place, tmp_path_factory):
    with connect_server(place, write_key(tmp_path_factory.mktemp("keys"))) as server:
        yield server


@pytest.fixture(scope="module")
def spark(server):
    session = SparkSession.builder.remote(server[0]).getOrCreate()
    yield session
    session.stop()


def test_tags(spark):
    assert type(spark).__module__.startswith("pyspark.sql.connect")
    df = spark.range(1000).selectExpr("id", "IF(id % 7 = 0, NULL, concat('user', id)) AS email")
    wanted = {"tag": ("email", NAME), "wide": ("id", NAME, "siphash-2-4-128"), "row": (["id", "email"], NAME)}
    tagged = keylane.spark.hash_columns(df, wanted)
    assert [(field.name, field.nullable) for field in tagged.schema][2:] == [("tag", True), ("wide", False), ("row", False)]
    assert tagged.schema["tag"].metadata["keylane"].startswith("KCE-1; siphash-1-3-64; plain; key=users-2026; check=")
    found = {row.id: row for row in tagged.collect()}
    ids = list(range(1000))
    emails = [None if number % 7 == 0 else f"user{number}" for number in ids]
    assert [found[number].tag for number in ids] == keylane.hash_column(pa.array(emails), RAW, form="int64").to_pylist()
    assert [found[number].wide for number in ids] == keylane.hash_column(pa.array(ids), RAW, "siphash-2-4-128").to_pylist()
    rows = keylane.hash_rows(pa.table({"id": ids, "email": emails}), RAW, form="int64").to_pylist()
    assert [found[number].row for number in ids] == rows


def test_errors(spark, tmp_path):
    with pytest.raises(KeyError, match="executor on .* cannot hash: no key is loaded under the name"):
        keylane.spark.hash_columns(spark.range(10), {"x": ("id", "nobody")})
    with pytest.raises(TypeError, match="Connect"):
        keylane.spark.SharedKeys(spark, {NAME: write_key(tmp_path) / NAME})


def test_sql(spark):
    keylane.spark.register(spark)
    spark.range(3).createOrReplaceTempView("numbers")
    found = [row.tag for row in spark.sql(f"SELECT keylane_hash('{NAME}', id) AS tag FROM numbers ORDER BY id").collect()]
    assert found == keylane.hash_column(pa.array([0, 1, 2]), RAW, form="int64").to_pylist()


def test_the_key_is_nowhere(spark, server, place):
    df = keylane.spark.hash_columns(spark.range(10), {"tag": ("id", NAME), "row": (["id"], NAME)})
    df.collect()
    written = written_of(df, spark, server[1], ("extended", "formatted"))
    assert any(has_secret(one, list(forms(NAME.encode()))) for one in written)
    assert not any(has_secret(one) for one in written)
    found, seen = folders_with_secrets(place)
    assert found == [] and seen > 10
