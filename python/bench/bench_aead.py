"""ChaCha20-Poly1305 beside pyca/cryptography, one packet a call and many: CPU time of the thread, medians.

    python3 bench_aead.py [--record FOLDER]

Every answer is compared with that of cryptography before anything is timed. The calls of a case take turns. One of
keylane's calls is in each case twice: the ratio of the two says how much of a difference is noise. `table.py` writes
docs/PYTHON.md's table from the record.
"""

import argparse
import os
import statistics
import time

import pyarrow as pa
from cryptography.hazmat.primitives.ciphers import aead

import keylane.aead
import recording

KEY = bytes(range(32))
HEADER = bytes(range(13))
COUNT = 1000
ROUNDS = 101
# A round of single calls seals so many bytes, but makes this many calls at most.
BYTES = 1 << 20
CALLS = 2000
AGAIN = ", again"

ours, theirs = keylane.aead.ChaCha20Poly1305(KEY), aead.ChaCha20Poly1305(KEY)


def repeat(function, nonce, data, count):
    for _ in range(count):
        function(nonce, data, HEADER)


def single(size):
    """Calls that seal and open one packet, by name, and how many packets each seals or opens."""
    nonce, data = os.urandom(12), os.urandom(size)
    sealed = theirs.encrypt(nonce, data, HEADER)
    assert ours.encrypt(nonce, data, HEADER) == sealed
    assert ours.decrypt(nonce, sealed, HEADER) == data
    count = min(BYTES // size, CALLS)
    seal = {
        "keylane, encrypt": lambda: repeat(ours.encrypt, nonce, data, count),
        "cryptography, encrypt": lambda: repeat(theirs.encrypt, nonce, data, count),
        "keylane, encrypt" + AGAIN: lambda: repeat(ours.encrypt, nonce, data, count),
    }
    opened = {
        "keylane, decrypt": lambda: repeat(ours.decrypt, nonce, sealed, count),
        "cryptography, decrypt": lambda: repeat(theirs.decrypt, nonce, sealed, count),
        "keylane, decrypt" + AGAIN: lambda: repeat(ours.decrypt, nonce, sealed, count),
    }
    return {"sealed": seal, "opened": opened}, count


def many(size):
    """The same for lists and columns of packets."""
    nonces, data = [os.urandom(12) for _ in range(COUNT)], [os.urandom(size) for _ in range(COUNT)]
    sealed = [theirs.encrypt(nonce, packet, HEADER) for nonce, packet in zip(nonces, data, strict=True)]
    numbers, packets, closed = pa.array(nonces, pa.binary(12)), pa.array(data), pa.array(sealed)
    assert ours.seal_many(nonces, data, HEADER) == sealed
    assert ours.open_many(nonces, sealed, HEADER) == data
    assert ours.seal_column(numbers, packets, HEADER).equals(closed)
    assert ours.open_column(numbers, closed, HEADER).equals(packets)
    seal = {
        "keylane, seal_many of a list": lambda: ours.seal_many(nonces, data, HEADER),
        "keylane, seal_column of pyarrow": lambda: ours.seal_column(numbers, packets, HEADER),
        "cryptography, a loop": lambda: [theirs.encrypt(nonce, packet, HEADER) for nonce, packet in zip(nonces, data)],
        "keylane, seal_many of a list" + AGAIN: lambda: ours.seal_many(nonces, data, HEADER),
    }
    opened = {
        "keylane, open_many of a list": lambda: ours.open_many(nonces, sealed, HEADER),
        "keylane, open_column of pyarrow": lambda: ours.open_column(numbers, closed, HEADER),
        "cryptography, a loop": lambda: [theirs.decrypt(nonce, packet, HEADER) for nonce, packet in zip(nonces, sealed)],
        "keylane, open_many of a list" + AGAIN: lambda: ours.open_many(nonces, sealed, HEADER),
    }
    return {"sealed": seal, "opened": opened}, COUNT


def medians(calls, packets):
    """The median nanoseconds a packet of each call, over rounds in which the calls take turns."""
    found = {name: [] for name in calls}
    for turn in range(ROUNDS):
        # The first one of a round has the caches of the last one, so another call begins each round.
        names = list(calls)
        names = names[turn % len(names) :] + names[: turn % len(names)]
        for name in names:
            start = time.thread_time_ns()
            calls[name]()
            found[name].append((time.thread_time_ns() - start) / packets)
    return {name: statistics.median(times) for name, times in found.items()}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--record")
    arguments = arguments.parse_args()
    # The allocator maps large memory anew for each call until some was freed once; a process that works has done so.
    bytearray(30_000_000)
    rows, targets = [], []
    cases = [(f"a packet of {size} bytes", single(size), 0.8 if size == 64 else None) for size in (64, 1420, 16384)]
    cases += [(f"{COUNT} packets of {size} bytes", many(size), 0.3) for size in (64, 1420)]
    for what, (both, packets), limit in cases:
        for done, calls in both.items():
            case, found = f"{what}, {done}", medians(calls, packets)
            peer = next(name for name in found if name.startswith("cryptography"))
            for name, nanoseconds in found.items():
                rows.append((case, name, "packet", nanoseconds))
                print(f"{case:34} {name:40} {nanoseconds:10.1f} ns a packet {nanoseconds / found[peer]:8.3f}", flush=True)
                if limit is not None and name.startswith("keylane") and not name.endswith(AGAIN):
                    ratio = nanoseconds / found[peer]
                    targets.append((f"{case}: {name}, to cryptography, at most", ratio, limit, ratio <= limit))
    for what, ratio, limit, met in targets:
        print(f"{what:90} {ratio:6.2f}   target {limit}   {'met' if met else 'missed'}")
    if arguments.record:
        method = [
            f"CPU time of the thread; the median of {ROUNDS} rounds in which the calls take turns. A round makes one call for",
            f"{COUNT} packets, or up to {CALLS} calls for one packet. {len(HEADER)} bytes of associated data.",
        ]
        recording.write(arguments.record, rows, targets, ["cryptography", "pyarrow"], method)


if __name__ == "__main__":
    main()
