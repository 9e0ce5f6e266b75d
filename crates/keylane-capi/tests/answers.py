"""The published answers through libkeylane by ctypes, and kernels that are forced.

answers.py LIBRARY ANSWERS (see tests/c/answers.c)
"""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
OK, NULL, MISMATCH, NO_SLOT, NO_KERNEL, NOT_ON_THIS_CPU, NOT_UNICODE = 0, 1, 11, 12, 13, 14, 17
ACTIVE, ABSENT = 0, 3
checks = 0


def check(what, line):
    global checks
    checks += 1
    if not what:
        sys.exit("line %d: wrong" % line)


def call(name, *arguments):
    return getattr(library, "keylane_" + name)(*arguments)


def given(tag, bits):
    """A tag as an argument of a call: an integer up to 64 bits, else its bytes."""
    width = {32: ctypes.c_uint32, 64: ctypes.c_uint64}.get(bits)
    return width(int.from_bytes(tag, "little")) if width else tag


def integer_bytes(place, bits):
    """The little-endian bytes of a result that a call has written."""
    return place.value.to_bytes(bits // 8, "little") if bits < 128 else bytes(place)


def place(bits):
    return {32: ctypes.c_uint32, 64: ctypes.c_uint64, 128: ctypes.c_uint8 * 16}[bits]()


def unhex(word):
    if word.startswith("*"):
        count, byte = word[1:].split(":")
        return bytes.fromhex(byte) * int(count)
    return b"" if word == "-" else bytes.fromhex(word)


def size(message):
    return ctypes.c_size_t(len(message))


def hash_case(line, half, c, d, bits, key, message, tag, tag_nocase, valid):
    family = "halfsiphash" if half == "half" else "siphash"
    bits, message, tag, valid = int(bits), unhex(message), unhex(tag), valid == "1"
    h = (ctypes.c_uint64 * 8)()
    check(call(family + "_init", h, int(c), int(d), bits, unhex(key)) == OK, line)
    got = place(bits)
    check(call("%s_hash%d" % (family, bits), h, message, size(message), ctypes.byref(got)) == OK, line)
    check((integer_bytes(got, bits) == tag) == valid, line)
    verified = call("%s_verify%d" % (family, bits), h, message, size(message), given(tag, bits))
    check(verified == (OK if valid else MISMATCH), line)
    if tag_nocase != "-":
        check(call("%s_hash%d_nocase" % (family, bits), h, message, size(message), ctypes.byref(got)) == OK, line)
        check(integer_bytes(got, bits) == unhex(tag_nocase), line)
    call(family + "_wipe", h)
    wiped = 24 if half == "half" else 40
    check(bytes(h)[:wiped] == bytes(wiped), line)


def mac_case(line, key, message, tag, valid):
    message = unhex(message)
    got = place(128)
    check(call("poly1305_mac", unhex(key), message, size(message), got) == OK, line)
    check((bytes(got) == unhex(tag)) == (valid == "1"), line)


def unpadded_case(line, key, tag, *blocks):
    h = (ctypes.c_uint64 * 6)()
    check(call("siphash13uj_init", h, unhex(key)) == OK, line)
    for block in map(unhex, blocks):
        if len(block) == 8:
            check(call("siphash13uj_word", h, given(block, 64)) == OK, line)
        else:
            check(call("siphash13uj_jumbo", h, block) == OK, line)
    got = place(64)
    check(call("siphash13uj_finish", h, ctypes.byref(got)) == OK, line)
    check(integer_bytes(got, 64) == unhex(tag), line)


class Kernel(ctypes.Structure):
    _fields_ = [
        ("slot", ctypes.c_char * 24),
        ("id", ctypes.c_char * 48),
        ("features", ctypes.c_char * 96),
        ("missing", ctypes.c_char * 96),
        ("lanes", ctypes.c_size_t),
        ("state", ctypes.c_int),
    ]


def kernels():
    """The slot, the name and the state of each kernel."""
    rows, count = (Kernel * 100)(), ctypes.c_size_t()
    check(call("kernels", rows, size(rows), ctypes.byref(count)) == OK, 0)
    check(0 < count.value <= 100, 0)
    return [(row.slot, row.id, row.state) for row in rows[: count.value]]


def forced():
    """An unknown kernel, or one this CPU cannot run, is refused and changes nothing. Any other becomes active."""
    before = kernels()
    for slot, name, status in [
        (b"siphash-x99", b"siphash_x1", NO_SLOT),
        (b"siphash-xn", b"siphash_x99", NO_KERNEL),
        (b"siphash-xn", b"halfsiphash_x1", NO_KERNEL),
        (b"siphash-xn", b"\xff", NOT_UNICODE),
        (None, b"siphash_x1", NULL),
        (b"siphash-xn", None, NULL),
    ]:
        check(call("force", slot, name) == status, 0)
    for slot, name, state in before:
        if state == ABSENT:
            check(call("force", slot, name) == NOT_ON_THIS_CPU, 0)
    check(kernels() == before, 0)
    for slot, name, state in before:
        if state != ABSENT:
            check(call("force", slot, name) == OK, 0)
            check((slot, name, ACTIVE) in kernels(), 0)
    for slot, name, state in before:
        if state == ACTIVE:
            check(call("force", slot, name) == OK, 0)
    check(kernels() == before, 0)


forced()
CASES = {"hash": hash_case, "mac": mac_case, "unpadded": unpadded_case}
with open(sys.argv[2], encoding="ascii") as answers:
    for number, text in enumerate(answers, 1):
        kind, *words = text.split()
        if kind in CASES:
            CASES[kind](number, *words)
print("%d checks" % checks)
