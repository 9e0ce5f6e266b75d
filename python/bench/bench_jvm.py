"""Figures of the Java library beside other libraries, by the JMH benchmarks of java/bench.

    (cd java && mvn package -DskipTests)
    python3 bench_jvm.py [--results FILE.json...] [--cpu CPU] [--record FOLDER]

Each figure is the least of the iterations of a benchmark. JMH runs first, for three minutes, unless the results of its
own runs (`-rf json`) are given. `table.py` writes docs/JVM.md's tables from the record.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import tempfile

import recording

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = {
    "chain": "hash(long), each the tag of the one before",
    "oneByOne": "hash(long), one by one",
    "batch": "hashLongs",
    "batchVector": "hashLongs with keylane-vector",
    "guava24": "Guava, SipHash-2-4",
    "clock": "two cycles",
}
MESSAGES = {
    "keylane13": "SipHash-1-3",
    "keylane24": "SipHash-2-4",
    "keylane24x128": "SipHash-2-4 of 128 bits",
    "keylane24Text": "SipHash-2-4 of a String",
    "keylane24TextByArray": "SipHash-2-4 of String.getBytes",
    "guava24": "Guava, SipHash-2-4",
    "bouncyCastle24": "Bouncy Castle, SipHash-2-4",
    "whitfin24": "io.whitfin siphash, SipHash-2-4",
    "hmacSha256": "Mac, HmacSHA256",
}


def classpath():
    bench = ROOT / "java" / "bench" / "target"
    return f"{bench / 'classes'}:{(bench / 'classpath').read_text().strip()}"


def run_jmh():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "results.json"
        command = ["java", "-cp", classpath(), "org.openjdk.jmh.Main", "-rf", "json", "-rff", str(file)]
        subprocess.run(command, check=True)
        return json.loads(file.read_text())


def least(result):
    return min(min(fork) for fork in result["primaryMetric"]["rawData"])


def rust_cycles(cpu, rounds):
    """Cycles of keylane in Rust for 8 bytes, each a part of the tag before: the least of the records of a CPU."""
    found = []
    for path in (ROOT / "bench" / "record" / cpu).glob("*/siphash-one.csv"):
        with open(path, newline="", encoding="ascii") as file:
            for row in csv.DictReader(file):
                if (row["rounds"], row["table"], row["cell"], row["engine"]) == (
                    rounds,
                    "constant length, dependent calls",
                    "8",
                    "keylane",
                ):
                    found.append(float(row["cycles_median"]))
    return min(found)


def versions():
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()
    jars = re.findall(r"/((?:guava|bcprov-jdk18on|siphash|jmh-core)-[0-9][^/:]*)\.jar", classpath())
    return [java[0], java[-1], *sorted(set(jars))]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--results", nargs="*", default=[])
    arguments.add_argument("--cpu", default="zen4", help="whose records of Rust are taken: a folder of bench/record")
    arguments.add_argument("--record")
    arguments = arguments.parse_args()
    given = [json.loads(pathlib.Path(path).read_text()) for path in arguments.results]
    results = [result for file in given or [run_jmh()] for result in file]
    numbers, messages = {}, {}
    for result in results:
        name, parameters = result["benchmark"].rsplit(".", 1)[1], result["params"]
        if "length" in parameters:
            messages[int(parameters["length"]), name] = least(result)
        else:
            numbers[int(parameters["c"]), name] = least(result)
    calls = []
    for c, case in ((1, "a long, 1-3"), (2, "a long, 2-4")):
        names = [name for name in NUMBERS if name != "clock" and (c == 2 or name != "guava24")]
        calls += [(case, NUMBERS[name], "long", numbers[c, name]) for name in names]
    for length in sorted({length for length, _ in messages}):
        calls += [(f"{length} bytes", MESSAGES[name], "message", messages[length, name]) for name in MESSAGES]
    targets = []
    for c, rounds in ((1, "1-3"), (2, "2-4")):
        cycle = min(numbers[1, "clock"], numbers[2, "clock"]) / 2
        ratio = numbers[c, "chain"] / cycle / rust_cycles(arguments.cpu, rounds)
        targets.append((f"a long in a chain, {rounds}, cycles to those of Rust, at most", ratio, 1.2, ratio <= 1.2))
    for length in (8, 16, 32, 64):
        ratio = messages[length, "guava24"] / messages[length, "keylane24"]
        targets.append((f"2-4 of {length} bytes, to Guava, times as fast", ratio, 2.0, ratio >= 2))
    for c, rounds in ((1, "1-3"), (2, "2-4")):
        ratio = numbers[c, "oneByOne"] / numbers[c, "batch"]
        targets.append((f"hashLongs, {rounds}, to one by one, times as fast", ratio, 1.5, ratio >= 1.5))
    for case, name, unit, nanoseconds in calls:
        print(f"{case:14} {name:44} {nanoseconds:10.2f} ns a {unit}")
    for what, ratio, limit, met in targets:
        print(f"{what:60} {ratio:8.3f}   target {limit:5.2f}   {'met' if met else 'missed'}")
    if arguments.record:
        method = [
            "JMH: one fork, 2 iterations of 400 ms to warm up (keylane-vector 8), 16 of 50 ms to measure; the least of the 16;",
            f"a cycle is {min(numbers[1, 'clock'], numbers[2, 'clock']) / 2:.4f} ns, by a chain of xors and rotations;",
            f"Rust: the least of the records of {arguments.cpu}, siphash-one, dependent calls, 8 bytes: "
            + ", ".join(f"{rust_cycles(arguments.cpu, rounds)} cycles for {rounds}" for rounds in ("1-3", "2-4")),
            "python3 python/bench/bench_jvm.py --record bench/record/CPU/DATE/jvm",
        ]
        recording.write(arguments.record, calls, targets, [], method, versions())


main()
