"""keylane.spark on a standalone cluster: tags, lost workers, missing keys, and a search for the key."""

import contextlib
import datetime
import decimal
import doctest
import io
import json
import os
import pathlib
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pytest
from cluster import Cluster, get, wait_for
from common import NAME, RAW, folders_with_secrets, forms, has_secret, write_key
from pyspark.sql import SparkSession
from pyspark.sql import types as t

import keylane
import keylane.spark

ROWS = 10_000_000
OTHER = bytes(16)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Folders with keys: one key each in `here` and `there`, and none in `nothing`."""
    folder = tmp_path_factory.mktemp("keys")
    write_key(folder / "here")
    write_key(folder / "there")
    write_key(folder / "there", OTHER, "differs")
    write_key(folder / "here", RAW, "differs")
    write_key(folder / "here", RAW, "only-here")
    return folder


@pytest.fixture(scope="module")
def cluster(place, keys):
    with Cluster(place) as cluster:
        variable = {"USERS_KEY": RAW.hex()}
        cluster.add_worker("one", {"KEYLANE_KEY_DIR": str(keys / "here"), **variable})
        cluster.add_worker("two", {"KEYLANE_KEY_DIR": str(keys / "there"), **variable})
        yield cluster


@pytest.fixture(scope="module")
def spark(cluster, place):
    (place / "events").mkdir()
    os.environ["SPARK_LOCAL_DIRS"] = str(place / "local")
    builder = SparkSession.builder.appName("keylane")
    for name, value in cluster.settings_of_a_session(place / "events").items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    # Both workers are to have an executor before a test begins.
    wait_for(lambda: len(rest(session, "executors")) == 3)
    yield session
    session.stop()


def rest(spark, path):
    context = spark.sparkContext
    return json.loads(get(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{path}"))


# One value of each type and a null; what Arrow has for them; and whether it is a column of its own.
TYPES = {
    "string": ("string", ["a", None, "", "\u00fc" * 40], pa.string()),
    "binary": ("binary", [b"\0\xff", None, b"", b"x" * 70], pa.binary()),
    "boolean": ("boolean", [True, None, False, True], pa.bool_()),
    "byte": ("byte", [-128, None, 127, 0], pa.int8()),
    "short": ("short", [-(2**15), None, 2**15 - 1, 0], pa.int16()),
    "int": ("int", [-(2**31), None, 2**31 - 1, 0], pa.int32()),
    "long": ("long", [-(2**63), None, 2**63 - 1, 0], pa.int64()),
    "float": ("float", [-0.0, None, float("nan"), 0.1], pa.float32()),
    "double": ("double", [-0.0, None, float("nan"), 0.1], pa.float64()),
    "date": ("date", [datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31), datetime.date(1970, 1, 2)], pa.date32()),
    "timestamp": (
        "timestamp",
        [datetime.datetime(1960, 1, 1, 0, 0, 0, 1), None, datetime.datetime(2026, 1, 1), datetime.datetime(1970, 1, 1)],
        pa.timestamp("us", "UTC"),
    ),
    "local": (
        "timestamp_ntz",
        [datetime.datetime(1960, 1, 1, 0, 0, 0, 1), None, datetime.datetime(2026, 1, 1), datetime.datetime(1970, 1, 1)],
        pa.timestamp("us"),
    ),
    "duration": (
        "interval day to second",
        [datetime.timedelta(microseconds=-1), None, datetime.timedelta(days=3), datetime.timedelta(0)],
        pa.duration("us"),
    ),
    "decimal": (
        "decimal(38,2)",
        [decimal.Decimal("-12.30"), None, decimal.Decimal(5), decimal.Decimal(2**70)],
        pa.decimal128(38, 2),
    ),
    "nothing": ("void", [None] * 4, pa.null()),
}
NESTED = {
    "array": ("array<int>", [[1, None], None, [], [2, 3]], pa.list_(pa.int32())),
    "struct": (
        "struct<a: int, b: string>",
        [(1, "x"), None, (None, None), (2, "")],
        pa.struct([("a", pa.int32()), ("b", pa.string())]),
    ),
}


def frames(spark, types):
    rows = list(zip(*(values for _, values, _ in types.values()), strict=True))
    schema = ", ".join(f"`{name}` {kind}" for name, (kind, _, _) in types.items())

    def local(values, kind):
        if pa.types.is_struct(kind):
            values = [None if value is None else dict(zip("ab", value, strict=True)) for value in values]
        return pa.array(values, kind)

    table = pa.table({name: local(values, kind) for name, (_, values, kind) in types.items()})
    return spark.createDataFrame(rows, schema), table


def columns(df):
    """The columns of a small result, in the order of the rows."""
    rows = df.collect()
    return {name: [row[name] for row in rows] for name in df.columns}


@pytest.mark.parametrize("alg", ["siphash-1-3-64", "siphash-2-4-64", "siphash-2-4-128"])
def test_every_type(spark, alg):
    df, table = frames(spark, TYPES | NESTED)
    wanted = {f"{name}_tag": (name, NAME, alg) for name in TYPES}
    wanted["row_tag"] = (table.column_names, NAME, alg)
    found = columns(keylane.spark.hash_columns(df.coalesce(1), wanted))
    form = "binary" if alg.endswith("128") else "int64"
    for name in TYPES:
        assert found[f"{name}_tag"] == keylane.hash_column(table[name], RAW, alg, form=form).to_pylist(), name
    assert found["row_tag"] == keylane.hash_rows(table, RAW, alg, form=form).to_pylist()
    assert found["array"] == [row["array"] for row in df.collect()]


def test_schema(spark):
    schema = t.StructType(
        [t.StructField("id", t.LongType(), False, {"note": "kept"}), t.StructField("email", t.StringType(), True)]
    )
    df = spark.createDataFrame([(1, "a"), (2, None)], schema)
    users = keylane.KeyRef(NAME)
    wanted = {
        "id_tag": ("id", users),
        "email": ("email", users.derive("users.email"), "siphash-2-4-128"),
        "row": (["id", "email"], users),
    }
    tagged = keylane.spark.hash_columns(df, wanted)
    assert [(f.name, f.dataType.simpleString(), f.nullable) for f in tagged.schema] == [
        ("id", "bigint", False),
        ("email", "binary", True),
        ("id_tag", "bigint", False),
        ("row", "bigint", False),
    ]
    assert tagged.schema["id"].metadata == {"note": "kept"}
    key = keylane.Key(RAW, name=NAME)
    assert tagged.schema["row"].metadata == {"keylane": keylane.metadata(key, "siphash-1-3-64", rows=True)}
    line = keylane.metadata(key.derive("users.email"), "siphash-2-4-128")
    assert tagged.schema["email"].metadata == {"keylane": line} and line.endswith("context=users.email")
    found = columns(tagged)
    assert found["id"] == [1, 2] and found["email"][1] is None
    assert found["email"][0] == keylane.siphashx24(key.derive("users.email"), b"a")
    hexes = columns(keylane.spark.pseudonymize(df, {"email": ("email", users)}))["email"]
    assert hexes == [keylane.siphashx24(RAW, b"a").hex(), None]
    rows = keylane.spark.hash_rows(df, NAME, columns=["email"], name="tag", form="hex")
    assert rows.columns == ["id", "email", "tag"] and rows.schema["tag"].dataType == t.StringType()
    assert keylane.spark.hash_columns(df, {}).columns == df.columns
    assert columns(keylane.spark.hash_columns(df.filter("id > 5"), wanted))["row"] == []
    # Text and binary that are large in Arrow.
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        assert columns(keylane.spark.hash_columns(df, wanted)) == found
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_errors_of_the_driver(spark):
    df = spark.createDataFrame([(1, "a", [1], {"k": 1})], "id long, email string, list array<int>, map map<string, int>")
    cases = [
        ({"x": ("nobody", NAME)}, ValueError, "no column nobody"),
        ({"x": ("list", NAME)}, TypeError, "column list: array<int> is not hashed"),
        ({"x": (["map"], NAME)}, TypeError, "column map: map<string,int> is not hashed"),
        ({"x": ("id", RAW)}, TypeError, "the name of a key"),
        ({"x": ("id", keylane.Key(RAW))}, TypeError, "the name of a key"),
        ({"x": ("id", RAW.hex())}, ValueError, "looks like a key"),
        ({"x": ("id", NAME, "md5")}, ValueError, "no such algorithm"),
        ({"x": ([], NAME)}, ValueError, "at least one column"),
        ({"x": "id"}, TypeError, "is needed"),
    ]
    for wanted, error, text in cases:
        with pytest.raises(error, match=text) as caught:
            keylane.spark.hash_columns(df, wanted)
        assert not has_secret(str(caught.value).encode())
    for form in ("uint64", "x"):
        with pytest.raises(ValueError, match="no unsigned"):
            keylane.spark.hash_columns(df, {"x": ("id", NAME)}, form=form)
    with pytest.raises(ValueError, match="no unsigned"):
        keylane.spark.hash_columns(df, {"x": ("id", NAME)}, "siphash-2-4-128", form="int64")
    with pytest.raises(ValueError, match="siphash-2-4-128"):
        keylane.spark.pseudonymize(df, {"x": ("id", NAME)}, "siphash-1-3-64")
    twice = df.select("id", "id")
    with pytest.raises(ValueError, match="several columns id"):
        keylane.spark.hash_columns(twice, {"x": ("id", NAME)})


def started_jobs(spark):
    return len(rest(spark, "jobs"))


def test_names_with_dots_and_quotes_and_names_that_stand_twice(spark):
    names = ["id", "a.b", "a`b", 'a"b', "*", "", "0", "x", "x", "X", "nested"]
    numbers = [f"id + {place}" for place in range(len(names) - 1)]
    df = spark.range(3, numPartitions=1).selectExpr(*numbers, "struct(id AS `c.d`, 'y' AS `e``f`)").toDF(*names)
    table = [pa.array(range(place, place + 3), pa.int64()) for place in range(len(names) - 1)]
    nested = [{"c.d": row, "e`f": "y"} for row in range(3)]
    wanted = {
        "tag": ("id", NAME),
        "a.b": ("a.b", NAME),
        "new.name": ("a`b", NAME),
        "row": (['a"b', "*", "", "0", "X", "nested"], NAME),
    }
    tagged = keylane.spark.hash_columns(df, wanted)
    assert tagged.columns == [*names, "tag", "new.name", "row"]
    assert [field.nullable for field in tagged.schema] == [*(field.nullable for field in df.schema), False, False, False]
    assert "; row; " in tagged.schema[-1].metadata["keylane"]
    line = {"keylane": keylane.metadata(keylane.Key(RAW, name=NAME), "siphash-1-3-64")}
    assert [field.metadata for field in tagged.schema][:2] == [df.schema[0].metadata, line]
    found = list(zip(*tagged.collect(), strict=True))

    def tags(values):
        return tuple(keylane.hash_column(values, RAW, form="int64").to_pylist())

    kept = [tuple(values.to_pylist()) for values in table]
    kept[1] = tags(table[1])
    assert found[: len(table)] == kept
    assert [row.asDict() for row in found[len(table)]] == nested
    rows = [*(table[place] for place in (3, 4, 5, 6, 9)), pa.array(nested)]
    row_tags = keylane.hash_rows(pa.table(rows, names=[str(place) for place in range(6)]), RAW, form="int64")
    assert found[len(names) :] == [tags(table[0]), tags(table[2]), tuple(row_tags.to_pylist())]

    # What cannot be meant is an error before any job.
    before = started_jobs(spark)
    for refused in ({"tag": ("x", NAME)}, {"x": ("id", NAME)}, {"tag": (["id", "x"], NAME)}):
        with pytest.raises(ValueError, match="there are several columns x"):
            keylane.spark.hash_columns(df, refused)
    with pytest.raises(ValueError, match="there are several columns x"):
        keylane.spark.hash_rows(df, NAME)
    with pytest.raises(ValueError, match="there is no column a$"):
        keylane.spark.hash_columns(df, {"tag": ("a", NAME)})
    for nested in ("s", "array(s)", "map('k', s)", "struct(s)"):
        both = df.selectExpr("id", "named_struct('x', id, 'x', id) AS s").selectExpr("id", f"{nested} AS `a.b`")
        with pytest.raises(ValueError, match=r"column a\.b: a struct has several fields x"):
            keylane.spark.hash_columns(both, {"tag": ("id", NAME)})
    assert started_jobs(spark) == before


def failed_tasks(spark):
    return sum(one["failedTasks"] for one in rest(spark, "executors"))


def test_a_missing_key_fails_at_once(spark):
    df = spark.range(100)
    before, began = failed_tasks(spark), time.monotonic()
    with pytest.raises(KeyError, match="executor on .* cannot hash: no key is loaded under the name .*nobody"):
        keylane.spark.hash_columns(df, {"x": ("id", "nobody")})
    # One worker has this key, and the other not.
    with pytest.raises(KeyError, match="only-here"):
        keylane.spark.hash_columns(df, {"x": ("id", "only-here")})
    with pytest.raises(KeyError, match="no key is loaded under the name 'x': there is no such environment variable"):
        keylane.spark.hash_columns(df, {"x": ("id", "x")}, env={"x": "NO_SUCH_VARIABLE"})
    print(f"three missing keys were told in {time.monotonic() - began:.1f} s")
    assert failed_tasks(spark) == before
    # Without the look before, tasks fail, and Spark tries them again.
    late = keylane.spark.hash_columns(df, {"x": ("id", "nobody")}, probe=False)
    with pytest.raises(Exception, match="no key is loaded under the name"):
        late.collect()
    assert failed_tasks(spark) > before


def test_executors_with_different_keys(spark):
    df = spark.range(100, numPartitions=8)
    with pytest.raises(RuntimeError, match="executors hold different keys under one name: KCE-1; .* check=") as caught:
        keylane.spark.hash_columns(df, {"x": ("id", "differs")})
    assert not has_secret(str(caught.value).encode())
    tag = keylane.spark._tag(df.schema.fields, "x", "id", "differs", "siphash-1-3-64", None, "keep")
    packed = [tuple(tag._replace(metadata=keylane.metadata(keylane.Key(RAW, name="differs"), "siphash-1-3-64")))]
    # An executor that comes later, with another key.
    late = df.mapInArrow(lambda batches: keylane.spark._tagged(batches, packed, [0, -1], {}, None), "`0` long, `1` long")
    late = late.toDF("id", "x")
    before = failed_tasks(spark)
    try:
        found = {row.id: row.x for row in late.collect()}
    except Exception as error:
        assert "this executor holds another key: " in str(error)
    else:
        # Spark tried the tasks again on the executor that has the right key.
        assert found == dict(enumerate(keylane.hash_column(pa.array(range(100)), RAW, form="int64").to_pylist()))
    assert failed_tasks(spark) > before
    # The driver's own key counts too.
    keylane.keys.load("differs-here", OTHER)
    with pytest.raises(RuntimeError, match="the driver and the executors hold different keys"):
        keylane.spark.hash_columns(df, {"x": ("id", "differs-here")}, env={"differs-here": "USERS_KEY"})


def test_environment_variable(spark):
    df = spark.range(1000)
    tagged = keylane.spark.hash_columns(df, {"tag": ("id", "by-variable")}, env={"by-variable": "USERS_KEY"})
    found = {row.id: row.tag for row in tagged.collect()}
    expected = keylane.hash_column(pa.array(range(1000)), RAW, form="int64").to_pylist()
    assert found == dict(enumerate(expected))


def test_nulls_are_refused(spark):
    df = spark.createDataFrame([("a",), (None,)], "email string").coalesce(1)
    tagged = keylane.spark.hash_columns(df, {"x": ("email", NAME)}, nulls="error")
    assert not tagged.schema["x"].nullable
    with pytest.raises(Exception, match="column email, row 1: a null"):
        tagged.collect()


def test_sql(spark):
    spark.conf.set("spark.sql.ansi.enabled", "true")
    keylane.spark.register(spark)
    df, table = frames(spark, TYPES)
    df.coalesce(1).createOrReplaceTempView("every_type")
    for name in TYPES:
        found = columns(
            spark.sql(
                f"SELECT keylane_hash('{NAME}', {name}) a, keylane_hash128('{NAME}', {name}) b, "
                f"keylane_pseudonym('{NAME}/users.email', {name}) c FROM every_type"
            )
        )
        assert found["a"] == keylane.hash_column(table[name], RAW, form="int64").to_pylist(), name
        assert found["b"] == keylane.hash_column(table[name], RAW, "siphash-2-4-128", form="binary").to_pylist()
        assert found["c"] == keylane.pseudonymize(table[name], RAW, context="users.email").to_pylist()
    found = columns(
        spark.sql(
            f"SELECT keylane_hash_rows('{NAME}', string, long) a, keylane_hash_rows128('{NAME}', long) b FROM every_type"
        )
    )
    assert found["a"] == keylane.hash_rows(table.select(["string", "long"]), RAW, form="int64").to_pylist()
    assert found["b"] == keylane.hash_rows(table.select(["long"]), RAW, "siphash-2-4-128").to_pylist()
    assert spark.sql(f"SELECT keylane_hash('{NAME}', string) x FROM every_type WHERE long > 5 AND long < 3").collect() == []
    for text, match in [
        ("keylane_hash('nobody', string)", "no key is loaded"),
        ("keylane_hash(coalesce(string, 'x'), string)", "one constant for all rows"),
        (f"keylane_hash('{OTHER.hex()}', string)", "looks like a key"),
        (f"keylane_hash('{NAME}')", r"keylane_hash\(\) missing 1 required positional argument: 'value'"),
        (f"keylane_hash_rows('{NAME}')", "rows have at least one column"),
    ]:
        with pytest.raises(Exception, match=match):
            spark.sql(f"SELECT {text} FROM every_type").collect()


def test_ten_million_rows_and_a_lost_worker(spark, cluster, place, keys):
    df = spark.range(0, ROWS, numPartitions=40).selectExpr("id", "concat('user', id, '@example.com') AS email")
    wanted = {"id_tag": ("id", NAME), "email_tag": ("email", NAME, "siphash-2-4-128"), "row_tag": (["id", "email"], NAME)}
    tagged = keylane.spark.hash_columns(df, wanted).drop("email")
    failures = []

    def work():
        try:
            tagged.write.option("compression", "none").parquet(str(place / "tagged"))
        except Exception as error:
            failures.append(error)

    job = threading.Thread(target=work)
    before = {one["stageId"] for one in rest(spark, "stages")}
    job.start()

    def running():
        assert failures == []
        stages = [one for one in rest(spark, "stages?status=active") if one["stageId"] not in before]
        return next((one for one in stages if one["numCompleteTasks"] >= 6), None)

    stage = wait_for(running, 180)
    assert stage["numCompleteTasks"] < 30
    cluster.kill("one")
    job.join(300)
    assert not job.is_alive() and failures == []
    lost = [one for one in rest(spark, "allexecutors") if not one["isActive"]]
    assert len(lost) == 1
    found = pyarrow.dataset.dataset(place / "tagged").to_table().sort_by("id")
    assert found.num_rows == ROWS
    step = 1_000_000
    for start in range(0, ROWS, step):
        part = found.slice(start, step).combine_chunks()
        ids = np.arange(start, start + step)
        assert part["id"].to_numpy().tolist() == ids.tolist()
        emails = pa.array([f"user{number}@example.com" for number in ids])
        local = {
            "id_tag": keylane.hash_column(pa.array(ids), RAW, form="int64"),
            "email_tag": keylane.hash_column(emails, RAW, "siphash-2-4-128", form="binary").cast(pa.binary()),
            "row_tag": keylane.hash_rows(pa.table({"id": ids, "email": emails}), RAW, form="int64"),
        }
        for name, tags in local.items():
            assert part[name].combine_chunks().equals(pa.chunked_array([tags]).combine_chunks()), name
    # Another worker for the tests that follow.
    cluster.add_worker("three", {"KEYLANE_KEY_DIR": str(keys / "here")})


def plans(df):
    """Everything that `explain` writes."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        for mode in ("simple", "extended", "codegen", "cost", "formatted"):
            df.explain(mode=mode)
        df.explain(True)
    return text.getvalue()


