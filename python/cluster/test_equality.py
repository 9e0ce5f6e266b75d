"""One table, with every type that KCE-1 hashes, through every engine: all give the tags of the reference.

Each engine gets the columns that it can hold. `WITHOUT` says which it cannot, and the test fails if that is no longer so.
docs/ENGINES.md has the list for users.
"""

import ctypes
import functools
import os
import pathlib
import subprocess

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from common import NAME, RAW, ROOT, write_key
from table import NESTED, NOT_SPARK, RUNS, build, of_integers, plain, rows

import keylane
import keylane.pandas
import keylane.polars

ALGORITHMS = ("siphash-1-3-64", "siphash-2-4-128")
TABLE = build()
PLAIN = [name for name in TABLE.column_names if name not in NESTED]


def form(alg):
    return "binary" if alg.endswith("128") else "uint64"


def raw(tags):
    """Tags of any form as bytes."""
    return of_integers(tags) if any(isinstance(tag, int) for tag in tags) else tags


@pytest.fixture(scope="module", autouse=True)
def keys(tmp_path_factory):
    folder = write_key(tmp_path_factory.mktemp("keys"))
    os.environ["KEYLANE_KEY_DIR"] = str(folder)
    return folder


def same(found, expected, without):
    """`found` has the tags of the columns that the engine holds, and `without` names those that it does not."""
    assert sorted(found) == sorted(set(PLAIN) - set(without))
    for name, tags in found.items():
        assert raw(tags) == expected(name), name


@functools.cache
def expected(name, alg):
    return plain(name, alg)


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_arrow(alg):
    found = {name: keylane.hash_column(TABLE[name], RAW, alg, form=form(alg)).to_pylist() for name in PLAIN}
    same(found, lambda name: expected(name, alg), ())
    every = TABLE.column_names
    assert raw(keylane.hash_rows(TABLE, RAW, alg, form=form(alg)).to_pylist()) == rows(every, alg)


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_pandas(alg):
    found = {}
    for name in PLAIN:
        series = pd.Series(pd.arrays.ArrowExtensionArray(TABLE[name]), name=name)
        tags = series.keylane.hash(NAME, alg, form=form(alg))
        found[name] = [None if pd.isna(tag) else tag for tag in tags]
    same(found, lambda name: expected(name, alg), ())


# Polars has no such types: it stores values as others, whose messages differ where said.
POLARS = {
    "decimal256(76, 2)": "38 digits at most",
    "date64": "becomes datetime: milliseconds, not days",
    RUNS["type"]: "not taken",
}


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_polars(alg):
    found = {}
    for name in [name for name in PLAIN if name not in POLARS]:
        frame = pl.from_arrow(TABLE.select([name]))
        found[name] = frame.select(pl.col(name).keylane.hash(NAME, alg, form=form(alg)))[name].to_list()
    same(found, lambda name: expected(name, alg), POLARS)
    dates = pl.from_arrow(TABLE.select(["date64"]))["date64"]
    assert dates.dtype == pl.Datetime("ms") and dates.keylane.hash(NAME).to_list() != expected("date64", alg)


