"""What keylane costs in DataFusion from Python, beside the identity and DataFusion's own hashes: CPU time of the process.

    python3 bench_datafusion.py [--record FOLDER]

Answers are compared before anything is timed. Every query reduces its column to the greatest value. The identity is a
function in Python that gives back what it gets: it costs what the way through Python costs.
"""

import argparse
import time

import datafusion
import numpy as np
import pyarrow as pa

import keylane
import keylane.datafusion
import recording

KEY = bytes(range(16))
COUNT = 2_000_000
BATCH = 8192
ROUNDS = 7


def table():
    numbers = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, COUNT)
    text = pa.array([f"{number & 0xFFFF_FFFF_FFFF_FFFF:020d}"[-4 - index % 17 :] for index, number in enumerate(numbers.tolist())])
    return pa.table({"i": numbers, "s": text.cast(pa.string_view())})


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--record")
    arguments = arguments.parse_args()

    keylane.keys.load("bench", KEY)
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    keylane.datafusion.register(context)
    data = table()
    context.register_record_batches("t", [data.to_batches(max_chunksize=BATCH)])
    for name, kind in (("same_i", pa.int64()), ("same_s", pa.string_view())):
        context.register_udf(datafusion.udf(lambda column: column, [kind], kind, "immutable", name))

    def query(text):
        df = context.sql(f"SELECT max(x) AS x FROM (SELECT {text} AS x FROM t)")
        return lambda: df.collect()

    def columns(column):
        df = keylane.datafusion.hash_columns(context.table("t"), {"x": (column, "bench")})
        df = df.select("x").aggregate([], [datafusion.functions.max(datafusion.col("x")).alias("x")])
        return lambda: df.collect()

    found = []
    for case, column, kind in (("int64", "i", "int64"), ("text of 4 to 20 bytes", "s", "text")):
        right = max(keylane.hash_column(data[column], KEY).to_pylist())
        hashed = "s" if column == "s" else "CAST(i AS TEXT)"
        calls = {
            "the query without a function": query(column),
            "identity in Python": query(f"same_{column}({column})"),
            "hash_columns": columns(column),
            f"keylane_hash_{kind}": query(f"keylane_hash_{kind}('bench', {column})"),
            "md5 (no key)": query(f"md5({hashed})"),
            "sha256 (no key)": query(f"sha256({hashed})"),
            "sha256 of a key and the value": query(f"sha256('{KEY.hex()}' || {hashed})"),
        }
        for name in ("hash_columns", f"keylane_hash_{kind}"):
            assert calls[name]()[0]["x"][0].as_py() == right, name
        least = dict.fromkeys(calls, float("inf"))
        for _ in range(ROUNDS):
            for name, call in calls.items():
                start = time.process_time_ns()
                call()
                least[name] = min(least[name], (time.process_time_ns() - start) / COUNT)
        for name, nanoseconds in least.items():
            found.append((case, name, "value", nanoseconds))
            print(f"{case:24} {name:32} {nanoseconds:10.2f} ns a value", flush=True)
    if arguments.record:
        method = [
            f"{COUNT} rows in memory in batches of {BATCH}, one partition; CPU time of the process, the least of {ROUNDS}",
            "rounds in which the queries take turns",
        ]
        recording.write(arguments.record, found, [], ["datafusion", "pyarrow", "numpy"], method)


main()
