"""The extension in DuckDB, compared with the reference in plain Python.

run.sh runs it. KEYLANE_DUCKDB_EXTENSION is the path of the extension; KEYLANE_DUCKDB_CLI that of DuckDB's command,
if there is one.
"""

import base64
import concurrent.futures
import ctypes
import importlib.util
import json
import os
import pathlib
import struct
import subprocess
import sys

import duckdb
import pytest
import tables

ROOT = pathlib.Path(__file__).resolve().parents[3]
RAW = bytes(range(16))
EXTENSION = os.environ["KEYLANE_DUCKDB_EXTENSION"]
COMMAND = os.environ.get("KEYLANE_DUCKDB_CLI")
VERSION = tuple(int(part) for part in duckdb.__version__.split(".")[:2])
TYPES = {**tables.PLAIN, **tables.MORE, **tables.NESTED}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KCE1 = load(ROOT / "tests" / "kce1" / "kce1.py")
ROW = KCE1.row_key(RAW)


def integers(messages, key=RAW):
    """The tags of messages as integers; None for a null."""
    tags = [None if m is None else KCE1.siphash(key, m, 1, 3, 64) for m in messages]
    return [None if tag is None else int.from_bytes(tag, "little") for tag in tags]


def row_tags(*columns, key=ROW):
    return integers(KCE1.rows([{"type": kind, "values": values} for kind, values in columns]), key)


