"""Records: calls.csv, targets.csv and machine.txt."""

import csv
import datetime
import importlib.metadata
import pathlib
import platform
import subprocess


def write(folder, calls, targets, packages, method):
    """`calls` are (case, call, unit, ns), `targets` are (target, ratio, limit, whether it is met)."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "calls.csv", "w", newline="", encoding="ascii") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["case", "call", "unit", "ns"])
        table.writerows((case, name, unit, f"{nanoseconds:.4f}") for case, name, unit, nanoseconds in calls)
    with open(folder / "targets.csv", "w", newline="", encoding="ascii") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["target", "ratio", "limit", "verdict"])
        table.writerows((what, f"{ratio:.2f}", limit, "met" if met else "missed") for what, ratio, limit, met in targets)
    versions = [f"{name} {importlib.metadata.version(name)}" for name in packages]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    about = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = [line for line in about if line.startswith(("model", "cpu family"))]
    lines = [
        *("== date", datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"), ""),
        *("== commit", commit, ""),
        *("== Python and libraries", f"Python {platform.python_version()}", *versions, ""),
        *("== CPU", *sorted(set(model)), ""),
        *("== method", *method),
    ]
    (folder / "machine.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
