"""KCE-1 in plain Python, written from docs/COLUMNS.md. It uses neither keylane nor Arrow.

As a command it reads a JSON object from standard input and writes one to standard output:

    {"algorithms": [...], "cases": [{"mode": "plain", "key": hex, "type": text, "values": [...]},
                                    {"mode": "row", "key": hex, "columns": [{"type": text, "values": [...]}, ...]}]}
    {"cases": [{"messages": [hex or null], "tags": {algorithm: [hex or null]}} or {"error": {...}}]}

README.md in this folder has the notation of types and values. The published answers of tests/testdata/siphash.json check
the hash before anything else is done.
"""

import json
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MASK = 2**64 - 1

# 4-8 is not among them: it makes subkeys.
ALGORITHMS = {f"siphash-{c}-{d}-{bits}": (c, d, bits) for c, d in [(1, 3), (2, 4)] for bits in [64, 128]}


class TypeRefused(Exception):
    """The type has no encoding."""


class ValueRefused(Exception):
    """The value of one row has no encoding."""

    def __init__(self, row):
        super().__init__(f"row {row}")
        self.row = row


# SipHash-c-d


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def rounds(v, count):
    v0, v1, v2, v3 = v
    for _ in range(count):
        v0 = (v0 + v1) & MASK
        v1 = rotate(v1, 13) ^ v0
        v0 = rotate(v0, 32)
        v2 = (v2 + v3) & MASK
        v3 = rotate(v3, 16) ^ v2
        v0 = (v0 + v3) & MASK
        v3 = rotate(v3, 21) ^ v0
        v2 = (v2 + v1) & MASK
        v1 = rotate(v1, 17) ^ v2
        v2 = rotate(v2, 32)
    return [v0, v1, v2, v3]


def siphash(key, message, c, d, bits):
    """The tag: 8 or 16 bytes."""
    k0, k1 = struct.unpack("<QQ", key)
    double = bits == 128
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D ^ (0xEE if double else 0),
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]
    whole = len(message) - len(message) % 8
    last = message[whole:] + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for (word,) in struct.iter_unpack("<Q", message[:whole] + last):
        v[3] ^= word
        v = rounds(v, c)
        v[0] ^= word
    v[2] ^= 0xEE if double else 0xFF
    v = rounds(v, d)
    tag = struct.pack("<Q", v[0] ^ v[1] ^ v[2] ^ v[3])
    if double:
        v[1] ^= 0xDD
        v = rounds(v, d)
        tag += struct.pack("<Q", v[0] ^ v[1] ^ v[2] ^ v[3])
    return tag


def check_hash():
    """Compares `siphash` with the published answers, and returns how many there are."""
    checked = 0
    for name in ["siphash.json", "siphash_generated.json"]:
        for case in json.loads((ROOT / "tests" / "testdata" / name).read_text(encoding="ascii"))["cases"]:
            if case["algorithm"] != "SipHash":
                continue
            key, message = bytes.fromhex(case["key"]), bytes.fromhex(case["msg"])
            tag = siphash(key, message, case["c"], case["d"], case["tag_bits"]).hex()
            if (tag == case["tag"]) != (case["result"] == "valid"):
                raise SystemExit(f"siphash differs from {name}: {case}")
            checked += 1
    if checked < 800:
        raise SystemExit(f"only {checked} published answers were found")
    return checked


# Keys


def derive(key, context):
    text = context.encode("utf-8")
    if not 1 <= len(text) <= 255:
        raise ValueError("a context has 1 to 255 bytes")
    if text.startswith(b"KCE-"):
        raise ValueError("contexts that begin with KCE- are reserved")
    return subkey(key, text)


def row_key(key):
    return subkey(key, b"KCE-1 row")


def subkey(key, context):
    return siphash(key, b"keylane subkey 1\0" + context, 4, 8, 128)


def check(key):
    return siphash(key, b"keylane check 1\0", 4, 8, 128)[:4].hex()


def escape(text):
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode("utf-8"))


def metadata(key, name, contexts, algorithm, mode):
    parts = ["KCE-1", algorithm, mode, f"key={escape(name)}", f"check={check(key)}"]
    return "; ".join(parts + [f"context={escape(context)}" for context in contexts])


