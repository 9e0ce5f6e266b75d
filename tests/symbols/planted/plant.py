#!/usr/bin/env python3
"""Plants defects in a copy of the library, one at a time, and fails if symbols do not find one.

    tests/symbols/planted/plant.py [CSV...] [WORD...]     every defect, or those whose description has one of the words

A line of a CSV file names a test file and a part of a test's name, or `solve` and a question, which a solver must then
answer with an input. The copy and its build are under target/symbols/.
"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "smt"))
import solve  # noqa: E402

ROOT = HERE.parents[2]
COPY = ROOT / "target" / "symbols" / "copy"


def copy():
    """A copy of the files that git knows, and those that it does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, target = ROOT / name, COPY / name
        if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def cargo(*arguments):
    environment = dict(
        os.environ,
        CARGO_TARGET_DIR=str(COPY / "target"),
        CARGO_PROFILE_DEV_OPT_LEVEL="1",
        CARGO_PROFILE_DEV_DEBUG="false",
        RUST_BACKTRACE="0",
    )
    return subprocess.run(["cargo", *arguments], cwd=COPY, env=environment, capture_output=True, text=True)


def why(output):
    """What a failed test says first."""
    lines = output.splitlines()
    for line, after in zip(lines, lines[1:]):
        if "panicked at" in line:
            return after
    return "no message"


def found(test):
    """What finds the defect, or None."""
    file, name = test.split()
    if file != "solve":
        run = cargo("test", "--package", "keylane-symbols", "--test", file, name)
        if "running" not in run.stdout:
            sys.exit(f"it does not compile:\n{run.stderr}")
        return why(run.stdout + run.stderr) if run.returncode else None
    run = cargo("run", "--quiet", "--package", "keylane-symbols", "--example", "questions", "--", str(COPY))
    if run.returncode:
        sys.exit(run.stderr)
    answer = solve.answer(solve.environment(), "bitwuzla", COPY / f"{name}.smt2")
    return f"{name}: {answer}" if answer == "sat" else None


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:] if name.endswith(".csv")] or sorted(HERE.glob("*.csv"))
    words = [word for word in sys.argv[1:] if not word.endswith(".csv")]
    copy()
    count, missed = 0, []
    for row in (row for file in files for row in csv.DictReader(file.open())):
        if words and not any(word in row["defect"] for word in words):
            continue
        path = COPY / "crates" / "keylane" / "src" / row["file"]
        text = path.read_text()
        if text.count(row["from"]) != 1:
            sys.exit(f"{row['defect']}: its text is {text.count(row['from'])} times in {row['file']}")
        path.write_text(text.replace(row["from"], row["to"]))
        try:
            reason = found(row["found by"])
        finally:
            path.write_text(text)
        print(f"{row['defect']} ({row['shows']}): {reason or 'NOT FOUND'}", flush=True)
        count += 1
        missed += [] if reason else [row["defect"]]
    print(f"{count} defects, {count - len(missed)} found")
    sys.exit(bool(missed))


main()