def connect(path=":memory:"):
    connection = duckdb.connect(path, config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{EXTENSION}'")
    return connection


@pytest.fixture
def connection():
    with connect() as connection:
        bind = ctypes.CDLL(EXTENSION).keylane_duckdb_bind
        assert bind(b"users-2026", RAW) == 0
        yield connection


def column(connection, query):
    return [row[0] for row in connection.execute(query).fetchall()]


@pytest.mark.parametrize("seed", [3, 4])
def test_random_tables(connection, seed):
    columns = tables.make(connection, TYPES, 250, seed)
    for name in [*tables.PLAIN, *tables.MORE]:
        messages = KCE1.plain(columns[name])
        assert column(connection, f"SELECT keylane_hash('users-2026', {name}) FROM t") == integers(messages), name
        wide = [None if m is None else KCE1.siphash(RAW, m, 2, 4, 128) for m in messages]
        assert column(connection, f"SELECT keylane_hash128('users-2026', {name}) FROM t") == wide, name
        digits = [None if tag is None else tag.hex() for tag in wide]
        assert column(connection, f"SELECT keylane_pseudonym('users-2026', {name}) FROM t") == digits, name
    groups = [[name] for name in TYPES] + [["i32", "s", "st"], ["l", "f64", "e", "x"], list(TYPES)]
    for group in groups:
        found = column(connection, f"SELECT keylane_hash_rows('users-2026', {', '.join(group)}) FROM t")
        expected = integers(KCE1.rows([columns[name] for name in group]), ROW)
        assert found == expected, group
        # Behind a filter, vectors are views of others.
        some = f"SELECT keylane_hash_rows('users-2026', {', '.join(group)}) FROM t WHERE rowid % 3 = 1"
        assert column(connection, some) == expected[1::3], group


def test_contexts(connection):
    for context in ("users.email", "users/email"):
        subkey = KCE1.derive(RAW, context)
        assert column(connection, f"SELECT keylane_hash('users-2026/{context}', 'a')") == integers([b"a"], subkey)
        rows = row_tags(("utf8", ["a"]), key=KCE1.row_key(subkey))
        assert column(connection, f"SELECT keylane_hash_rows('users-2026/{context}', 'a')") == rows


def test_vectors_of_every_kind(connection):
    """Constants, sequences, dictionaries, and many vectors."""
    longs = [struct.pack("<q", i) for i in range(7000)]
    connection.execute("CREATE TABLE t AS SELECT i, 'user number ' || (i % 10) s FROM range(7000) r(i)")
    assert column(connection, "SELECT keylane_hash('users-2026', i) FROM t") == integers(longs)
    assert column(connection, "SELECT keylane_hash('users-2026', i) FROM range(7000) r(i)") == integers(longs)
    texts = [f"user number {i % 10}".encode() for i in range(7000)]
    assert column(connection, "SELECT keylane_hash('users-2026', s) FROM t") == integers(texts)
    assert column(connection, "SELECT keylane_hash('users-2026', s::VARCHAR) FROM t WHERE i % 7 = 0") == integers(texts[::7])
    assert column(connection, "SELECT keylane_hash('users-2026', 'x') FROM range(3)") == integers([b"x"] * 3)
    assert column(connection, "SELECT keylane_hash('users-2026', NULL) FROM range(3)") == [None] * 3
    assert column(connection, "SELECT keylane_hash('users-2026', 5)") == integers([struct.pack("<q", 5)])
    assert column(connection, "SELECT keylane_hash('users-2026', i) FROM t WHERE i < 0") == []
    query = "SELECT count(*) FROM t GROUP BY keylane_hash('users-2026', s)"
    assert column(connection, query) == [700] * 10
    query = "SELECT count(*) FROM t JOIN t u ON keylane_hash('users-2026', t.i) = keylane_hash('users-2026', u.i::HUGEINT)"
    assert column(connection, query) == [7000]
    nulls = column(connection, "SELECT keylane_hash('users-2026', CASE WHEN i % 3 > 0 THEN i END) FROM t")
    assert nulls == integers([None if i % 3 == 0 else longs[i] for i in range(7000)])


# Around the 12 bytes that a view holds itself, with a zero byte, and not only ASCII.
TEXTS = ["", "a", "x" * 11, "y" * 12, "z" * 13, "\u00fc" * 6, "\u65e5\u672c\u8a9e" * 20, "a\0b", "\U0001f600", "w" * 5000, None]


def test_strings_of_tags(connection):
    """Pseudonyms and tags as bytes are written into the memory of vectors: those of every number of rows, and nulls."""
    connection.execute("CREATE TABLE texts (i BIGINT, s VARCHAR)")
    texts = [TEXTS[i * 7 % len(TEXTS)] for i in range(2049)]
    connection.executemany("INSERT INTO texts VALUES (?, ?)", list(enumerate(texts)))
    wide = [None if x is None else KCE1.siphash(RAW, x.encode(), 2, 4, 128) for x in texts]
    digits = [None if tag is None else tag.hex() for tag in wide]
    calls = "keylane_pseudonym('users-2026', s), keylane_hash128('users-2026', s), keylane_pseudonym('users-2026', encode(s))"
    for rows in (1, 2, 3, 11, 64, 2047, 2048, 2049):
        found = connection.execute(f"SELECT {calls} FROM texts WHERE i < {rows} ORDER BY i").fetchall()
        assert found == list(zip(digits[:rows], wide[:rows], digits[:rows]))
    for what in ("i % 3 = 1", "s IS NULL", "i < 0"):
        kept = column(connection, f"SELECT i FROM texts WHERE {what} ORDER BY i")
        found = column(connection, f"SELECT keylane_pseudonym('users-2026', s) FROM texts WHERE {what} ORDER BY i")
        assert found == [digits[i] for i in kept]
    # The strings outlive their vector: in tables, groups, sorts and other functions.
    connection.execute("CREATE TABLE tags AS SELECT i, keylane_pseudonym('users-2026', s) p, keylane_hash128('users-2026', s) b FROM texts")
    assert connection.execute("SELECT p, b FROM tags ORDER BY i").fetchall() == list(zip(digits, wide))
    assert column(connection, "SELECT count(*) FROM tags WHERE p <> lower(hex(b)) OR strlen(p) <> 32") == [0]
    grouped = dict(connection.execute("SELECT keylane_pseudonym('users-2026', s) p, count(*) FROM texts GROUP BY p").fetchall())
    assert grouped == {tag: digits.count(tag) for tag in digits}
    longest = column(connection, "SELECT max(keylane_pseudonym('users-2026', s) || '!') FROM texts")
    assert longest == [max(tag for tag in digits if tag) + "!"]
    assert column(connection, "SELECT keylane_pseudonym('users-2026', 'x') FROM range(3)") == [KCE1.siphash(RAW, b"x", 2, 4, 128).hex()] * 3
    assert column(connection, "SELECT keylane_pseudonym('users-2026', NULL::VARCHAR) FROM range(3)") == [None] * 3


LONG = "a-name-of-more-than-12-bytes"


@pytest.mark.parametrize("name", ["users-2026", LONG])
def test_a_name_that_differs_in_one_row(connection, name):
    assert ctypes.CDLL(EXTENSION).keylane_duckdb_bind(LONG.encode(), RAW) == 0
    for rows in (1, 2, 3, 4, 5, 63, 64, 65, 2047, 2048):
        # Not constants: a text of its own for each row.
        connection.execute(f"CREATE OR REPLACE TABLE names AS SELECT i, '{name}' || repeat('x', 0 * i) n FROM range({rows}) r(i)")
        expected = integers([struct.pack("<q", i) for i in range(rows)])
        assert column(connection, "SELECT keylane_hash(n, i) FROM names") == expected
        for place in {0, 1, 3, 4, 5, 62, 63, 64, rows // 2, rows - 1} & {*range(rows)}:
            other = name[:-1] + "5"
            query = f"SELECT keylane_hash(CASE WHEN i = {place} THEN '{other}' ELSE n END, i) FROM names"
            with pytest.raises(duckdb.Error, match="one constant" if rows > 1 else "no key is loaded"):
                connection.execute(query).fetchall()


def test_nulls_in_every_place(connection):
    """One null, or one value, in a vector: in each of the functions."""
    for place in (0, 1, 62, 63, 64, 65, 127, 128, 2046, 2047):
        for what in (f"i <> {place}", f"i = {place}"):
            kept = [(i != place) == ("<>" in what) for i in range(2048)]
            table = f"(SELECT CASE WHEN {what} THEN i END v FROM range(2048) r(i))"
            messages = [struct.pack("<q", i) if keep else None for i, keep in enumerate(kept)]
            assert column(connection, f"SELECT keylane_hash('users-2026', v) FROM {table}") == integers(messages)
            found = column(connection, f"SELECT keylane_pseudonym('users-2026', v) FROM {table}")
            assert [tag is not None for tag in found] == kept


NESTED = [
    ("[1, 2]", "list<item: int32>", lambda i: [1, 2]),
    ("[i, i + 1]", "list<item: int64>", lambda i: [str(i), str(i + 1)]),
    ("[i, 7]", "list<item: int64>", lambda i: [str(i), "7"]),
    ("[NULL, NULL, NULL]::INTEGER[]", "list<item: int32>", lambda i: [None] * 3),
    ("[NULL::INTEGER, NULL]", "list<item: int32>", lambda i: [None] * 2),
    ("[]::VARCHAR[]", "list<item: utf8>", lambda i: []),
    ("['abc', 'a text that is too long for a view']", "list<item: utf8>", lambda i: ["abc", "a text that is too long for a view"]),
    ("{'a': i, 'b': 'constant text that is long'}", "struct<a: int64, b: utf8>", lambda i: [str(i), "constant text that is long"]),
    ("{'a': i, 'b': NULL::VARCHAR}", "struct<a: int64, b: utf8>", lambda i: [str(i), None]),
    ("{'a': {'b': 1, 'c': i}}", "struct<a: struct<b: int32, c: int64>>", lambda i: [[1, str(i)]]),
    ("{'a': [1, 2], 'b': i}", "struct<a: list<item: int32>, b: int64>", lambda i: [[1, 2], str(i)]),
    ("{'a': ['x', 'y'], 'b': {'c': 'z'}, 'd': i}", "struct<a: list<item: utf8>, b: struct<c: utf8>, d: int64>", lambda i: [["x", "y"], ["z"], str(i)]),
    ("[{'a': i, 'b': 1}]", "list<item: struct<a: int64, b: int32>>", lambda i: [[str(i), 1]]),
    ("list_reverse([i, 1, 2])", "list<item: int64>", lambda i: ["2", "1", str(i)]),
    ("list_slice([i, 1, 2], 2, 3)", "list<item: int64>", lambda i: ["1", "2"]),
    ("list_transform([i, 1], LAMBDA x + 1)", "list<item: int64>", lambda i: [str(i + 1), "2"]),
    ("list_filter([i, -1], LAMBDA x >= 0)", "list<item: int64>", lambda i: [str(i)]),
    ("list_sort([i, 1000000, -5])", "list<item: int64>", lambda i: ["-5", str(i), "1000000"]),
    ("range(i % 3)", "list<item: int64>", lambda i: [str(x) for x in range(i % 3)]),
    ("array_value(i, 7)", "fixed_size_list<item: int64>[2]", lambda i: [str(i), "7"]),
    ("array_value('a', 'b')", "fixed_size_list<item: utf8>[2]", lambda i: ["a", "b"]),
    ("CASE WHEN i % 2 = 0 THEN [i] END", "list<item: int64>", lambda i: [str(i)] if i % 2 == 0 else None),
    ("CASE WHEN i % 2 = 0 THEN {'a': 'text ' || i, 'b': [i]} END", "struct<a: utf8, b: list<item: int64>>", lambda i: [f"text {i}", [str(i)]] if i % 2 == 0 else None),
    ("struct_extract({'a': {'b': i, 'c': 'k'}}, 'a')", "struct<b: int64, c: utf8>", lambda i: [str(i), "k"]),
    ("[[i], []]", "list<item: list<item: int64>>", lambda i: [[str(i)], []]),
]


@pytest.mark.parametrize(("expression", "kind", "value"), NESTED)
@pytest.mark.parametrize("source", ["range(5000) r(i)", "(SELECT i FROM range(9000) s(i) WHERE i % 5 = 0)", "(SELECT 3::BIGINT i)"])
def test_nested_values_are_right_or_refused(connection, expression, kind, value, source):
    """Releases before 2.0 do not make vectors flat inside of others. No tag may be wrong for it."""
    expression = expression.replace("LAMBDA", "lambda x:" if VERSION >= (1, 3) else "x ->")
    inputs = column(connection, f"SELECT i FROM {source}")
    expected = row_tags((kind, [value(i) for i in inputs]))
    try:
        found = column(connection, f"SELECT keylane_hash_rows('users-2026', {expression}) FROM {source}")
    except duckdb.Error as error:
        assert VERSION < (2, 0) and "store the values in a table first" in str(error)
        connection.execute(f"CREATE TABLE stored AS SELECT {expression} v FROM {source}")
        found = column(connection, "SELECT keylane_hash_rows('users-2026', v) FROM stored")
    assert found == expected


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("keylane_hash('nobody', 1)", 'keylane_hash: no key is loaded under the name "nobody"'),
        ("keylane_hash('', 1)", "name of a key"),
        ("keylane_hash('../users-2026', 1)", "name of a key"),
        ("keylane_hash('users-2026/', 1)", "a context has 1 to 255 bytes"),
        ("keylane_hash('users-2026/KCE-1 row', 1)", "reserved"),
        ("keylane_hash(7, 1)", "name of a key, as text"),
        ("keylane_hash(NULL, 1)", "null"),
        ("keylane_hash(NULL::VARCHAR, i)", "null"),
        ("keylane_hash(CASE i WHEN 1 THEN 'users-2026' ELSE 'other' END, i)", "one constant"),
        ("keylane_hash(CASE i WHEN 1 THEN 'users-2026' END, i)", "null"),
        ("keylane_hash('users-2026', [i])", "LIST is not hashed by itself"),
        ("keylane_pseudonym('users-2026', {'a': i})", "STRUCT is not hashed by itself"),
        ("keylane_hash128('users-2026', array_value(i, i))", "ARRAY is not hashed by itself"),
        ("keylane_hash('users-2026', INTERVAL 1 DAY)", "the type INTERVAL is not hashed"),
        ("keylane_hash('users-2026', '101'::BIT)", "the type BIT is not hashed"),
        ("keylane_hash('users-2026', '10:00:00+01'::TIMETZ)", "the type TIME WITH TIME ZONE is not hashed"),
        ("keylane_hash_rows('users-2026', i, MAP {'a': i})", "the type MAP is not hashed"),
        ("keylane_hash_rows('users-2026', [INTERVAL 1 DAY])", "the type INTERVAL is not hashed"),
        ("keylane_hash_rows('users-2026', union_value(a := i))", "the type UNION is not hashed"),
        ("keylane_hash_rows('users-2026')", "at least one column"),
    ],
)
def test_errors(connection, call, text):
    with pytest.raises(duckdb.Error, match=text):
        connection.execute(f"SELECT {call} FROM range(3) r(i)").fetchall()
    # The database works on.
    assert column(connection, "SELECT keylane_hash('users-2026', 'a')") == integers([b"a"])