# Types: a type is a tuple, whose first element is its name.

PLAIN_NAMES = re.compile(
    r"null|bool|u?int(8|16|32|64)|float(16|32|64)|(large_)?(utf8|binary)|utf8_view|binary_view|date32|date64"
)
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
LISTS = ["list", "large_list", "list_view", "large_list_view"]


class Reader:
    """Reads the text of a type from left to right."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def take(self, pattern):
        found = re.compile(pattern).match(self.text, self.at)
        if not found:
            raise ValueError(f"{self.text}: {pattern} expected at {self.at}")
        self.at = found.end()
        return found.group()

    def sees(self, text):
        return self.text.startswith(text, self.at)

    def field(self):
        self.take(r"\w+: ")
        return self.type()

    def type(self):
        name = self.take(r"[a-z_0-9]+")
        if PLAIN_NAMES.fullmatch(name):
            return (name,)
        if name == "fixed_size_binary":
            self.take(r"\[")
            width = int(self.take(r"\d+"))
            self.take(r"\]")
            return (name, width)
        if name in ["timestamp", "time32", "time64", "duration"]:
            self.take(r"\[")
            unit = self.take(r"s|ms|us|ns")
            if name == "timestamp" and self.sees(", tz="):
                self.take(r", tz=[^\]]+")
            self.take(r"\]")
            return (name, UNITS[unit])
        if re.fullmatch(r"decimal(32|64|128|256)", name):
            self.take(r"\(\d+, ")
            scale = int(self.take(r"-?\d+"))
            self.take(r"\)")
            return ("decimal", scale)
        if name in LISTS:
            self.take("<")
            item = self.field()
            self.take(">")
            return ("list", item, None)
        if name == "fixed_size_list":
            self.take("<")
            item = self.field()
            self.take(r">\[")
            size = int(self.take(r"\d+"))
            self.take(r"\]")
            return ("list", item, size)
        if name == "struct":
            fields = []
            self.take("<")
            while not self.sees(">"):
                if fields:
                    self.take(", ")
                fields.append(self.field())
            self.take(">")
            return ("struct", fields)
        if name == "dictionary":
            self.take("<values=")
            value = self.type()
            self.take(r", indices=u?int(8|16|32|64)>")
            return value
        if name == "run_end_encoded":
            self.take(r"<run_ends: int(16|32|64), values: ")
            value = self.type()
            self.take(">")
            return value
        if name in ["map", "union", "interval"]:
            raise TypeRefused(f"{name} has no encoding")
        raise ValueError(f"{self.text}: {name} is no type")


def read_type(text):
    reader = Reader(text)
    found = reader.type()
    if reader.at != len(text):
        raise ValueError(f"{text}: more than a type")
    return found


def nested(found):
    return found[0] in ["list", "struct"]


# Values: a pair of kind and bytes, or None for null.


def i64(x):
    return struct.pack("<q", x)


def u64(x):
    return struct.pack("<Q", x)


def fits(x):
    return -(2**63) <= x < 2**63


def integer(x):
    """The integer x, of which the low 64 bits count."""
    return (0x01, u64(x & MASK))


def time(t, units):
    microseconds, rest = divmod(t * 10**6, units)
    if rest == 0 and fits(microseconds):
        return integer(microseconds)
    nanoseconds, rest = divmod(t * 10**9, units)
    assert rest == 0
    return (0x05, nanoseconds.to_bytes(16, "little", signed=True))


def float_of_bits(bits, name):
    form, of = {"float16": ("<e", "<H"), "float32": ("<f", "<I"), "float64": ("<d", "<Q")}[name]
    (x,) = struct.unpack(form, struct.pack(of, int(bits, 16)))
    if x != x:
        return (0x03, u64(0x7FF8000000000000))
    return (0x03, struct.pack("<d", x + 0.0 if x else 0.0))


def decimal(n, scale):
    if scale <= 0:
        whole, digits = abs(n) * 10**-scale, ""
    else:
        whole, rest = divmod(abs(n), 10**scale)
        digits = str(rest).rjust(scale, "0").rstrip("0")
    if not digits:
        value = -whole if n < 0 else whole
        if fits(value):
            return integer(value)
    sign = "-" if n < 0 else ""
    point = "." if digits else ""
    return (0x04, f"{sign}{whole}{point}{digits}".encode("ascii"))


def value_of(found, x, row):
    """Kind and bytes of a value that is not nested."""
    name = found[0]
    if x is None or isinstance(x, dict) or name == "null":
        return None
    if name in ["utf8", "large_utf8", "utf8_view"]:
        return (0x02, x.encode("utf-8"))
    if name in ["binary", "large_binary", "binary_view", "fixed_size_binary"]:
        return (0x02, bytes.fromhex(x))
    if name == "bool":
        return integer(int(x))
    if name == "date64":
        days, rest = divmod(int(x), 86_400_000)
        if rest:
            raise ValueRefused(row)
        return integer(days)
    if name in ["timestamp", "time32", "time64", "duration"]:
        return time(int(x), found[1])
    if name.startswith("float"):
        return float_of_bits(x, name)
    if name == "decimal":
        return decimal(int(x), found[1])
    return integer(int(x))


def plain_message(found, x, row):
    value = value_of(found, x, row)
    return None if value is None else value[1]


def row_value(found, x, row):
    """The value of a field of a row."""
    if x is None or isinstance(x, dict):
        return b"\x00"
    if found[0] == "list":
        return b"\x06" + u64(len(x)) + b"".join(row_value(found[1], element, row) for element in x)
    if found[0] == "struct":
        fields = zip(found[1], x, strict=True)
        return b"\x07" + u64(len(x)) + b"".join(row_value(inner, field, row) for inner, field in fields)
    value = value_of(found, x, row)
    if value is None:
        return b"\x00"
    kind, content = value
    length = u64(len(content)) if kind in (0x02, 0x04) else b""
    return bytes([kind]) + length + content


# Columns


def logical(column):
    """The values of a column, whose dictionary or runs may be given."""
    if "indices" in column:
        words = column["dictionary"]
        return [None if i is None or isinstance(i, dict) else words[i] for i in column["indices"]]
    if "run_ends" in column:
        values, start = [], 0
        for end, x in zip(column["run_ends"], column["runs"], strict=True):
            values += [x] * (end - start)
            start = end
        return values
    return column["values"]


def plain(column):
    """The messages of a column; None for a null."""
    found = read_type(column["type"])
    if nested(found):
        raise TypeRefused(f"{column['type']} has no plain encoding")
    return [plain_message(found, x, row) for row, x in enumerate(logical(column))]


def rows(columns, count=None):
    """The messages of rows. `count` is needed if there are no columns."""
    types = [read_type(column["type"]) for column in columns]
    values = [logical(column) for column in columns]
    count = len(values[0]) if values else count
    messages = []
    for row in range(count):
        fields = [row_value(found, column[row], row) for found, column in zip(types, values, strict=True)]
        messages.append(b"\x01" + u64(len(fields)) + b"".join(fields))
    return messages


def answer(case, algorithms):
    """Messages and tags of a case, or the error that it must raise."""
    key = bytes.fromhex(case["key"])
    try:
        if case["mode"] == "plain":
            messages = plain(case)
            columns = [case]
        else:
            messages = rows(case["columns"], case.get("rows"))
            columns = case["columns"]
            key = row_key(key)
    except TypeRefused:
        return {"error": {"kind": "type"}}
    except ValueRefused as refused:
        return {"error": {"kind": "value", "row": refused.row}}
    if case.get("nulls") == "error":
        for row in range(len(messages)):
            if any(logical(column)[row] is None for column in columns):
                return {"error": {"kind": "null", "row": row}}
    tags = {}
    for name in algorithms:
        c, d, bits = ALGORITHMS[name]
        tags[name] = [None if m is None else siphash(key, m, c, d, bits).hex() for m in messages]
    return {"messages": [None if m is None else m.hex() for m in messages], "tags": tags}


def main():
    check_hash()
    job = json.load(sys.stdin)
    json.dump({"cases": [answer(case, job["algorithms"]) for case in job["cases"]]}, sys.stdout)


if __name__ == "__main__":
    main()
