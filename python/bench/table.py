"""Writes the tables of docs/PYTHON.md and docs/DUCKDB.md from the records of bench.py and bench_duckdb.py, or checks that
they are those of the records.

    python3 table.py [--check]
"""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"python": ROOT / "docs" / "PYTHON.md", "duckdb": ROOT / "docs" / "DUCKDB.md"}
BEGIN, END = "<!-- costs -->", "<!-- end of costs -->"


def read(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def tables(record):
    """The tables of a record."""
    place = record.relative_to(ROOT).as_posix()
    lines = [f"From [{place}](../{place}/machine.txt), one thread:", "", "| values | call | ns | each |", "| --- | --- | ---: | --- |"]
    for row in read(record / "calls.csv"):
        lines.append(f"| {row['case']} | {row['call']} | {float(row['ns']):.3g} | {row['unit']} |")
    lines += ["", "Ratios that keylane aims at, of figures of that run:", ""]
    lines += ["| ratio | found | aim | |", "| --- | ---: | ---: | --- |"]
    for row in read(record / "targets.csv"):
        lines.append(f"| {row['target']} | {row['ratio']} | {row['limit']} | {row['verdict']} |")
    return "\n".join(lines)


def main():
    for name, page in PAGES.items():
        records = [path.parent for path in (ROOT / "bench" / "record").glob(f"*/*/{name}/calls.csv")]
        text = page.read_text(encoding="ascii")
        before, rest = text.split(BEGIN)
        _, after = rest.split(END)
        found = tables(max(records)) if records else "Not recorded yet."
        wanted = f"{before}{BEGIN}\n{found}\n{END}{after}"
        if "--check" not in sys.argv:
            page.write_text(wanted, encoding="ascii")
        elif wanted != text:
            sys.exit(f"docs/{page.name}: the tables are not those of the record; run python/bench/table.py")


main()