def test_deep_types(connection):
    # COLUMNS.md: 64 levels are hashed.
    connection.execute(f"CREATE TABLE deep AS SELECT {'[' * 64}i::INTEGER{']' * 64} v FROM range(3) r(i)")
    values = list(range(3))
    for _ in range(64):
        values = [[value] for value in values]
    expected = row_tags(("list<item: " * 64 + "int32" + ">" * 64, values))
    assert column(connection, "SELECT keylane_hash_rows('users-2026', v) FROM deep") == expected
    for call in ("keylane_hash_rows('users-2026', [v])", "keylane_hash_rows('users-2026', {'a': v})"):
        with pytest.raises(duckdb.Error, match="64 levels"):
            connection.execute(f"SELECT {call} FROM deep").fetchall()


@pytest.mark.skipif(VERSION < (2, 0), reason="this release has no structs without fields")
def test_structs_without_fields(connection):
    connection.execute("CREATE TABLE pairs AS SELECT i, CASE WHEN i % 2 = 0 THEN {} END v FROM range(5000) r(i)")
    values = [[] if i % 2 == 0 else None for i in range(5000)]
    assert column(connection, "SELECT keylane_hash_rows('users-2026', v) FROM pairs") == row_tags(("struct<>", values))
    found = column(connection, "SELECT keylane_hash_rows('users-2026', [{}, v], {'a': {}}) FROM pairs")
    lists = [[[], value] for value in values]
    assert found == row_tags(("list<item: struct<>>", lists), ("struct<a: struct<>>", [[[]]] * 5000))