def pages(spark):
    """The pages of the UI and the answers of its REST interface, for this application."""
    web, application = spark.sparkContext.uiWebUrl, spark.sparkContext.applicationId
    yield from (get(f"{web}/{page}/") for page in ("jobs", "stages", "storage", "environment", "executors", "SQL"))
    base = f"{web}/api/v1/applications/{application}"
    for path in ("environment", "jobs", "stages?details=true", "allexecutors", "storage/rdd"):
        yield get(f"{base}/{path}")
    queries = json.loads(get(f"{base}/sql?details=true&planDescription=true&length=1000"))
    assert len(queries) > 10
    yield json.dumps(queries).encode()
    for query in queries:
        yield get(f"{web}/SQL/execution/?id={query['id']}")


def command_lines():
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                yield (folder / "cmdline").read_bytes()


def test_the_key_is_nowhere(spark, cluster, place, keys):
    users = keylane.KeyRef(NAME)
    df = spark.createDataFrame([("a@example.com", 1)], "email string, id int")
    tagged = keylane.spark.hash_columns(df, {"t": ("email", users.derive("users.email")), "r": (["id"], users)})
    assert tagged.count() == 1
    df.createOrReplaceTempView("people")
    keylane.spark.register(spark)
    by_sql = spark.sql(f"SELECT keylane_hash('{NAME}', email) FROM people")
    assert by_sql.count() == 1
    with pytest.raises(Exception, match="no key") as caught:
        keylane.spark.hash_columns(df, {"t": ("email", "nobody")}, probe=False).collect()
    written = [str(caught.value).encode(), repr(tagged).encode(), plans(tagged).encode(), plans(by_sql).encode()]
    written += [*pages(spark), *command_lines()]
    written.append(get(f"{cluster.web}/json/"))
    # The search finds the name of the key, and so would find the key.
    name = list(forms(NAME.encode()))
    assert any(has_secret(text, name) for text in written)
    assert not any(has_secret(text) for text in written)
    planted = RAW.hex().encode()
    assert has_secret(b"x" + planted + b"x")
    # The log of events, the logs of the cluster and of its executors, and what Spark keeps on disk.
    found, seen = folders_with_secrets(place)
    assert found == [] and seen > 5
    logs = [path for path in place.rglob("*") if path.name in ("stderr", "stdout")]
    assert len(logs) >= 4 and any(b"cannot hash" in path.read_bytes() or b"nobody" in path.read_bytes() for path in logs)
    events = b"".join(path.read_bytes() for path in (place / "events").iterdir())
    assert has_secret(events, name) and not has_secret(events)
    assert folders_with_secrets(keys)[0]


def test_examples(spark):
    """The examples of the module. Its session is this one."""
    people = spark.createDataFrame([("a@example.com", 30), (None, 40)], "email string, age int")
    names = {"spark": spark, "people": people, "keylane": keylane}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testmod(keylane.spark, extraglobs=names, optionflags=flags)
    assert done.failed == 0 and done.attempted > 8
