"""Writes the tables of docs/PYTHON.md from a record of bench.py, or checks that they are those of the record.

    python3 table.py [--check]
"""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "PYTHON.md"
BEGIN, END = "<!-- costs -->", "<!-- end of costs -->"


def read(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def tables():
    """The tables of the newest record."""
    record = max(path.parent for path in (ROOT / "bench" / "record").glob("*/*/python/calls.csv"))
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
    text = PAGE.read_text(encoding="ascii")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    wanted = f"{before}{BEGIN}\n{tables()}\n{END}{after}"
    if "--check" in sys.argv:
        if wanted != text:
            sys.exit("docs/PYTHON.md: the tables are not those of the record; run python/bench/table.py")
    else:
        PAGE.write_text(wanted, encoding="ascii")


main()