def test_c(tmp_path):
    """The batch calls of the C library, over the memory of Arrow's arrays."""
    library = ctypes.CDLL(os.environ["KEYLANE_LIBRARY"])
    state = ctypes.create_string_buffer(512)
    hasher = ctypes.c_void_p((ctypes.addressof(state) + 63) // 64 * 64)
    assert library.keylane_siphash_init(hasher, 1, 3, 64, RAW) == 0
    for name in ("int64", "uint64", "utf8", "large_utf8", "utf8_view", "binary", "large_binary", "binary_view"):
        array = TABLE[name].combine_chunks()
        tags = (ctypes.c_uint64 * len(array))()
        _, *buffers = [None if one is None else ctypes.c_void_p(one.address) for one in array.buffers()]
        sizes = [None if one is None else one.size for one in array.buffers()][1:]
        count = ctypes.c_size_t(len(array))
        if name.endswith("int64"):
            status = library.keylane_siphash_hash64_u64s(hasher, buffers[0], count, tags)
        elif name.endswith("view"):

            class Block(ctypes.Structure):
                _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

            blocks = (Block * len(buffers))(*[Block(at, size) for at, size in zip(buffers[1:], sizes[1:], strict=True)])
            blocks_count = ctypes.c_size_t(len(buffers) - 1)
            status = library.keylane_siphash_hash64_views(hasher, buffers[0], blocks, blocks_count, 0, count, tags)
        else:
            call = getattr(library, f"keylane_siphash_hash64_offsets{64 if 'large' in name else 32}")
            status = call(hasher, buffers[1], ctypes.c_size_t(sizes[1]), buffers[0], 0, count, tags)
        assert status == 0
        found = [tag if value.is_valid else None for tag, value in zip(tags, array, strict=True)]
        assert of_integers(found) == expected(name, "siphash-1-3-64"), name


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_go(alg, keys):
    """The Go module knows no columns: text and bytes are messages, and integers are their 8 bytes."""
    for name in ("utf8", "binary", "int64", "uint64"):
        values = [value for value in TABLE[name].to_pylist() if value is not None]
        if name.endswith("int64"):
            values = [(value % 2**64).to_bytes(8, "little") for value in values]
        lines = "".join((value if isinstance(value, bytes) else value.encode()).hex() + "\n" for value in values)
        command = ["go", "run", ".", str(keys / NAME), alg.rsplit("-", 1)[1]]
        folder = pathlib.Path(__file__).with_name("go")
        done = subprocess.run(command, cwd=folder, input=lines, capture_output=True, text=True, check=True)
        known = [tag.hex() for tag in expected(name, alg) if tag is not None]
        assert done.stdout.split() == known, name


# What the command's library does not read from Arrow files, or writes as another type.
COMMAND = {}


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_command(alg, keys, tmp_path):
    names = [name for name in PLAIN if name not in COMMAND]
    # The command's columns are named on one line, where commas stand between them.
    table = TABLE.select(names).rename_columns([f"c{place}" for place in range(len(names))])
    pyarrow.feather.write_feather(table, tmp_path / "in.arrow", compression="uncompressed")
    given = ["--key-file", str(keys / NAME), "--alg", alg, "--context", "none", "--as", "binary"]
    columns = ["--columns", ",".join(table.column_names)]
    command = [os.environ["KEYLANE_COMMAND"], "column", *given, *columns, "-o", "out.arrow", "in.arrow"]
    subprocess.run(command, cwd=tmp_path, check=True)
    out = pyarrow.feather.read_table(tmp_path / "out.arrow")
    found = {name: out[f"c{place}"].to_pylist() for place, name in enumerate(names)}
    same(found, lambda name: expected(name, alg), COMMAND)


# DataFusion takes every type.
DATAFUSION = {}


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_datafusion(alg):
    import datafusion

    import keylane.datafusion

    context = datafusion.SessionContext()
    names = [name for name in TABLE.column_names if name not in DATAFUSION]
    context.register_record_batches("t", [TABLE.select(names).to_batches()])
    wanted = {f"tag of {name}": (name, NAME) for name in names if name not in NESTED}
    df = keylane.datafusion.hash_columns(context.table("t"), wanted | {"row": (names, NAME)}, alg)
    table = pa.Table.from_batches(df.collect())
    found = {name: table[f"tag of {name}"].to_pylist() for name in names if name not in NESTED}
    same(found, lambda name: expected(name, alg), DATAFUSION)
    assert raw(table["row"].to_pylist()) == rows(names, alg)


@pytest.mark.parametrize(("function", "alg"), [*zip(("keylane_hash", "keylane_hash128"), ALGORITHMS, strict=True)])
def test_datafusion_in_rust(function, alg, tmp_path):
    """The functions of contrib/datafusion, by its example, which runs a query over an Arrow file."""
    columns = {name: f"c{place}" for place, name in enumerate(TABLE.column_names)}
    table = TABLE.rename_columns([*columns.values()])
    pyarrow.feather.write_feather(table, tmp_path / "in.arrow", compression="uncompressed")
    calls = [f"{function}('{NAME}', {columns[name]}) AS {columns[name]}" for name in PLAIN]
    calls.append(f"keylane_hash_rows('{NAME}', {', '.join(columns.values())}) AS row_tag")
    query = f"SELECT {', '.join(calls)} FROM t"
    subprocess.run([os.environ["KEYLANE_DATAFUSION"], query, "in.arrow", "out.arrow"], cwd=tmp_path, check=True)
    out = pyarrow.feather.read_table(tmp_path / "out.arrow")
    same({name: out[columns[name]].to_pylist() for name in PLAIN}, lambda name: expected(name, alg), ())
    assert raw(out["row_tag"].to_pylist()) == rows(TABLE.column_names, "siphash-1-3-64")


@pytest.fixture(scope="module")
def spark():
    # It says which Python executors start.
    from cluster import HOST
    from pyspark.sql import SparkSession

    local = {"spark.master": "local[2]", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST}
    # The functions of java/spark.
    local |= {"spark.jars": os.environ["KEYLANE_JARS"], "spark.sql.extensions": "example.keylane.spark.KeylaneExtensions"}
    builder = SparkSession.builder
    for name, value in {**local, "spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_spark(alg, spark):
    import keylane.spark

    names = [name for name in TABLE.column_names if name not in NOT_SPARK]
    df = spark.createDataFrame(TABLE.select(names)).coalesce(1)
    wanted = {f"tag of {name}": (name, NAME) for name in names if name not in NESTED}
    found = keylane.spark.hash_columns(df, wanted | {"row": (names, NAME)}, alg).collect()
    tags = {name: [row[f"tag of {name}"] for row in found] for name in names if name not in NESTED}
    same({name: list(map(_bytes, column)) for name, column in tags.items()}, lambda name: expected(name, alg), NOT_SPARK)
    assert raw([_bytes(row["row"]) for row in found]) == rows(names, alg)
    # Nanoseconds lose what is less than a microsecond.
    times = spark.createDataFrame(TABLE.select(["timestamp[ns]"])).coalesce(1)
    lost = keylane.spark.hash_columns(times, {"tag": ("timestamp[ns]", NAME)}, alg).collect()
    assert raw([_bytes(row.tag) for row in lost]) != expected("timestamp[ns]", alg)


@pytest.mark.parametrize(("function", "alg"), [*zip(("keylane_hash", "keylane_hash128"), ALGORITHMS, strict=True)])
def test_spark_on_the_jvm(function, alg, spark):
    """The functions of java/spark, on types as keylane.spark has them."""
    from pyspark.sql import functions

    names = [name for name in TABLE.column_names if name not in NOT_SPARK]
    columns = {name: f"c{place}" for place, name in enumerate(names)}
    df = spark.createDataFrame(TABLE.select(names).rename_columns([*columns.values()])).coalesce(1)

    def tags(function, *columns):
        return [_bytes(row[0]) for row in df.select(functions.call_function(function, functions.lit(NAME), *columns)).collect()]

    found = {name: tags(function, column) for name, column in columns.items() if name not in NESTED}
    same(found, lambda name: expected(name, alg), NOT_SPARK)
    assert raw(tags("keylane_hash_rows", *columns.values())) == rows(names, "siphash-1-3-64")
    texts = {name: tags("keylane_pseudonym", column) for name, column in columns.items() if name not in NESTED}
    for name, column in texts.items():
        assert [tag and bytes.fromhex(tag) for tag in column] == expected(name, "siphash-2-4-128"), name


def test_spark_and_parquet(spark, tmp_path):
    """Spark reads Parquet's UINT_64 as decimal(20,0), whose tags differ from 2^63 on; the other integers keep theirs."""
    import keylane.spark

    names = [f"uint{bits}" for bits in (8, 16, 32, 64)]
    pyarrow.parquet.write_table(TABLE.select(names), tmp_path / "in.parquet", compression="none")
    df = spark.read.parquet(str(tmp_path / "in.parquet")).coalesce(1)
    assert [kind for _, kind in df.dtypes] == ["smallint", "int", "bigint", "decimal(20,0)"]
    found = keylane.spark.hash_columns(df, {f"tag of {name}": (name, NAME) for name in names}).collect()
    for name in names:
        tags, values = of_integers([row[f"tag of {name}"] for row in found]), TABLE[name].to_pylist()
        for tag, value, right in zip(tags, values, expected(name, "siphash-1-3-64"), strict=True):
            assert (tag == right) == (value is None or value < 2**63), (name, value)


def _bytes(tag):
    return bytes(tag) if isinstance(tag, bytearray) else tag


# DuckDB does not take such columns, or makes others of them.
DUCKDB = {
    **dict.fromkeys(("float16", "decimal256(76, 2)"), "not taken"),
    **dict.fromkeys([f"duration[{unit}]" for unit in ("s", "ms", "us", "ns")], "becomes an interval, which has no bytes"),
}


@pytest.fixture(params=["register", "extension"])
def duck(request):
    """A connection with the functions: those of the Python package, or those of the loadable extension."""
    import duckdb

    import keylane.duckdb

    extension = os.environ.get("KEYLANE_DUCKDB_EXTENSION")
    if request.param == "extension" and not extension and not os.environ.get("CI"):
        pytest.skip("KEYLANE_DUCKDB_EXTENSION does not name the extension")
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        if request.param == "register":
            keylane.duckdb.register(connection)
        else:
            connection.execute(f"LOAD '{extension}'")
        yield connection


@pytest.mark.parametrize("call", ["keylane_hash", "keylane_hash128"])
def test_duckdb(call, duck):
    alg = "siphash-2-4-128" if call.endswith("128") else "siphash-1-3-64"
    found = {}
    for name in PLAIN:
        if name not in DUCKDB:
            duck.register("t", TABLE.select([name]).rename_columns(["x"]))
            found[name] = [tag for (tag,) in duck.execute(f"SELECT {call}('{NAME}', x) FROM t").fetchall()]
    same(found, lambda name: expected(name, alg), DUCKDB)


def test_duckdb_rows(duck):
    names = [name for name in TABLE.column_names if name not in DUCKDB]
    columns = [f"c{place}" for place in range(len(names))]
    duck.register("t", TABLE.select(names).rename_columns(columns))
    tags = duck.execute(f"SELECT keylane_hash_rows('{NAME}', {', '.join(columns)}) FROM t").fetchall()
    assert raw([tag for (tag,) in tags]) == rows(names, "siphash-1-3-64")
