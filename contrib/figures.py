#!/usr/bin/env python3
"""Prints the figures of a drop-in, and files them as a record.

Standard input has lines of CSV: group, row, column, figure. The median counts among lines that differ only in the figure.

  figures.py --method TEXT [--program TEXT]... [--record FOLDER]

With --record, FOLDER gets figures.csv and machine.txt.
"""

import argparse
import csv
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python" / "bench"))
import recording


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--method", required=True)
    arguments.add_argument("--program", action="append", default=[])
    arguments.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    options = arguments.parse_args()
    found = {}
    for group, row, column, figure in csv.reader(sys.stdin):
        found.setdefault((group, row, column), []).append(float(figure))
    lines = [(*place, f"{statistics.median(figures):.0f}") for place, figures in found.items()]
    for line in lines:
        print(*line, sep=" | ")
    if options.record:
        recording.table(options.record, "figures.csv", ["group", "row", "column", "figure"], lines)
        recording.machine(options.record, options.program, [options.method])


main()
