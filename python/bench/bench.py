"""Figures of the Python package beside others, in one run: CPU time of the process, the least of many repeats.

    POLARS_MAX_THREADS=1 python3 bench.py --library FILE [--record FOLDER]

FILE is keylane's C library: its batch calls, into memory that is there, are the ones that columns are compared with.
Every function's answers are compared with keylane's before it is timed, unless it computes something else. `table.py` writes docs/PYTHON.md's tables from the record.
"""

import argparse
import ctypes
import hashlib
import hmac
import random
import sys
import time
import warnings

import chdb
import csiphash
import numpy as np
import pandas as pd
import polars as pl
import polars_hash
import pyarrow as pa
import siphash24
import siphashc
from cryptography.hazmat.primitives.poly1305 import Poly1305

import keylane
import keylane.polars
import recording

KEY = bytes(range(16))
COUNT = 100_000
ROUNDS = 15

rows = []


class Case:
    """What one group of calls has in common: the number of values that each of them hashes."""

    def __init__(self, name, values, unit="value"):
        self.name, self.values, self.unit, self.calls = name, values, unit, []

    def add(self, name, call, many=1):
        self.calls.append((name, call, many))

    def run(self):
        least = dict.fromkeys((name for name, _, _ in self.calls), float("inf"))
        # In turn, so that a slow moment of the machine meets all of them.
        for _ in range(ROUNDS):
            for name, call, many in self.calls:
                start = time.process_time_ns()
                for _ in range(many):
                    call()
                least[name] = min(least[name], (time.process_time_ns() - start) / (self.values * many))
        for name, nanoseconds in least.items():
            rows.append((self.name, name, self.unit, nanoseconds))
            print(f"{self.name:34} {name:44} {nanoseconds:10.3f} ns a {self.unit}", flush=True)


