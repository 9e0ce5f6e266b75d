#!/usr/bin/env python3
"""Measures two Redis servers of one source tree: as it is, and with keylane's siphash.c.

    served.py SOURCES [--rounds N] [--record FOLDER]

SOURCES is an unpacked Redis tree (try.sh says how to get one). It stays unchanged. Both servers are built below
target/redis, once. Each round measures both servers, in one order and then in the other:

* `redis-server test dict`: 1,000,000 keys in Redis' own table, in milliseconds for each of its steps;
* SET of 1,000,000 records under fresh random keys, and GET of random keys that are all there, through redis-benchmark
  with 16 commands in a packet: nanoseconds of the server's processor time for each command, and of wall time.

A figure is the mean of the rounds, as in the study that asked for it. The ratio is the median of the rounds' ratios.
With --record, FOLDER gets served.csv, compare.csv (of try.sh) and machine.txt.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python" / "bench"))
import recording

SIDES = ("redis", "keylane")
RECORDS = 1_000_000


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True, **options)


def version(sources):
    return re.search(r'"(.*)"', (sources / "src/version.h").read_text()).group(1)


def build(sources, side):
    """Builds a server with its tests, if that has not been done, and returns its folder."""
    folder = ROOT / "target/redis" / f"{version(sources)}-{side}"
    if side == "keylane":
        ours = {"siphash.c": HERE, "keylane_inline.h": ROOT / "crates/keylane-capi/include"}
    else:
        ours = {}
    server = folder / "src/redis-server"
    fresh = server.exists() and all((place / name).stat().st_mtime < server.stat().st_mtime for name, place in ours.items())
    if not fresh:
        print(f"building {folder.relative_to(ROOT)}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sources, folder, symlinks=True)
        for name, place in ours.items():
            shutil.copy(place / name, folder / "src" / name)
        with open(folder / "build.log", "w", encoding="utf-8") as log:
            run("make", "-C", folder, "distclean", stdout=log, stderr=log)
            run("make", "-C", folder, f"-j{os.cpu_count()}", "CFLAGS=-DREDIS_TEST", stdout=log, stderr=log)
    return folder / "src"


def table_test(binaries):
    """The milliseconds of each step of `redis-server test dict`."""
    output = run(binaries / "redis-server", "test", "dict", RECORDS, capture_output=True).stdout
    steps = re.findall(r"^(.+): \d+ items in (\d+) ms$", output, re.MULTILINE)
    if not steps:
        sys.exit("redis-server test dict printed no times")
    return {("Redis' table, 1,000,000 keys, ms", step): float(time) for step, time in steps}


class Server:
    """A server on loopback, without persistence, which ends with the block."""

    def __init__(self, binaries):
        self.binaries = binaries

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        options = ["--port", self.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", self.folder.name]
        command = [self.binaries / "redis-server", *options]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        for _ in range(100):
            answer = subprocess.run(self.client("ping"), capture_output=True, text=True, check=False).stdout
            if answer.strip() == "PONG":
                return self
            time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def client(self, *words):
        return [str(word) for word in (self.binaries / "redis-cli", "-p", self.port, *words)]

    def processor(self):
        """Seconds of the server's main thread in its own code and in the kernel."""
        info = run(*self.client("info", "cpu"), capture_output=True).stdout
        seconds = dict(re.findall(r"(used_cpu_\w+_main_thread):([0-9.]+)", info))
        return float(seconds["used_cpu_user_main_thread"]), float(seconds["used_cpu_sys_main_thread"])

    def load(self, test, keys):
        """One run of redis-benchmark: nanoseconds for each command, by kind of time."""
        before, start = self.processor(), time.monotonic()
        command = [self.binaries / "redis-benchmark", "-p", self.port, "-q", "-t", test, "-n", RECORDS]
        run(*command, "-r", keys, "-P", "16", "-d", "32", stdout=subprocess.DEVNULL)
        wall, after = time.monotonic() - start, self.processor()
        user, system = (1e9 * (now - then) / RECORDS for then, now in zip(before, after, strict=True))
        return {"server, own code": user, "server, with the kernel": user + system, "wall time": 1e9 * wall / RECORDS}

    def expect_about(self, keys):
        """Fails unless the server has this many keys, less one in a hundred."""
        size = int(run(*self.client("dbsize"), capture_output=True).stdout)
        if not 0.99 * keys <= size <= keys:
            raise RuntimeError(f"{size} keys, not {keys}")

    def fill(self):
        """All the keys that redis-benchmark can ask for with -r RECORDS."""
        lines = "".join(f"SET key:{i:012} {'x' * 32}\r\n" for i in range(RECORDS))
        run(*self.client("--pipe"), input=lines, stdout=subprocess.DEVNULL)