def forms(raw):
    """Bytes in every form in which they could stand in text or in bytes."""
    yield from (raw, raw.hex().encode(), raw.hex().upper().encode(), base64.b64encode(raw), repr(raw).encode())
    yield from (separator.join(str(byte) for byte in raw).encode() for separator in (",", ", "))


@pytest.mark.parametrize("text", [RAW.hex(), RAW.hex().upper(), base64.b64encode(RAW).decode(), f"users/{RAW.hex()}", "0123456789abcde "])
def test_keys_are_no_names(connection, text):
    with pytest.raises(duckdb.Error, match="looks like a key|name of a key") as caught:
        connection.execute(f"SELECT keylane_hash('{text}', i) FROM range(3) r(i)").fetchall()
    assert text not in str(caught.value)
    for raw in ("'\\x00\\x01\\x02'::BLOB", f"from_hex('{RAW.hex()}')"):
        with pytest.raises(duckdb.Error, match="a key itself has no place in SQL"):
            connection.execute(f"SELECT keylane_hash({raw}, i) FROM range(3) r(i)").fetchall()


def test_no_plan_or_file_holds_the_key(tmp_path):
    path, profile = tmp_path / "file.db", tmp_path / "profile.json"
    query = "SELECT keylane_pseudonym('users-2026/users.email', s) p, keylane_hash_rows('users-2026', s, i) r FROM t"
    with connect(str(path)) as connection:
        assert ctypes.CDLL(EXTENSION).keylane_duckdb_bind(b"users-2026", RAW) == 0
        written = []
        if VERSION >= (1, 4):
            connection.execute("CALL enable_logging(level='trace')")
        connection.execute("CREATE TABLE t AS SELECT i, 'u' || i s FROM range(5000) r(i)")
        connection.execute(f"CREATE TABLE tags AS {query}")
        connection.execute(f"CREATE VIEW later AS {query}")
        connection.execute(f"PRAGMA enable_profiling='json'; PRAGMA profiling_output='{profile}'")
        connection.execute(query).fetchall()
        connection.execute("PRAGMA disable_profiling")
        written += [str(connection.execute(f"{explain} {query}").fetchall()) for explain in ("EXPLAIN", "EXPLAIN ANALYZE")]
        connection.execute("PRAGMA explain_output='all'")
        written.append(str(connection.execute(f"EXPLAIN {query}").fetchall()))
        written.append(str(connection.execute("SELECT * FROM duckdb_functions() WHERE function_name LIKE 'keylane%'").fetchall()))
        written.append(str(connection.execute("SELECT * FROM duckdb_extensions() WHERE extension_name LIKE 'keylane%'").fetchall()))
        for wrong in ("keylane_hash('users-2026', [i])", "keylane_hash('users-2027', i)"):
            with pytest.raises(duckdb.Error) as caught:
                connection.execute(f"SELECT {wrong} FROM t").fetchall()
            written.append(str(caught.value) + repr(caught.value))
        if VERSION >= (1, 4):
            logs = str(connection.execute("SELECT * REPLACE (timestamp::VARCHAR AS timestamp) FROM duckdb_logs").fetchall())
            assert "keylane_pseudonym" in logs
            written.append(logs)
        connection.execute("CHECKPOINT")
    written = [text.encode() for text in written] + [file.read_bytes() for file in tmp_path.iterdir()]
    assert any(b"users-2026" in text for text in written)
    subkeys = [KCE1.derive(RAW, "users.email"), KCE1.row_key(RAW)]
    for raw in [RAW, *subkeys]:
        for form in forms(raw):
            assert not any(form in text for text in written)
    assert json.loads(profile.read_text())


