"""Records of measurements by Python programs: tables as CSV, and machine.txt, which says where the figures come from."""

import csv
import datetime
import importlib.metadata
import pathlib
import platform
import subprocess


def write(folder, calls, targets, packages, method, others=()):
    """`calls` are (case, call, unit, ns), `targets` are (target, ratio, limit, whether it is met).

    `packages` are names of Python packages, `others` lines about other software.
    """
    calls = [(case, name, unit, f"{nanoseconds:.4f}") for case, name, unit, nanoseconds in calls]
    table(folder, "calls.csv", ["case", "call", "unit", "ns"], calls)
    targets = [(what, f"{ratio:.2f}", limit, "met" if met else "missed") for what, ratio, limit, met in targets]
    table(folder, "targets.csv", ["target", "ratio", "limit", "verdict"], targets)
    machine(folder, [*versions(packages), *others], method)


def table(folder, name, heads, lines):
    """Writes a CSV file."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / name, "w", newline="", encoding="ascii") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(heads)
        rows.writerows(lines)


def versions(packages):
    """A line for Python and for each package."""
    return [f"Python {platform.python_version()}", *(f"{name} {importlib.metadata.version(name)}" for name in packages)]


def machine(folder, programs, method):
    """Writes the date, the commit, these lines on the programs, the CPU, and these lines on the method."""
    here = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, cwd=here).stdout.strip()
    about = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = [line for line in about if line.startswith(("model", "cpu family"))]
    lines = [
        *("== date", datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"), ""),
        *("== commit", commit, ""),
        *("== programs", *programs, ""),
        *("== CPU", *sorted(set(model)), ""),
        *("== method", *method),
    ]
    (pathlib.Path(folder) / "machine.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
