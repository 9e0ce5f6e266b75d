"""DuckDB: functions over Arrow, compared with the reference in plain Python."""

import base64
import concurrent.futures
import json

import duckdb
import pytest
from conftest import KCE1, RAW, ROOT, _load, integer_tags

import keylane
import keylane.duckdb

VERSION = tuple(int(part) for part in duckdb.__version__.split(".")[:2])
TABLES = _load(ROOT / "crates" / "keylane-duckdb" / "tests" / "tables.py")
TYPES = {**TABLES.PLAIN, **TABLES.NESTED}


@pytest.fixture(autouse=True)
def users():
    return keylane.keys.load("users-2026", RAW)


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        keylane.duckdb.register(connection)
        yield connection


def column(connection, query):
    return [row[0] for row in connection.execute(query).fetchall()]


@pytest.mark.parametrize("seed", [1, 2])
def test_random_tables(connection, seed):
    columns = TABLES.make(connection, TYPES, 250, seed)
    for name in TABLES.PLAIN:
        messages = KCE1.plain(columns[name])
        assert column(connection, f"SELECT keylane_hash('users-2026', {name}) FROM t") == integer_tags(messages), name
        wide = [None if m is None else KCE1.siphash(RAW, m, 2, 4, 128) for m in messages]
        assert column(connection, f"SELECT keylane_hash128('users-2026', {name}) FROM t") == wide, name
        digits = [None if tag is None else tag.hex() for tag in wide]
        assert column(connection, f"SELECT keylane_pseudonym('users-2026', {name}) FROM t") == digits, name
    key = KCE1.row_key(RAW)
    groups = [[name] for name in TYPES] + [["i32", "s", "st"], ["l", "f64", "e", "x"], list(TYPES)]
    for group in groups:
        found = column(connection, f"SELECT keylane_hash_rows('users-2026', {', '.join(group)}) FROM t")
        assert found == integer_tags(KCE1.rows([columns[name] for name in group]), key=key), group


def test_contexts(connection):
    subkey = KCE1.derive(RAW, "users.email/2")
    tag = column(connection, "SELECT keylane_hash('users-2026/users.email/2', 'a')")
    assert tag == integer_tags([b"a"], key=subkey)


def test_many_rows(connection):
    query = "SELECT sum(hash(i, keylane_hash('users-2026', i))) FROM range(10000) r(i) WHERE i % 3 = 0"
    assert column(connection, query) == column(connection, query)
    found = column(connection, "SELECT keylane_hash('users-2026', i) FROM range(5000) r(i) WHERE i % 3 = 0")
    assert found == integer_tags([i.to_bytes(8, "little") for i in range(0, 5000, 3)])
    assert column(connection, "SELECT keylane_hash('users-2026', i) FROM range(10) r(i) WHERE i > 20") == []
    if VERSION >= (1, 2):
        assert column(connection, "SELECT keylane_hash('users-2026', NULL)") == [None]


def test_uuids_with_all_of_their_type(connection):
    query = "SELECT keylane_hash('users-2026', '00112233-4455-6677-8899-aabbccddeeff'::UUID)"
    assert column(connection, query) == integer_tags([b"00112233-4455-6677-8899-aabbccddeeff"])
    connection.execute("SET arrow_lossless_conversion = true")
    assert column(connection, query) == integer_tags([bytes.fromhex("00112233445566778899aabbccddeeff")])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("keylane_hash('nobody', 1)", 'no key is loaded under the name "nobody"'),
        ("keylane_hash('users-2026/', 1)", "a context has 1 to 255 bytes"),
        ("keylane_hash('users-2026/KCE-1 row', 1)", "reserved"),
        ("keylane_hash(7, 1)", "name of a key, as text"),
        ("keylane_hash(NULL, 1)", "null|NULL"),
        ("keylane_hash(NULL::VARCHAR, i)", "null"),
        ("keylane_hash(CASE i WHEN 1 THEN 'users-2026' ELSE 'other' END, i)", "one constant"),
        ("keylane_hash('users-2026', [i])", "is not hashed"),
        ("keylane_hash('users-2026', INTERVAL 1 DAY)", "is not hashed"),
        ("keylane_hash_rows('users-2026', i, MAP {'a': i})", "is not hashed"),
        ("keylane_hash_rows('users-2026')", "at least one column"),
    ],
)
def test_errors(connection, call, text):
    with pytest.raises(duckdb.Error, match=text):
        connection.execute(f"SELECT {call} FROM range(3) r(i)").fetchall()


def forms(raw):
    """Bytes in every form in which they could stand in text or in bytes."""
    yield from (raw, raw.hex().encode(), raw.hex().upper().encode(), base64.b64encode(raw), repr(raw).encode())
    yield from (separator.join(str(byte) for byte in raw).encode() for separator in (",", ", "))


@pytest.mark.parametrize("text", [RAW.hex(), RAW.hex().upper(), base64.b64encode(RAW).decode(), f"users/{RAW.hex()}"])
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
    with duckdb.connect(path) as connection:
        keylane.duckdb.register(connection)
        connection.execute("CREATE TABLE t AS SELECT i, 'u' || i s FROM range(5000) r(i)")
        connection.execute(f"CREATE TABLE tags AS {query}")
        connection.execute(f"CREATE VIEW later AS {query}")
        connection.execute(f"PRAGMA enable_profiling='json'; PRAGMA profiling_output='{profile}'")
        connection.execute(query).fetchall()
        connection.execute("PRAGMA disable_profiling")
        written = [str(connection.execute(f"{explain} {query}").fetchall()) for explain in ("EXPLAIN", "EXPLAIN ANALYZE")]
        written.append(str(connection.execute("SELECT * FROM duckdb_functions() WHERE function_name LIKE 'keylane%'").fetchall()))
        with pytest.raises(duckdb.Error) as caught:
            connection.execute("SELECT keylane_hash('users-2026', [i]) FROM t").fetchall()
        written.append(str(caught.value) + repr(caught.value))
        connection.execute("CHECKPOINT")
    written = [text.encode() for text in written] + [file.read_bytes() for file in tmp_path.iterdir()]
    assert any(b"users-2026" in text for text in written)
    subkeys = [KCE1.derive(RAW, "users.email"), KCE1.row_key(RAW)]
    for raw in [RAW, *subkeys]:
        for form in forms(raw):
            assert not any(form in text for text in written)
    assert json.loads(profile.read_text())


def test_threads(connection):
    connection.execute("CREATE TABLE big AS SELECT i FROM range(200000) r(i)")
    query = "SELECT sum(keylane_hash('users-2026', i)::HUGEINT), min(keylane_hash('users-2026', i)) FROM big"
    expected = connection.execute(query).fetchall()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = [pool.submit(lambda: connection.cursor().execute(query).fetchall()) for _ in range(8)]
        assert all(each.result() == expected for each in done)


def test_the_same_as_other_engines(connection):
    polars = pytest.importorskip("polars")
    import keylane.polars  # noqa: F401

    connection.execute("CREATE TABLE t AS SELECT i, 'u' || i s FROM range(100) r(i)")
    frame = polars.DataFrame({"s": [f"u{i}" for i in range(100)]})
    tags = frame.select(polars.col("s").keylane.pseudonymize("users-2026", context="users.email"))["s"].to_list()
    assert column(connection, "SELECT keylane_pseudonym('users-2026/users.email', s) FROM t ORDER BY i") == tags