def test_threads(connection):
    connection.execute("SET threads = 4")
    connection.execute("CREATE TABLE big AS SELECT i, 'user ' || i s FROM range(500000) r(i)")
    query = "SELECT sum(keylane_hash('users-2026', i)::HUGEINT), sum(keylane_hash('users-2026/c', s)::HUGEINT) FROM big"
    expected = connection.execute(query).fetchall()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = [pool.submit(lambda: connection.cursor().execute(query).fetchall()) for _ in range(8)]
        assert all(each.result() == expected for each in done)


def test_names_are_bound_once(connection):
    bind = ctypes.CDLL(EXTENSION).keylane_duckdb_bind
    assert bind(b"bound-1", RAW) == 0
    assert bind(b"bound-1", RAW) == 0
    assert bind(b"bound-1", bytes(16)) == 2
    assert bind(RAW.hex().encode(), RAW) == 1
    assert bind(b"a b", RAW) == bind(b"\xff", RAW) == 1
    assert bind(None, RAW) == bind(b"bound-2", None) == 3


def test_many_contexts(connection):
    for place in range(600):
        subkey = KCE1.derive(RAW, f"c{place}")
        assert column(connection, f"SELECT keylane_hash('users-2026/c{place}', 'a')") == integers([b"a"], subkey)


