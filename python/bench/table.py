"""Writes the tables of docs/PYTHON.md, docs/DUCKDB.md, docs/ENGINES.md, docs/SPARK.md and docs/JVM.md from the newest
records of bench.py, bench_aead.py, bench_duckdb.py, bench_datafusion.py, with_spark.py and bench_jvm.py, or checks that
they are those of the records.

    python3 table.py [--check]
"""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The page, the mark of the table in it, the folder of the record, and what is measured.
TABLES = (
    ("PYTHON.md", "costs", "python", "one thread"),
    ("PYTHON.md", "costs of packets", "python-aead", "one thread, medians"),
    ("DUCKDB.md", "costs", "duckdb", "one thread"),
    ("ENGINES.md", "costs", "datafusion", "one thread"),
    ("SPARK.md", "costs", "spark", "wall time of a job, divided by its rows"),
    ("JVM.md", "costs", "jvm", "one thread"),
)


def read(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def tables(folder, what):
    """The tables of the newest record."""
    records = [path.parent for path in (ROOT / "bench" / "record").glob(f"*/*/{folder}/calls.csv")]
    if not records:
        return "Not recorded yet."
    record = max(records, key=lambda path: path.parent.name)
    place = record.relative_to(ROOT).as_posix()
    lines = [f"From [{place}](../{place}/machine.txt), {what}:", "", "| values | call | ns | each |", "| --- | --- | ---: | --- |"]
    for row in read(record / "calls.csv"):
        # Three digits, and no exponent below a million.
        nanoseconds = float(f"{float(row['ns']):.3g}")
        lines.append(f"| {row['case']} | {row['call']} | {nanoseconds:g} | {row['unit']} |")
    targets = read(record / "targets.csv")
    if targets:
        lines += ["", "Ratios that keylane aims at, of figures of that run:", ""]
        lines += ["| ratio | found | aim | |", "| --- | ---: | ---: | --- |"]
    for row in targets:
        lines.append(f"| {row['target']} | {row['ratio']} | {row['limit']} | {row['verdict']} |")
    return "\n".join(lines)


def main():
    for name, mark, folder, what in TABLES:
        page = ROOT / "docs" / name
        text = page.read_text(encoding="ascii")
        begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
        before, rest = text.split(begin)
        _, after = rest.split(end)
        wanted = f"{before}{begin}\n{tables(folder, what)}\n{end}{after}"
        if "--check" not in sys.argv:
            page.write_text(wanted, encoding="ascii")
        elif wanted != text:
            sys.exit(f"docs/{name}: the tables are not those of the record; run python/bench/table.py")


main()
