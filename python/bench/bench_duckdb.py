"""Figures of keylane in DuckDB beside DuckDB's own functions and chDB, in one run: CPU time of the process.

    python3 bench_duckdb.py --library FILE --extension FILE [--record FOLDER]

FILE is keylane's C library, whose batch calls the functions are compared with, and the extension. Answers are compared
before anything is timed. Every query reduces its column to the greatest value, and so does the query without a function.
`table.py` writes docs/DUCKDB.md's tables from the record.
"""

import argparse
import ctypes
import time

import chdb
import duckdb
import numpy as np
import pyarrow as pa

import keylane
import keylane.duckdb
import recording

KEY = bytes(range(16))
COUNT = 1_000_000
ROUNDS = 7

rows = []


def measure(case, calls, values=COUNT, rounds=ROUNDS):
    """The least time of each call, in turn, so that a slow moment of the machine meets all of them."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time_ns()
            call()
            least[name] = min(least[name], (time.process_time_ns() - start) / values)
    for name, nanoseconds in least.items():
        rows.append((case, name, "value", nanoseconds))
        print(f"{case:28} {name:44} {nanoseconds:10.3f} ns a value", flush=True)


class Batch:
    """The batch calls of the C library, under siphash-1-3-64."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.state = ctypes.create_string_buffer(256)
        # The state must be aligned as in C.
        self.h = ctypes.c_void_p((ctypes.addressof(self.state) + 63) // 64 * 64)
        assert self.library.keylane_siphash_init(self.h, 1, 3, 64, KEY) == 0
        self.tags = np.zeros(COUNT, "u8")

    def call(self, name, *arguments):
        function = getattr(self.library, f"keylane_siphash_hash64_{name}")
        sized = [ctypes.c_size_t(x) if isinstance(x, int) else x for x in arguments]
        places = (ctypes.c_size_t(COUNT), ctypes.c_void_p(self.tags.ctypes.data))

        def run():
            assert function(self.h, *sized, *places) == 0

        run()
        return run


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--library", required=True)
    arguments.add_argument("--extension", required=True)
    arguments.add_argument("--record")
    arguments = arguments.parse_args()

    keylane.keys.load("bench", KEY)
    table = (
        "CREATE TABLE t AS SELECT (hash(i)::HUGEINT - 9223372036854775808)::BIGINT i, "
        f"substr(md5(i::VARCHAR), 1, 4 + (i % 17)::INTEGER) s FROM range({COUNT}) r(i)"
    )
    fast = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1})
    fast.execute(f"LOAD '{arguments.extension}'")
    assert ctypes.CDLL(arguments.extension).keylane_duckdb_bind(b"bench", KEY) == 0
    arrow = duckdb.connect(config={"threads": 1})
    keylane.duckdb.register(arrow)
    for connection in (fast, arrow):
        connection.execute(table)

    def query(connection, function):
        return lambda: connection.execute(f"SELECT max({function}) FROM t").fetchall()

    columns = fast.execute("SELECT i, s FROM t").fetchnumpy()
    ids = columns["i"].astype("i8")
    views = pa.array(columns["s"].tolist(), pa.string_view())
    key = keylane.Key(KEY)
    for column, values in (("i", ids), ("s", views)):
        tags = keylane.hash_column(values[:99], key)
        for connection in (fast, arrow):
            found = connection.execute(f"SELECT keylane_hash('bench', {column}) FROM t LIMIT 99").fetchall()
            assert [tag for (tag,) in found] == list(tags.to_pylist() if column == "s" else tags)

    batch = Batch(arguments.library)
    _, held, *blocks = views.buffers()

    class Block(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    parts = (Block * len(blocks))(*[Block(block.address, block.size) for block in blocks])
    direct = {
        "i": ("C library, hash_u64s", batch.call("u64s", ctypes.c_void_p(ids.ctypes.data))),
        "s": ("C library, hash_views", batch.call("views", ctypes.c_void_p(held.address), parts, len(blocks), 0)),
    }
    for case, column, plain in (("int64", "i", "i"), ("text of 4 to 20 bytes", "s", "strlen(s)")):
        calls = dict([direct[column]])
        calls["the query without a function"] = query(fast, plain)
        calls["keylane_hash, extension"] = query(fast, f"keylane_hash('bench', {column})")
        calls["keylane_pseudonym, extension"] = query(fast, f"keylane_pseudonym('bench', {column})")
        calls["keylane_hash_rows, extension"] = query(fast, f"keylane_hash_rows('bench', {column})")
        calls["keylane_hash, register"] = query(arrow, f"keylane_hash('bench', {column})")
        calls["hash (no key)"] = query(fast, f"hash({column})")
        if column == "s":
            calls["sha256 (no key)"] = query(fast, "sha256(s)")
            calls["sha256 of a key and the value"] = query(fast, f"sha256('{KEY.hex()}' || s)")
        else:
            calls["sha256 of the digits (no key)"] = query(fast, "sha256(i::VARCHAR)")
            calls["sha256 of a key and the digits"] = query(fast, f"sha256('{KEY.hex()}' || i::VARCHAR)")
        measure(case, calls)

    # chDB works in threads of its own, so its figure is the time of the whole process.
    words = [int.from_bytes(KEY[at : at + 8], "little") for at in (0, 8)]
    given = f"({', '.join(f'toUInt64({word})' for word in words)})"
    setting = " SETTINGS max_threads = 1"
    calls = {
        "chDB, sipHash64Keyed (2-4), int64": f"SELECT max(sipHash64Keyed({given}, number)) FROM numbers({COUNT})",
        "chDB, the query without it": f"SELECT max(number) FROM numbers({COUNT})",
    }
    measure("int64 in chDB", {name: (lambda text=text: chdb.query(text + setting)) for name, text in calls.items()}, rounds=5)

    targets = judge()
    if arguments.record:
        method = [
            f"{COUNT} rows in memory, one thread; CPU time of the process, the least of {ROUNDS} rounds in which the",
            "queries take turns; chDB: the least of 5",
        ]
        recording.write(arguments.record, rows, targets, ["duckdb", "pyarrow", "numpy", "chdb"], method)


def judge():
    """The targets: each is a ratio of figures of this run."""
    figure = {(case, name): nanoseconds for case, name, _, nanoseconds in rows}
    found = []
    for case, call, sha in (
        ("int64", "C library, hash_u64s", "sha256 of a key and the digits"),
        ("text of 4 to 20 bytes", "C library, hash_views", "sha256 of a key and the value"),
    ):
        ours, scan = figure[case, "keylane_hash, extension"], figure[case, "the query without a function"]
        ratio = (ours - scan) / figure[case, call]
        found.append((f"{case}: extension less the scan to the batch call, at most", ratio, 1.5, ratio <= 1.5))
        ratio = figure[case, sha] / ours
        found.append((f"{case}: sha256 with a key, times keylane_hash", ratio, 10.0, ratio >= 10))
    print()
    for what, ratio, limit, met in found:
        print(f"{what:72} {ratio:8.2f}   target {limit:5.1f}   {'met' if met else 'missed'}")
    return found


main()
