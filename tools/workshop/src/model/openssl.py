#!/usr/bin/env python3
"""OpenSSL's loops of Poly1305 in LLVM's tables of cores, beside what its authors measured: a table of
docs/research/MODEL.md. It needs perl, gcc and llvm-mca-19.

    tools/workshop/src/model/openssl.py FOLDER     FOLDER is OpenSSL's source, as in the crate openssl-src

A loop is what stands between its label and the jump back to it. Its cycles are the difference of 200 and 100 turns.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

X64, X86, A64, A32 = "x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"
# For each architecture: the script, and its arguments before the file that it writes.
SCRIPTS = {
    X64: ("poly1305-x86_64.pl", ["elf"]),
    X86: ("poly1305-x86.pl", ["elf", "-DOPENSSL_IA32_SSE2"]),
    A64: ("poly1305-armv8.pl", ["linux64"]),
    A32: ("poly1305-armv4.pl", ["linux32"]),
}
# The loops: which of the labels that match, and the blocks of a turn.
LOOPS = {
    "2^64": {X64: (r"\.Loop", 0, 1), A64: (r"\.Loop", 0, 1)},
    "2^32": {X86: (r"\.L\d+loop", 0, 1), A32: (r"\.Loop", 0, 1)},
    "2^26, SSE2": {X86: (r"\.L\d+loop", 1, 4)},
    "2^26, NEON": {A64: (r"\.Loop_neon", 0, 4), A32: (r"\.Loop_neon", 0, 4)},
    "2^26, AVX": {X64: (r"\.Loop_avx", 0, 4)},
    "2^26, AVX2": {X64: (r"\.Loop_avx2", 0, 4)},
    "2^26, AVX-512": {X64: (r"\.Loop_avx512", 0, 8)},
    "2^44, 256 bits": {X64: (r"\.Loop_vpmadd52_4x", 0, 4)},
    "2^44, 512 bits": {X64: (r"\.Loop_vpmadd52_8x", 0, 8)},
}
# The core, its table in LLVM, the architecture, and cycles a byte as measured [OpenSSL-poly1305].
MEASURED = {
    "2^64": [
        ("Sandy Bridge", "sandybridge", X64, 1.39), ("Haswell", "haswell", X64, 1.14),
        ("Skylake", "skylake", X64, 1.13), ("Rocket Lake", "icelake-server", X64, 1.13),
        ("Silvermont", "slm", X64, 2.83), ("Bulldozer", "bdver2", X64, 2.30), ("Ryzen", "znver1", X64, 1.15),
        ("Apple A7", "cyclone", A64, 1.86), ("Cortex-A53", "cortex-a53", A64, 2.69),
        ("Cortex-A57", "cortex-a57", A64, 2.70), ("Cortex-A76", "neoverse-n1", A64, 2.60),
        ("Cortex-X2", "neoverse-v2", A64, 1.00), ("Kryo", "kryo", A64, 2.70),
        ("ThunderX2", "thunderx2t99", A64, 1.17),
    ],
    "2^32": [
        ("Sandy Bridge", "sandybridge", X86, 3.90), ("Haswell", "haswell", X86, 3.88),
        ("Skylake", "skylake", X86, 3.10), ("Silvermont", "slm", X86, 11.0), ("Bulldozer", "bdver2", X86, 4.53),
        ("Cortex-A9", "cortex-a9", A32, 5.10), ("Cortex-A57", "cortex-a57", A32, 3.51),
    ],
    "2^26, SSE2": [
        ("Sandy Bridge", "sandybridge", X86, 1.36), ("Haswell", "haswell", X86, 1.18),
        ("Skylake", "skylake", X86, 1.14), ("Silvermont", "slm", X86, 4.80), ("Bulldozer", "bdver2", X86, 1.31),
    ],
    "2^26, NEON": [
        ("Cortex-A9", "cortex-a9", A32, 2.55), ("Apple A7", "cyclone", A64, 0.72),
        ("Cortex-A53", "cortex-a53", A64, 1.47), ("Cortex-A57", "cortex-a57", A64, 1.14),
        ("Cortex-A76", "neoverse-n1", A64, 1.00), ("Cortex-X2", "neoverse-v2", A64, 0.66),
        ("Kryo", "kryo", A64, 1.13), ("ThunderX2", "thunderx2t99", A64, 1.36),
    ],
    "2^26, AVX": [
        ("Sandy Bridge", "sandybridge", X64, 1.10), ("Haswell", "haswell", X64, 1.11),
        ("Skylake", "skylake", X64, 0.96), ("Bulldozer", "bdver2", X64, 0.97), ("Ryzen", "znver1", X64, 1.08),
    ],
    "2^26, AVX2": [
        ("Haswell", "haswell", X64, 0.65), ("Skylake", "skylake", X64, 0.51), ("Ryzen", "znver1", X64, 1.18),
    ],
    "2^26, AVX-512": [("Skylake-X", "skylake-avx512", X64, 0.35)],
    "2^44, 256 bits": [("Rocket Lake", "icelake-server", X64, 0.43)],
    "2^44, 512 bits": [("Rocket Lake", "icelake-server", X64, 0.24)],
}


def assembly(openssl: Path, architecture: str, folder: Path) -> str:
    script, arguments = SCRIPTS[architecture]
    at = openssl / "crypto/poly1305/asm"
    out = folder / f"{architecture}.S"
    perl = ["perl", f"-I{at}", f"-I{openssl / 'crypto/perlasm'}", at / script, *arguments, out]
    # The scripts ask the compiler which instructions the assembler knows.
    subprocess.run(perl, check=True, env={**os.environ, "CC": "gcc"}, capture_output=True)
    text = out.read_text()
    if architecture in (A64, A32):
        # For Arm the preprocessor comes first. It needs no header here.
        text = re.sub(r'#\s*include\s*"[^"]*"', "", text)
        gcc = ["gcc", "-E", "-P", "-D__ARM_MAX_ARCH__=8", "-D__ARM_ARCH__=7", "-"]
        text = subprocess.run(gcc, input=text, check=True, capture_output=True, text=True).stdout
    return text.replace(";", "\n")


def loop(text: str, label: str, which: int) -> str:
    """The lines of a loop, with the jump back. Jumps out of it stay: a model takes them as not taken."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if re.fullmatch(label + ":", line.strip())]
    start = starts[which]
    back = re.compile(rf"\s*\w[\w.]*\s.*{re.escape(lines[start].strip(': '))}\b")
    end = next(number for number in range(start + 1, len(lines)) if back.match(lines[number]))
    return "\n".join(lines[start : end + 1])


def cycles(code: str, architecture: str, core: str) -> float:
    def total(turns: int) -> int:
        mca = ["llvm-mca-19", f"--mtriple={architecture}", f"--mcpu={core}", f"--iterations={turns}"]
        mca += ["--mattr=+neon"] if architecture in (A64, A32) else []
        told = subprocess.run(mca, input=code, check=True, capture_output=True, text=True).stdout
        return int(re.search(r"Total Cycles:\s+(\d+)", told).group(1))

    return (total(200) - total(100)) / 100


def main() -> None:
    openssl = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        texts = {architecture: assembly(openssl, architecture, Path(folder)) for architecture in SCRIPTS}
    print("| base | core, and its table in LLVM | modelled | measured | more |\n| --- | --- | ---: | ---: | ---: |")
    for base, cores in MEASURED.items():
        for name, core, architecture, byte in cores:
            label, which, blocks = LOOPS[base][architecture]
            modelled = cycles(loop(texts[architecture], label, which), architecture, core) / blocks
            measured = 16 * byte
            more = 100 * (measured / modelled - 1)
            print(f"| {base} | {name}, `{core}` | {modelled:.1f} | {measured:.1f} | {more:.0f} % |")


main()
