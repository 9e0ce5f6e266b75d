"""Random tables of DuckDB, with the same values in the notation of tests/kce1/README.md.

A type makes pairs of SQL and that notation. It uses neither keylane nor Arrow.
"""

import datetime
import random
import struct
import uuid
from dataclasses import dataclass
from typing import Callable

WORDS = ["", "a", "user@example.com", "x" * 12, "y" * 13, "z" * 40, "\u00fc\u00df", "it's", "0", "\x01\x02"]
NULLS = 0.15


@dataclass
class Type:
    """A type of DuckDB, its name in the notation, and how a value is drawn."""

    sql: str
    kce: str
    value: Callable[[random.Random], tuple[str, object]]

    def draw(self, rng):
        """SQL and the value, or a null."""
        if rng.random() < NULLS:
            return f"NULL::{self.sql}", None
        text, value = self.value(rng)
        return f"CAST({text} AS {self.sql})", value


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def between(rng, low, high):
    """A number of any size, and often one at an edge."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice([low, high, low + 1, high - 1])
    if kind == 1:
        return max(low, min(high, rng.choice([-1, 0, 1, 10, 100])))
    return max(low, min(high, rng.choice([1, -1]) * rng.getrandbits(rng.randrange(1, high.bit_length() + 1))))


def integer(sql, kce, low, high):
    def value(rng):
        x = between(rng, low, high)
        return quote(str(x)), x if high < 2**31 else str(x)

    return Type(sql, kce, value)


def decimal(width, scale):
    def value(rng):
        n = between(rng, -(10**width) + 1, 10**width - 1)
        if rng.random() < 0.3:
            n -= n % 10**scale
        n = max(-(10**width) + 1, n)
        digits = str(abs(n)).rjust(scale + 1, "0")
        whole, rest = (digits[:-scale], digits[-scale:]) if scale else (digits, "0")
        return quote(f"{'-' if n < 0 else ''}{whole}.{rest}"), str(n)

    return Type(f"DECIMAL({width}, {scale})", f"decimal128({width}, {scale})", value)


def real(sql, kce, form, bits):
    def value(rng):
        edges = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, 0.5, -1.5, 5e-324 if form == "<d" else 1e-45]
        while True:
            x = rng.choice(edges) if rng.random() < 0.5 else rng.uniform(-1e9, 1e9)
            memory = struct.pack(form, x)
            exact = struct.unpack(form, memory)[0]
            return quote(repr(exact)), hex(int.from_bytes(memory, "little"))

    return Type(sql, kce, value)


def text(sql="VARCHAR"):
    def value(rng):
        x = rng.choice(WORDS) if rng.random() < 0.7 else "".join(rng.choices("ab\u00e4 '", k=rng.randrange(60)))
        return quote(x), x

    return Type(sql, "utf8", value)


def blob():
    def value(rng):
        x = rng.randbytes(rng.choice([0, 1, 8, 12, 13, 16, 100]))
        return f"from_hex({quote(x.hex())})", x.hex()

    return Type("BLOB", "binary", value)


def boolean():
    return Type("BOOLEAN", "bool", lambda rng: (lambda x: (str(x).lower(), x))(rng.random() < 0.5))


def date():
    def value(rng):
        days = rng.choice([0, -1, 1, -700_000, 2_000_000, rng.randrange(-100_000, 100_000)])
        return f"DATE '1970-01-01' + ({days})::INTEGER", days

    return Type("DATE", "date32", value)


def time():
    def value(rng):
        x = rng.choice([0, 1, 86_399_999_999, rng.randrange(86_400_000_000)])
        return f"TIME '00:00:00' + to_microseconds({x})", str(x)

    return Type("TIME", "time64[us]", value)


def timestamp(sql, kce, units):
    def value(rng):
        us = rng.choice([0, -1, 1, 999_999, rng.randrange(-(2**60), 2**60), rng.randrange(-(10**15), 10**15)])
        if units == 10**9:
            ns = rng.choice([0, 1, -1, 1000, rng.randrange(-(10**18), 10**18)])
            seconds, rest = divmod(ns, 10**9)
            moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
            return f"'{moment.isoformat(' ')}.{rest:09}'", str(ns)
        stored = us * units // 10**6
        return f"make_timestamp(({stored * (10**6 // units)})::BIGINT)", str(stored)

    return Type(sql, kce, value)


def identifier():
    def value(rng):
        x = uuid.UUID(int=rng.choice([0, 2**128 - 1, 2**127, rng.getrandbits(128)]))
        return quote(str(x)), x.hex

    return Type("UUID", "fixed_size_binary[16]", value)


MOODS = ["sad", "ok", "happy and long enough for a pointer", ""]


def mood():
    def value(rng):
        x = rng.choice(MOODS)
        return quote(x), x

    return Type("mood", "utf8", value)


def array(item):
    def value(rng):
        parts = [item.draw(rng) for _ in range(rng.choice([0, 1, 2, 7]))]
        return f"[{', '.join(part for part, _ in parts)}]", [x for _, x in parts]

    return Type(f"{item.sql}[]", f"list<item: {item.kce}>", value)


def fixed(item, size):
    def value(rng):
        parts = [item.draw(rng) for _ in range(size)]
        return f"[{', '.join(part for part, _ in parts)}]", [x for _, x in parts]

    return Type(f"{item.sql}[{size}]", f"fixed_size_list<item: {item.kce}>[{size}]", value)


def record(**fields):
    def value(rng):
        parts = {name: kind.draw(rng) for name, kind in fields.items()}
        inside = ", ".join(f"{quote(name)}: {part}" for name, (part, _) in parts.items())
        return f"{{{inside}}}", [x for _, x in parts.values()]

    sql = ", ".join(f"{name} {kind.sql}" for name, kind in fields.items())
    kce = ", ".join(f"{name}: {kind.kce}" for name, kind in fields.items())
    return Type(f"STRUCT({sql})", f"struct<{kce}>", value)


INT = integer("INTEGER", "int32", -(2**31), 2**31 - 1)
BIG = integer("BIGINT", "int64", -(2**63), 2**63 - 1)
PLAIN = {
    "i8": integer("TINYINT", "int8", -(2**7), 2**7 - 1),
    "i16": integer("SMALLINT", "int16", -(2**15), 2**15 - 1),
    "i32": INT,
    "i64": BIG,
    "u8": integer("UTINYINT", "uint8", 0, 2**8 - 1),
    "u16": integer("USMALLINT", "uint16", 0, 2**16 - 1),
    "u32": integer("UINTEGER", "uint32", 0, 2**32 - 1),
    "u64": integer("UBIGINT", "uint64", 0, 2**64 - 1),
    "i128": integer("HUGEINT", "decimal128(38, 0)", -(10**38) + 1, 10**38 - 1),
    "b": boolean(),
    "f32": real("FLOAT", "float32", "<f", 32),
    "f64": real("DOUBLE", "float64", "<d", 64),
    "d4": decimal(4, 1),
    "d9": decimal(9, 3),
    "d18": decimal(18, 2),
    "d38": decimal(38, 10),
    "d38w": decimal(38, 0),
    "s": text(),
    "j": text(),
    "x": blob(),
    "date": date(),
    "time": time(),
    "ts": timestamp("TIMESTAMP", "timestamp[us]", 10**6),
    "ts_s": timestamp("TIMESTAMP_S", "timestamp[s]", 1),
    "ts_ms": timestamp("TIMESTAMP_MS", "timestamp[ms]", 10**3),
    "ts_ns": timestamp("TIMESTAMP_NS", "timestamp[ns]", 10**9),
    "tz": timestamp("TIMESTAMPTZ", "timestamp[us, tz=UTC]", 10**6),
    "e": mood(),
}
# Arrow has no type for these, or DuckDB hands them over as another one.
MORE = {
    "u128": integer("UHUGEINT", "decimal256(39, 0)", 0, 2**128 - 1),
    "id": identifier(),
}
NESTED = {
    "l": array(INT),
    "ls": array(text()),
    "ll": array(array(BIG)),
    "a3": fixed(INT, 3),
    "st": record(a=INT, b=text()),
    "sl": record(a=array(text()), b=record(c=PLAIN["f64"], d=PLAIN["d38"])),
    "lst": array(record(a=PLAIN["ts_ns"], b=blob())),
    "le": array(mood()),
}


def make(connection, types, rows, seed):
    """Makes the table `t` with these columns, and returns the columns in the notation."""
    rng = random.Random(seed)
    moods = ", ".join(quote(word) for word in MOODS)
    connection.execute(f"CREATE TYPE mood AS ENUM ({moods})")
    connection.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind.sql}' for name, kind in types.items())})")
    drawn = [[kind.draw(rng) for kind in types.values()] for _ in range(rows)]
    for start in range(0, rows, 100):
        lines = ", ".join(f"({', '.join(part for part, _ in row)})" for row in drawn[start : start + 100])
        connection.execute(f"INSERT INTO t VALUES {lines}")
    columns = {}
    for place, (name, kind) in enumerate(types.items()):
        columns[name] = {"type": kind.kce, "values": [row[place][1] for row in drawn]}
    return columns