class Batch:
    """The batch calls of the C library."""

    def __init__(self, path, c, d):
        self.library = ctypes.CDLL(path)
        self.state = ctypes.create_string_buffer(256)
        # The state must be aligned as in C.
        self.h = ctypes.c_void_p((ctypes.addressof(self.state) + 63) // 64 * 64)
        assert self.library.keylane_siphash_init(self.h, c, d, 64, KEY) == 0
        self.tags = np.zeros(COUNT, "u8")

    def call(self, name, *arguments):
        function = getattr(self.library, f"keylane_siphash_hash64_{name}")
        sized = [ctypes.c_size_t(x) if isinstance(x, int) else x for x in arguments]
        places = (ctypes.c_size_t(COUNT), ctypes.c_void_p(self.tags.ctypes.data))

        def run():
            assert function(self.h, *sized, *places) == 0

        run()
        return run


def address(buffer):
    return ctypes.c_void_p(buffer.address if hasattr(buffer, "address") else buffer.ctypes.data)


def same(found, expected):
    assert list(found) == list(expected)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--library", required=True)
    arguments.add_argument("--record")
    arguments = arguments.parse_args()
    warnings.simplefilter("ignore")
    key = keylane.Key(KEY)
    keylane.keys.load("bench", key)
    words = [int.from_bytes(KEY[at : at + 8], "little") for at in (0, 8)]
    rng = random.Random(1)

    # The allocator maps large memory anew for each call until some was freed once; a process that works has done so.
    bytearray(30_000_000)
    ids = np.frombuffer(rng.randbytes(8 * COUNT), "i8").copy()
    texts = ["".join(rng.choices("abcdefghij", k=rng.randrange(4, 21))) for _ in range(COUNT)]
    raw = [text.encode() for text in texts]
    offsets = pa.array(texts)
    views = offsets.cast(pa.string_view())
    numbers, strings = pl.DataFrame({"x": ids}), pl.DataFrame({"x": texts})
    threads = pl.thread_pool_size()
    if threads != 1:
        sys.exit("set POLARS_MAX_THREADS=1: the figures are those of one thread")

    for alg, (c, d) in {"siphash-1-3-64": (1, 3), "siphash-2-4-64": (2, 4)}.items():
        batch = Batch(arguments.library, c, d)
        one = keylane.siphash13 if c == 1 else keylane.siphash24
        expression = pl.col("x").keylane.hash("bench", alg)
        # Integers
        case = Case(f"{alg}: int64", COUNT)
        case.add("C library, hash_u64s", batch.call("u64s", address(ids)))
        same(batch.tags[:9], keylane.hash_column(ids[:9], key, alg))
        same(keylane.hash_column(ids[:9], key, alg), [one(key, x.tobytes()) for x in ids[:9]])
        case.add("keylane, NumPy", lambda: keylane.hash_column(ids, key, alg))
        arrow, series = pa.array(ids), pd.Series(ids)
        case.add("keylane, pyarrow", lambda: keylane.hash_column(arrow, key, alg))
        case.add("keylane, pandas", lambda: keylane.hash_column(series, key, alg))
        case.add("keylane, Polars expression", lambda: numbers.select(expression))
        if c == 2:
            few = ids[:5000].tolist()
            pack = [x.to_bytes(8, "little", signed=True) for x in few]
            same([siphashc.siphash(KEY, x) for x in pack[:9]], keylane.hash_column(ids[:9], key, alg))
            same([siphash24.siphash24(x, key=KEY).intdigest() % 2**64 for x in pack[:9]], keylane.hash_column(ids[:9], key, alg))
            slow = Case(f"{alg}: int64, loops", len(few))
            slow.add("siphashc, with to_bytes", lambda: [siphashc.siphash(KEY, x.to_bytes(8, "little", signed=True)) for x in few])
            slow.add("siphashc, of bytes", lambda: [siphashc.siphash(KEY, x) for x in pack])
            slow.add("siphash24", lambda: [siphash24.siphash24(x, key=KEY).intdigest() for x in pack])
            slow.add("csiphash", lambda: [csiphash.siphash24(KEY, x) for x in pack])
            slow.add("hashlib.blake2b, keyed", lambda: [hashlib.blake2b(x, key=KEY, digest_size=8).digest() for x in pack])
            slow.add("hmac.digest, sha256", lambda: [hmac.digest(KEY, x, "sha256") for x in pack])
        case.add("pandas.util.hash_array (no SipHash)", lambda: pd.util.hash_array(ids))
        case.add("Polars .hash (no SipHash)", lambda: numbers.select(pl.col("x").hash()))
        case.run()
        if c == 2:
            slow.run()
        # Text
        case = Case(f"{alg}: text of 4 to 20 bytes", COUNT)
        _, ends, data = offsets.buffers()
        case.add("C library, hash_offsets", batch.call("offsets32", address(data), data.size, address(ends), 0))
        same(batch.tags[:9], [one(key, x) for x in raw[:9]])
        case.add("keylane, pyarrow string", lambda: keylane.hash_column(offsets, key, alg))
        case.run()
        case = Case(f"{alg}: text in views", COUNT)
        _, held, *blocks = views.buffers()

        class Block(ctypes.Structure):
            _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

        table = (Block * len(blocks))(*[Block(block.address, block.size) for block in blocks])
        case.add("C library, hash_views", batch.call("views", address(held), table, len(blocks), 0))
        same(batch.tags[:9], [one(key, x) for x in raw[:9]])
        case.add("keylane, pyarrow string_view", lambda: keylane.hash_column(views, key, alg))
        case.add("keylane, Polars expression", lambda: strings.select(expression))
        case.add("keylane, Polars series", lambda: keylane.hash_column(strings["x"], key, alg))
        case.add("Polars .hash (no SipHash)", lambda: strings.select(pl.col("x").hash()))
        case.add("polars-hash, xxh3 (no SipHash)", lambda: strings.select(pl.col("x").nchash.xxh3_64()))
        case.add("polars-hash, blake3 (no SipHash)", lambda: strings.select(pl.col("x").chash.blake3()))
        case.run()
        if c == 2:
            same([siphashc.siphash(KEY, x) for x in raw[:99]], keylane.hash_many(raw[:99], key))
            case = Case("siphash-2-4-64: a list", COUNT)
            case.add("keylane.hash_many, bytes", lambda: keylane.hash_many(raw, key))
            case.add("keylane.hash_many, str", lambda: keylane.hash_many(texts, key))
            case.add("siphashc, comprehension, bytes", lambda: [siphashc.siphash(KEY, x) for x in raw])
            case.add("siphashc, comprehension, str", lambda: [siphashc.siphash("0123456789abcdef", x) for x in texts])
            case.add("keylane.siphash24, comprehension, bytes", lambda: [keylane.siphash24(key, x) for x in raw])
            case.run()

    # chDB times itself less exactly: a query has its own cost, which the rows of one query share.
    case = Case("siphash-2-4-64: chDB", 5_000_000)
    given = f"({', '.join(f'toUInt64({word})' for word in words)})"
    for name, value in (("int64", "number"), ("text", "concat('text', toString(number))")):
        empty = f"SELECT sum(length(toString({value}))) FROM numbers(5000000)" if name == "text" else "SELECT sum(number) FROM numbers(5000000)"
        full = f"SELECT sum(sipHash64Keyed({given}, {value})) FROM numbers(5000000)"
        setting = " SETTINGS max_threads = 1"
        case.add(f"chDB, sipHash64Keyed, {name}", lambda full=full: chdb.query(full + setting))
        case.add(f"chDB, the same rows without it, {name}", lambda empty=empty: chdb.query(empty + setting))
    query(case)

    message, big = rng.randbytes(16), rng.randbytes(1 << 20)
    loop = 2000
    assert siphashc.siphash(KEY, message) == keylane.siphash24(KEY, message)
    case = Case("one message of 16 bytes", 1, "call")
    case.add("keylane.siphash24, Key", lambda: repeat(keylane.siphash24, key, message, loop))
    case.add("keylane.siphash24, bytes as key", lambda: repeat(keylane.siphash24, KEY, message, loop))
    case.add("siphashc", lambda: repeat(siphashc.siphash, KEY, message, loop))
    case.add("keylane.siphashx24", lambda: repeat(keylane.siphashx24, key, message, loop))
    case.add("csiphash", lambda: repeat(csiphash.siphash24, KEY, message, loop))
    case.values = loop
    case.run()
    one_time = bytes(range(32))
    assert Poly1305.generate_tag(one_time, big) == keylane.poly1305(one_time, big)
    case = Case("Poly1305 of 1 MiB", 1 << 20, "byte")
    case.add("keylane.poly1305", lambda: keylane.poly1305(one_time, big), 4)
    case.add("cryptography", lambda: Poly1305.generate_tag(one_time, big), 4)
    case.run()
    case = Case("Poly1305 of 16 bytes", 2000, "call")
    case.add("keylane.poly1305", lambda: repeat(keylane.poly1305, one_time, message, loop))
    case.add("cryptography", lambda: repeat(Poly1305.generate_tag, one_time, message, loop))
    case.run()
    targets = judge()
    if arguments.record:
        packages = "numpy pandas polars pyarrow siphashc siphash24 csiphash chdb polars-hash cryptography".split()
        method = [
            f"{COUNT} values; CPU time of the process, the least of {ROUNDS} rounds in which the calls take turns;",
            "chDB: CPU time of the process, the least of 5; POLARS_MAX_THREADS=1",
        ]
        recording.write(arguments.record, rows, targets, packages, method)


def repeat(function, key, message, count):
    for _ in range(count):
        function(key, message)


def query(case):
    """chDB works in threads of its own, so this is the time of the whole process."""
    least = {}
    for _ in range(5):
        for name, call, _ in case.calls:
            start = time.process_time_ns()
            call()
            spent = (time.process_time_ns() - start) / case.values
            least[name] = min(least.get(name, spent), spent)
    for name, nanoseconds in least.items():
        rows.append((case.name, name, case.unit, nanoseconds))
        print(f"{case.name:34} {name:44} {nanoseconds:10.3f} ns a {case.unit}", flush=True)


def judge():
    """The targets: each is a ratio of two figures of this run."""
    figure = {(case, name): nanoseconds for case, name, _, nanoseconds in rows}
    found = []

    def target(what, ours, other, limit, smaller):
        ratio = figure[ours] / figure[other] if smaller else figure[other] / figure[ours]
        met = ratio <= limit if smaller else ratio >= limit
        found.append((what, ratio, limit, met))

    for alg in ("siphash-1-3-64", "siphash-2-4-64"):
        ints, text, held = f"{alg}: int64", f"{alg}: text of 4 to 20 bytes", f"{alg}: text in views"
        target(f"{alg}: NumPy int64 to the batch call, at most", (ints, "keylane, NumPy"), (ints, "C library, hash_u64s"), 1.3, True)
        target(f"{alg}: pyarrow string to the batch call, at most", (text, "keylane, pyarrow string"), (text, "C library, hash_offsets"), 1.3, True)
        target(f"{alg}: Polars text to hash_views, at most", (held, "keylane, Polars expression"), (held, "C library, hash_views"), 1.3, True)
    ints, held = "siphash-2-4-64: int64", "siphash-2-4-64: text of 4 to 20 bytes"
    listed, chunk = "siphash-2-4-64: a list", "siphash-2-4-64: chDB"
    target("ints, times siphashc's comprehension", (ints, "keylane, NumPy"), ("siphash-2-4-64: int64, loops", "siphashc, with to_bytes"), 40, False)
    target("text, times siphashc's comprehension", (held, "keylane, pyarrow string"), (listed, "siphashc, comprehension, bytes"), 10, False)
    for name, ours in (("int64", (ints, "keylane, NumPy")), ("text", (held, "keylane, pyarrow string"))):
        net = figure[chunk, f"chDB, sipHash64Keyed, {name}"] - figure[chunk, f"chDB, the same rows without it, {name}"]
        figure[chunk, name] = max(net, 0)
        target(f"{name}, times chDB's query", ours, (chunk, f"chDB, sipHash64Keyed, {name}"), 8, False)
        target(f"{name}, times chDB's query less the same without it", ours, (chunk, name), 8, False)
    single = "one message of 16 bytes"
    target("one message a call to siphashc, at most", (single, "keylane.siphash24, bytes as key"), (single, "siphashc"), 1.0, True)
    big = "Poly1305 of 1 MiB"
    target("Poly1305 of 1 MiB, times cryptography", (big, "keylane.poly1305"), (big, "cryptography"), 1.5, False)
    target("hash_many of bytes, times the comprehension", (listed, "keylane.hash_many, bytes"), (listed, "siphashc, comprehension, bytes"), 2, False)
    print()
    for what, ratio, limit, met in found:
        print(f"{what:58} {ratio:8.2f}   target {limit:5.1f}   {'met' if met else 'missed'}")
    return found


if __name__ == "__main__":
    del polars_hash  # its import adds the expressions
    main()
