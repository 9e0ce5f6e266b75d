"""`keylane column` beside other programs that hash columns of files: CPU time of the process, the least of some runs.

    python3 bench.py --keylane PROGRAM --folder FOLDER [--rows N] [--runs N] [--memory FILE] [--record FOLDER]

PROGRAM is `keylane`, built with the feature `column`. FOLDER gets the files and needs 300 bytes a row; in memory (tmpfs)
it costs no disk. FILE is what `cargo bench -p keylane-files --features ipc,parquet -- --csv FILE` wrote: the same work
in memory, beside copies by the same libraries. The record gets both. `cargo xtask tables` writes docs/COLUMN_COMMAND.md's
tables from it.

All programs use one thread. Where one has SipHash with a key, its tags are compared with keylane's before it is timed.
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

os.environ["POLARS_MAX_THREADS"] = "1"

import chdb
import duckdb
import numpy as np
import polars as pl
import polars_hash  # its import adds the expressions
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "bench"))
import recording

KEY = bytes(range(16))
WORDS = "(" + ", ".join(f"toUInt64({int.from_bytes(KEY[at : at + 8], 'little')})" for at in (0, 8)) + ")"
WORKS = {"copy": [], "int64": ["id"], "text": ["name"], "dictionary": ["city"], "all three": ["id", "name", "city"]}
PACKAGES = ["chdb", "duckdb", "polars", "polars-hash", "pyarrow", "numpy"]


def table(rows):
    """An int64, a text of 4 to 20 bytes, one of a dictionary of 1000, and a float64."""
    random = np.random.default_rng(1)
    ids = random.integers(-(2**63), 2**63 - 1, rows, dtype="i8")
    lengths = random.integers(4, 21, rows, dtype="i4")
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("i4")
    letters = np.frombuffer(b"0123456789abcdef", "u1")[random.integers(0, 16, offsets[-1], dtype="u1")]
    names = pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(letters.tobytes()))
    cities = pa.array([f"city {number}" for number in range(1000)])
    cities = pa.DictionaryArray.from_arrays(random.integers(0, 1000, rows, dtype="i4"), cities)
    amounts = pa.array((np.arange(rows) % 10_007) / 100)
    return pa.table({"id": ids, "name": names, "city": cities, "amount": amounts})


def write(data, folder):
    plain = data.set_column(2, "city", data["city"].cast(pa.string()))
    options = pyarrow.csv.WriteOptions(quoting_style="needed")
    pyarrow.csv.write_csv(plain, folder / "data.csv", options)
    pyarrow.parquet.write_table(data, folder / "data.parquet", compression="snappy", row_group_size=1_000_000)
    with pyarrow.ipc.new_file(folder / "data.arrow", data.schema) as file:
        file.write_table(data, max_chunksize=100_000)


class Program:
    """One way to do a work on a file. `run(format, columns)` writes `out.FORMAT`."""

    def __init__(self, name, formats, run, works=tuple(WORKS)):
        self.name, self.formats, self.run, self.works = name, formats, run, works


def spent(work):
    """The seconds of the processor that the work takes, here and in programs that it starts."""
    before = [time.process_time(), children()]
    work()
    return time.process_time() - before[0] + children() - before[1]


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def programs(keylane, folder):
    def data(format):
        return folder / f"data.{format}"

    def out(format):
        path = folder / f"out.{format}"
        path.unlink(missing_ok=True)
        return path

    def command(alg, form, *more):
        def run(format, columns):
            types = "id:int64" if format == "csv" else "id"
            names = ",".join(types if name == "id" else name for name in columns)
            shape = "binary" if form == "hex" and format != "csv" else form
            line = [keylane, "column", "--key-file", folder / "key", "--columns", names, "--alg", alg, "--as", shape]
            subprocess.run([*line, *more, "--no-verify", "-o", out(format), data(format)], check=True)

        return run

    database = duckdb.connect(config={"threads": 1})

    def duck(function):
        def run(format, columns):
            types = "{'id': 'BIGINT', 'name': 'VARCHAR', 'city': 'VARCHAR', 'amount': 'DOUBLE'}"
            source = f"read_csv('{data(format)}', header = true, columns = {types})" if format == "csv" else f"'{data(format)}'"
            changed = ", ".join(f"{function}({name}::VARCHAR) AS {name}" for name in columns)
            which = f"* REPLACE ({changed})" if columns else "*"
            how = "HEADER" if format == "csv" else "COMPRESSION snappy"
            database.execute(f"COPY (SELECT {which} FROM {source}) TO '{out(format)}' (FORMAT {format}, {how})")

        return run

    def house(function):
        def run(format, columns):
            kind = {"csv": "CSVWithNames", "parquet": "Parquet", "arrow": "Arrow"}[format]
            types = "'id Int64, name String, city LowCardinality(String), amount Float64'"
            source = f"file('{data(format)}', '{kind}'" + (f", {types})" if format == "csv" else ")")
            changed = ", ".join(f"{function(name, format)} AS {name}" for name in columns)
            which = f"* REPLACE ({changed})" if columns else "*"
            settings = "max_threads = 1, max_insert_threads = 1, input_format_parallel_parsing = 0, output_format_parallel_formatting = 0, "
            settings += "output_format_parquet_parallel_encoding = 0, output_format_parquet_compression_method = 'snappy', "
            settings += "output_format_arrow_compression_method = 'none'"
            chdb.query(f"INSERT INTO FUNCTION file('{out(format)}', '{kind}') SELECT {which} FROM {source} SETTINGS {settings}")

        return run

    def wide(name, format):
        tag = f"sipHash128Keyed({WORDS}, {name})"
        return f"lower(hex({tag}))" if format == "csv" else tag

    def narrow(name, _):
        return f"reinterpretAsInt64(sipHash64Keyed({WORDS}, {name}))"

    def polars(function):
        def run(format, columns):
            read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "arrow": pl.read_ipc}[format]
            frame = read(data(format))
            frame = frame.with_columns([function(pl.col(name).cast(pl.String)) for name in columns])
            target = out(format)
            if format == "parquet":
                frame.write_parquet(target, compression="snappy")
            elif format == "csv":
                frame.write_csv(target)
            else:
                frame.write_ipc(target)

        return run

    def select(program):
        def run(format, _):
            with open(out(format), "wb") as target:
                subprocess.run([program, "select", "1-", data(format)], check=True, stdout=target)

        return run

    def bytes_alone(format, _):
        shutil.copyfile(data(format), out(format))

    every, hashing = ["csv", "parquet", "arrow"], tuple(work for work in WORKS if work != "copy")
    found = [
        Program("the bytes", every, bytes_alone, ("copy",)),
        Program("keylane, siphash-2-4-128", every, command("siphash-2-4-128", "hex"), hashing),
        Program("keylane, siphash-1-3-64", every, command("siphash-1-3-64", "int64"), hashing),
        Program("chDB, sipHash128Keyed", every, house(wide)),
        Program("chDB, sipHash64Keyed", every, house(narrow), hashing),
        Program("DuckDB, md5 (no key)", ["csv", "parquet"], duck("md5")),
        Program("DuckDB, hash (no key)", ["csv", "parquet"], duck("hash"), hashing),
        Program("polars-hash, blake3 (no key)", every, polars(lambda column: column.chash.blake3())),
        Program("polars-hash, xxh3 (no key)", every, polars(lambda column: column.nchash.xxh3_64()), hashing),
    ]
    if program := qsv():
        found.append(Program("qsv select", ["csv"], select(program), ("copy",)))
    plain = command("siphash-2-4-64", "int64", "--context", "none")
    return found, plain, house(narrow), out


def compare(folder, plain, other):
    """keylane's integers are those of ClickHouse's function, row by row."""
    for format in ("csv", "parquet", "arrow"):
        found = []
        for run in (plain, other):
            run(format, ["id", "name", "city"])
            read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "arrow": pl.read_ipc}[format]
            found.append(read(folder / f"out.{format}").select(pl.col("id", "name", "city").cast(pl.Int64)))
        assert found[0].equals(found[1]), format


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--keylane", required=True)
    arguments.add_argument("--folder", required=True, type=pathlib.Path)
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--memory", type=pathlib.Path)
    arguments.add_argument("--record", type=pathlib.Path)
    arguments = arguments.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "key").write_text(KEY.hex() + "\n", encoding="ascii")
    (folder / "key").chmod(0o600)
    found, plain, other, out = programs(arguments.keylane, folder)
    write(table(10_000), folder)
    compare(folder, plain, other)
    write(table(arguments.rows), folder)
    lines = []
    for format in ("csv", "parquet", "arrow"):
        some = [program for program in found if format in program.formats]
        least = {}
        # In turn, so that a slow moment of the machine meets all of them.
        for _ in range(arguments.runs):
            for work, columns in WORKS.items():
                for program in some:
                    if work in program.works:
                        seconds = spent(lambda run=program.run, columns=columns: run(format, columns))
                        cell = program.name, work
                        least[cell] = min(least.get(cell, seconds), seconds)
        for program in some:
            for work in program.works:
                nanoseconds = least[program.name, work] * 1e9 / arguments.rows
                lines.append((format, program.name, work, f"{nanoseconds:.1f}"))
                print(f"{format:8} {program.name:32} {work:12} {nanoseconds:9.1f} ns a row", flush=True)
        out(format)
    if arguments.record:
        record(arguments, lines)


def qsv():
    """The copy by another program for CSV, if it is there."""
    return shutil.which("qsvlite") or shutil.which("qsv")


def record(arguments, lines):
    recording.table(arguments.record, "files.csv", ["format", "program", "work", "ns"], lines)
    if arguments.memory:
        shutil.copyfile(arguments.memory, arguments.record / "memory.csv")
    programs = recording.versions(PACKAGES)
    if program := qsv():
        programs += subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[:1]
    method = [
        f"{arguments.rows} rows; one thread; CPU time of the processes, the least of {arguments.runs} runs in which the programs",
        "take turns; memory.csv: the least of some runs in one process, in memory, by the library's bench `tables`",
    ]
    recording.machine(arguments.record, programs, method)


if __name__ == "__main__":
    sys.exit(main())