PROGRAM = """
import duckdb, os, sys
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(f"LOAD '{os.environ['KEYLANE_DUCKDB_EXTENSION']}'")
try:
    print(connection.execute("SELECT keylane_hash('folder-1', 'a')").fetchone()[0])
except duckdb.Error as error:
    print(error)
"""


def run(command, **more):
    environment = {"PATH": "", "KEYLANE_DUCKDB_EXTENSION": EXTENSION, "HOME": more.pop("home", "/nonexistent")} | more
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_keys_in_a_folder(tmp_path):
    unknown = run([sys.executable, "-c", PROGRAM]).stdout
    assert 'no key is loaded under the name "folder-1"' in unknown
    unknown = run([sys.executable, "-c", PROGRAM], KEYLANE_KEY_DIR=str(tmp_path)).stdout
    assert "$KEYLANE_KEY_DIR has no such file" in unknown and str(tmp_path) not in unknown
    (tmp_path / "folder-1").write_text("no key")
    assert "its file is no key" in run([sys.executable, "-c", PROGRAM], KEYLANE_KEY_DIR=str(tmp_path)).stdout
    (tmp_path / "folder-1").write_text(RAW.hex() + "\n")
    assert run([sys.executable, "-c", PROGRAM], KEYLANE_KEY_DIR=str(tmp_path)).stdout.strip() == str(integers([b"a"])[0])


@pytest.mark.skipif(not COMMAND, reason="DuckDB's command is not here")
def test_command(tmp_path):
    (tmp_path / "folder-1").write_text(RAW.hex() + "\n")
    script = f"LOAD '{EXTENSION}'; SELECT keylane_hash('folder-1', 'a') tag, keylane_pseudonym('folder-1', 'a') p;"
    done = run([COMMAND, "-unsigned", "-csv", "-c", script], KEYLANE_KEY_DIR=str(tmp_path), home=str(tmp_path))
    pseudonym = KCE1.siphash(RAW, b"a", 2, 4, 128).hex()
    assert done.stdout.split() == ["tag,p", f"{integers([b'a'])[0]},{pseudonym}"], done.stderr


def test_loaded_twice(connection):
    connection.execute(f"LOAD '{EXTENSION}'")
    with connect() as other:
        assert column(other, "SELECT keylane_hash('users-2026', 'a')") == integers([b"a"])
    assert column(connection, "SELECT keylane_hash('users-2026', 'a')") == integers([b"a"])
