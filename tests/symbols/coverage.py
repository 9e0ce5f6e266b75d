#!/usr/bin/env python3
"""Which lines of arch/generic, arch/portable and job the tests on symbols run, and why they do not run the others.

It fails if a function has lines that no test ran, and no reason in coverage.csv, which has a file, some of its
functions or `*` for all of them, and a reason. A reason for a function without such lines is a fault too.

The tests are built anew, with counters, in target/symbols/coverage. It needs the toolchain's component llvm-tools.
"""
import collections
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = ROOT / "target" / "symbols" / "coverage"
SOURCE = ROOT / "crates" / "keylane" / "src"
FOLDERS = ["arch/generic", "arch/portable", "job"]
HEAD = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?(?:const )?(?:unsafe )?(?:extern \"C\" )?fn (\w+)")


def output(*command, **options):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def tool(name):
    """A program of the component llvm-tools, which reads what this compiler writes."""
    host = re.search(r"^host: (.*)$", output("rustc", "--version", "--verbose"), re.M).group(1)
    path = pathlib.Path(output("rustc", "--print", "sysroot").strip()) / "lib/rustlib" / host / "bin" / name
    if not path.is_file():
        sys.exit(f"{path}: not there; rustup component add llvm-tools")
    return str(path)


def run():
    """Runs the tests, and returns what llvm-cov tells of the sources, in the form of lcov."""
    environment = dict(
        os.environ,
        CARGO_TARGET_DIR=str(TARGET),
        RUSTFLAGS="-C instrument-coverage",
        LLVM_PROFILE_FILE=str(TARGET / "counts" / "%m.profraw"),
    )
    for old in (TARGET / "counts").glob("*.profraw"):
        old.unlink()
    test = ["cargo", "test", "--release", "--package", "keylane-symbols", "--lib", "--tests"]
    built = output(*test, "--no-run", "--message-format=json", env=environment)
    programs = [message["executable"] for message in map(json.loads, built.splitlines()) if message.get("executable")]
    subprocess.run(test, cwd=ROOT, check=True, env=environment)
    merged = TARGET / "counts.profdata"
    counts = map(str, (TARGET / "counts").glob("*.profraw"))
    output(tool("llvm-profdata"), "merge", "--sparse", *counts, "-o", str(merged))
    objects = [word for program in programs for word in ("--object", program)]
    sources = [str(SOURCE / folder) for folder in FOLDERS]
    return output(tool("llvm-cov"), "export", "--format=lcov", f"--instr-profile={merged}", *objects, "--sources", *sources)


def counts_of(lcov):
    """By file: the count of each line that has code in the tests' programs."""
    counts = collections.defaultdict(collections.Counter)
    file = None
    for line in lcov.splitlines():
        if line.startswith("SF:"):
            file = pathlib.Path(line[3:]).relative_to(SOURCE).as_posix()
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            counts[file][int(number)] += int(count)
    return counts


def functions(text):
    """The functions of a file outside its tests: a name, and the numbers of its lines."""
    lines = text.splitlines()
    found = []
    for start, line in enumerate(lines):
        if line.startswith("#[cfg(test)]") or line.startswith("mod tests"):
            break
        if head := HEAD.match(line):
            depth, begun, end = 0, False, start
            for end in range(start, len(lines)):
                code = re.sub(r'"(?:\\.|[^"\\])*"|\'[{}]\'|//.*', "", lines[end])
                depth += code.count("{") - code.count("}")
                begun |= "{" in code
                if (begun and depth == 0) or (not begun and code.rstrip().endswith(";")):
                    break
            if begun:
                found.append((head.group(1), range(start + 1, end + 2)))
    return found


def unrun(counts):
    """By file and function: the lines with code that no test ran, and how many lines ran. A function of which the
    tests' programs have no copy counts with all its lines."""
    missed, ran = collections.Counter(), 0
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*.rs")):
            file = path.relative_to(SOURCE).as_posix()
            if path.name == "tests.rs":
                continue
            for name, lines in functions(path.read_text()):
                known = [number for number in lines if number in counts[file]]
                ran += sum(counts[file][number] > 0 for number in known)
                none = [number for number in known if counts[file][number] == 0] if known else list(lines)
                if none:
                    missed[file, name] += len(none)
    return missed, ran


def main():
    missed, ran = unrun(counts_of(run()))
    reasons = {}
    with open(HERE / "coverage.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            functions = row["functions"].split()
            if functions == ["*"]:
                functions = [name for file, name in missed if file == row["file"]] or ["*"]
            reasons.update({(row["file"], name): row["reason"] for name in functions})
    faults = [f"{file}: {name}: {missed[file, name]} lines ran in no test" for file, name in missed.keys() - reasons.keys()]
    faults += [f"{file}: {name}: has a reason, but all its lines ran" for file, name in reasons.keys() - missed.keys()]
    by_reason = collections.Counter()
    for place, reason in reasons.items():
        by_reason[reason] += missed[place]
    print(f"{ran:6}  lines ran")
    for reason, lines in by_reason.most_common():
        print(f"{lines:6}  {reason}")
    for fault in sorted(faults):
        print(fault)
    if faults:
        sys.exit(f"{len(faults)} functions differ from coverage.csv")


if __name__ == "__main__":
    main()