def served(binaries):
    """The figures of a server."""
    found = {}
    with Server(binaries) as server:
        for kind, figure in server.load("set", 2_000_000_000).items():
            found["SET of fresh random keys, ns a command", kind] = figure
        server.expect_about(RECORDS)
        run(*server.client("flushall"), stdout=subprocess.DEVNULL)
        server.fill()
        server.expect_about(RECORDS)
        for kind, figure in server.load("get", RECORDS).items():
            found["GET of random keys, ns a command", kind] = figure
    return found


def measure(folders, rounds):
    """Lists of figures, one of each round: {what: {side: [figure]}}."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for turn in range(rounds):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            for what, figure in {**table_test(folders[side]), **served(folders[side])}.items():
                found[what][side].append(figure)
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return found


def rows(found):
    """(group, row, column, figure)."""
    for (group, row), sides in found.items():
        for side in SIDES:
            yield group, row, side, f"{statistics.mean(sides[side]):.1f}"
        ratios = [ours / theirs for theirs, ours in zip(*(sides[side] for side in SIDES), strict=True) if theirs]
        if ratios:
            yield group, row, "keylane / redis", f"{statistics.median(ratios):.3f}"
            yield group, row, "least", f"{min(ratios):.3f}"
            yield group, row, "most", f"{max(ratios):.3f}"


def compared(sources):
    """(group, row, column, figure) of try.sh: cycles a key of the functions alone."""
    text = run(HERE / "try.sh", sources, "none", capture_output=True).stdout
    group, seen = "", False
    for line in text.splitlines():
        words = line.replace(".. ", "..").split()
        if line.endswith("cycles a key") or "cycles a key:" in line:
            group, seen = line, True
        elif seen and words and words[0] == "length":
            many = words[1] == "keys"
            columns = words[2:] if many else words[1:]
            kind, heads = "", []
            for column in columns:
                kind = column if column in ("redis", "nocase") else kind
                heads.append(column if kind == "redis" else f"nocase, {'redis' if column == 'nocase' else column}")
        elif seen and words:
            row = f"{words[0]} bytes, {words[1]} keys" if many else f"{words[0]} bytes"
            mixed = not many and ".." in words[0]
            for head, figure in zip(heads, words[2 if many else 1 :], strict=True):
                yield f"{group}, mixed lengths" if mixed else group, row, head, figure


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sources", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    options = arguments.parse_args()
    sources = options.sources.resolve()
    if not (sources / "src/siphash.c").is_file():
        arguments.error(f"{options.sources} is no Redis source tree")
    folders = {side: build(sources, side) for side in SIDES}
    lines = list(rows(measure(folders, options.rounds)))
    for line in lines:
        print(*line, sep=" | ")
    if options.record:
        heads = ["group", "row", "column", "figure"]
        recording.table(options.record, "served.csv", heads, lines)
        recording.table(options.record, "compare.csv", heads, compared(sources))
        compiler = run("cc", "--version", capture_output=True).stdout.splitlines()[0]
        method = [f"contrib/redis/served.py SOURCES --rounds {options.rounds} --record FOLDER"]
        recording.machine(options.record, [f"Redis {version(sources)}", compiler], method)


main()
