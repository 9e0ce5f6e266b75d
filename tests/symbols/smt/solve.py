#!/usr/bin/env python3
"""Solves the questions about the end of a tag anew: src/numbers/smt.rs writes them.

    tests/symbols/smt/solve.py              fails unless both solvers answer `unsat`, and results.csv says so
    tests/symbols/smt/solve.py --record     writes results.csv

The solvers come from PyPI into an environment under target/.
"""
import csv
import hashlib
import pathlib
import subprocess
import sys
import time
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = ROOT / "target" / "symbols"
RESULTS = HERE / "results.csv"
# z3 5.4.1 did not answer `tag` within four minutes.
SOLVERS = {"bitwuzla": "bitwuzla==0.10.0", "cvc5": "cvc5==1.4.2"}
SECONDS = 1800

# Each runs in the environment, with a file as its argument, and prints the answer.
PROGRAMS = {
    "bitwuzla": """
import bitwuzla, sys
terms, options = bitwuzla.TermManager(), bitwuzla.Options()
parser = bitwuzla.Parser(terms, options)
parser.parse(sys.argv[1], parse_only=True)
print(str(parser.bitwuzla().check_sat()).lower().replace("result.", ""))
""",
    "cvc5": """
import cvc5, sys
solver = cvc5.Solver(cvc5.TermManager())
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, parser.getSymbolManager()), end="")
""",
}


def environment():
    """An environment with the solvers."""
    python = TARGET / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(TARGET / "venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *SOLVERS.values()], check=True)
    return python


def questions():
    """The texts, as the code of this tree writes them."""
    command = ["cargo", "run", "--release", "--quiet", "--package", "keylane-symbols", "--example", "questions", "--", TARGET]
    subprocess.run(command, check=True, cwd=ROOT)
    return sorted(TARGET.glob("*.smt2"))


def answer(python, solver, path):
    """A solver's answer to a question: `sat`, `unsat` or `unknown`."""
    command = [python, "-c", PROGRAMS[solver], path]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True).stdout.strip()


def main():
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.glob("*.smt2"):
        old.unlink()
    python, rows = environment(), []
    for path in questions():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        for solver, requirement in SOLVERS.items():
            began = time.monotonic()
            found = answer(python, solver, path)
            print(f"{path.stem}: {requirement}: {found}, {time.monotonic() - began:.0f} s", flush=True)
            rows.append([path.stem, digest, requirement, found])
    if any(row[3] != "unsat" for row in rows):
        sys.exit("an input for which a tag is wrong may exist")
    if "--record" in sys.argv[1:]:
        with RESULTS.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([["question", "sha256", "solver", "answer"], *rows])
    elif rows != list(csv.reader(RESULTS.open()))[1:]:
        sys.exit("results.csv is of other questions or solvers: run this with --record")


if __name__ == "__main__":
    main()
