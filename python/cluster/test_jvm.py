"""The functions of java/spark, called from Python through Spark Connect, on a cluster of two workers: their tags are
those of keylane.spark, and the key is nowhere. `java/spark` tests the same cluster from Java, with a lost worker.

KEYLANE_JARS names the two archives, with a comma between them.
"""

import os

import pyarrow as pa
import pytest
from cluster import connect_server, written_of
from common import NAME, RAW, folders_with_secrets, forms, has_secret, write_key
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from table import NESTED, NOT_SPARK, build

import keylane
import keylane.spark

OTHER = bytes(range(100, 116))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("jvm")


@pytest.fixture(scope="module")
def server(place, tmp_path_factory):
    settings = {
        "spark.jars": os.environ["KEYLANE_JARS"],
        "spark.sql.extensions": "example.keylane.spark.KeylaneExtensions",
    }
    with connect_server(place, write_key(tmp_path_factory.mktemp("keys")), settings) as server:
        yield server


@pytest.fixture(scope="module")
def spark(server):
    session = SparkSession.builder.remote(server[0]).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def df(spark):
    table = build()
    names = [name for name in table.column_names if name not in NOT_SPARK]
    # Names of types have brackets and commas in them.
    return spark.createDataFrame(table.select(names).rename_columns([f"c{place}" for place in range(len(names))])).coalesce(1)


def call(function, *columns, name=NAME):
    return f.call_function(function, f.lit(name), *columns)


def test_tags_are_those_of_python(df):
    plain = [name for name, kind in df.dtypes if not kind.startswith(("array", "struct"))]
    assert len(plain) == len(df.columns) - len(NESTED) > 15
    users = keylane.KeyRef(NAME).derive("users.email")
    wanted = {f"{name}_narrow": (name, NAME) for name in plain}
    wanted |= {f"{name}_wide": (name, users, "siphash-2-4-128") for name in plain}
    by_python = keylane.spark.hash_columns(df, wanted | {"row": (df.columns, NAME)}).drop(*df.columns)
    context = f.lit("users.email")
    narrow = [call("keylane_hash", name).alias(f"{name}_narrow") for name in plain]
    wide = [call("keylane_hash128", f.col(name), context).alias(f"{name}_wide") for name in plain]
    by_the_jvm = df.select(*narrow, *wide, call("keylane_hash_rows", *df.columns).alias("row"))
    assert by_the_jvm.columns == by_python.columns
    assert by_the_jvm.collect() == by_python.collect()
    texts = df.select(call("keylane_pseudonym", f.col(plain[-1]), context)).collect()
    tags = df.select(wide[-1]).collect()
    assert [row[0] for row in texts] == [row[0] and row[0].hex() for row in tags]


def test_sql_and_calls(spark):
    spark.range(5).createOrReplaceTempView("numbers")
    found = [row.tag for row in spark.sql(f"SELECT keylane_hash('{NAME}', id) AS tag FROM numbers ORDER BY id").collect()]
    expected = keylane.hash_column(pa.array(range(5)), RAW, form="int64").to_pylist()
    assert found == expected
    for name in ("call_function", "call_udf"):
        tag = getattr(f, name)("keylane_hash", f.lit(NAME), "id").alias("tag")
        assert [row.tag for row in spark.table("numbers").orderBy("id").select(tag).collect()] == expected
    tags = spark.table("numbers").orderBy("id").select(f.expr(f"keylane_hash('{NAME}', id) AS tag"))
    assert [row.tag for row in tags.collect()] == expected


def test_missing_keys_and_keys_as_names(spark):
    with pytest.raises(Exception, match='no key is loaded under the name "nobody"'):
        spark.range(3).select(call("keylane_hash", "id", name="nobody")).collect()
    for text in (OTHER.hex(), OTHER.hex().upper(), f"{NAME}/{OTHER.hex()}"):
        with pytest.raises(Exception, match="name of a key|looks like a key") as caught:
            spark.range(3).select(call("keylane_hash", "id", name=text)).collect()
        assert text not in str(caught.value)


def test_the_key_is_nowhere(df, spark, server, place):
    query = df.select(call("keylane_pseudonym", f.col(df.columns[0]), f.lit("users.email")), call("keylane_hash_rows", *df.columns))
    query.collect()
    written = written_of(query, spark, server[1], ("simple", "extended", "codegen", "cost", "formatted"))
    assert any(has_secret(one, list(forms(NAME.encode()))) for one in written)
    assert not any(has_secret(one) for one in written)
    found, seen = folders_with_secrets(place)
    assert found == [] and seen > 10
