"""One table with a column of every type that KCE-1 hashes, in the notation of tests/kce1/README.md."""

import struct

import pyarrow as pa
from arrows import arrow
from common import KCE1, RAW

TIMES = ["0", "1", None, "-1", "1767225600123456", "86399999999"]
SMALL = ["0", "1", None, "-1", "1767225600", "86399"]
OF_DAY = ["0", "1", None, "43200", "86399", "7"]


def floats(code, values):
    return [None if x is None else hex(int.from_bytes(struct.pack("<" + code, x), "little")) for x in values]


def _numbers(bits, signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    found = [0, 1, None, low, high, 42]
    return [x if x is None or bits < 64 else str(x) for x in found]


REAL = [0.0, -0.0, None, 1.5, float("-inf"), 0.1]
TEXT = ["", "a", None, "\u00fc", "user0@example.com", "x" * 100]
BINARY = ["", "00", None, "ff00", "61", "78" * 100]

COLUMNS = {
    "null": [None] * 6,
    "bool": [True, False, None, True, False, True],
    **{f"int{bits}": _numbers(bits, True) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": _numbers(bits, False) for bits in (8, 16, 32, 64)},
    "float16": floats("e", REAL),
    "float32": floats("f", REAL),
    "float64": floats("d", [*REAL[:3], float("nan"), *REAL[4:]]),
    "utf8": TEXT,
    "large_utf8": TEXT,
    "utf8_view": TEXT,
    "binary": BINARY,
    "large_binary": BINARY,
    "binary_view": BINARY,
    "fixed_size_binary[4]": ["00000000", "61626300", None, "ffffffff", "01020304", "00000001"],
    "date32": [0, 1, None, -1, 20000, -719162],
    "date64": ["0", "86400000", None, "-86400000", "1728000000000", "86400000"],
    "time32[s]": [int(x) if x else None for x in OF_DAY],
    "time32[ms]": [int(x) * 1000 + 7 if x else None for x in OF_DAY],
    "time64[us]": [str(int(x) * 10**6 + 7) if x else None for x in OF_DAY],
    "time64[ns]": [str(int(x) * 10**9 + 7) if x else None for x in OF_DAY],
    "timestamp[s]": SMALL,
    "timestamp[ms]": SMALL,
    "timestamp[us]": TIMES,
    "timestamp[ns]": TIMES,
    "timestamp[us, tz=UTC]": TIMES,
    "duration[s]": SMALL,
    "duration[ms]": SMALL,
    "duration[us]": TIMES,
    "duration[ns]": TIMES,
    "decimal32(9, 2)": ["0", "100", None, "-1234", "5", "123450000"],
    "decimal64(18, 2)": ["0", "100", None, "-1234", "5", "123450000"],
    "decimal128(38, 2)": ["0", "100", None, "-1234", "5", str(10**30)],
    "decimal256(76, 2)": ["0", "100", None, "-1234", "5", str(10**60)],
    "dictionary<values=utf8, indices=int32>": TEXT,
}
RUNS = {"type": "run_end_encoded<run_ends: int32, values: utf8>", "runs": ["a", None, "b"], "run_ends": [2, 3, 6]}
NESTED = {
    "list<item: int64>": [["1", None], None, [], ["2"], ["3", "4"], [None]],
    "struct<a: int64, b: utf8>": [["1", "x"], None, [None, None], ["2", ""], ["3", "y"], ["-1", None]],
}

# Spark has no such types. pyspark refuses them, or makes others of them, whose tags differ where said.
NOT_SPARK = {
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), "Spark has no unsigned integers"),
    **dict.fromkeys(("float16", "date64", "time32[s]", "time32[ms]", "utf8_view", "binary_view"), "not taken"),
    RUNS["type"]: "not taken",
    "decimal256(76, 2)": "38 digits at most",
    "timestamp[ns]": "becomes microseconds, and loses digits",
    "duration[ns]": "refused if digits would be lost",
}


def build():
    """The table, with the notation of a type as the name of its column."""
    arrays = {name: arrow(name, values) for name, values in {**COLUMNS, **NESTED}.items()}
    words = pa.array(RUNS["runs"])
    arrays[RUNS["type"]] = pa.RunEndEncodedArray.from_arrays(pa.array(RUNS["run_ends"], pa.int32()), words)
    return pa.table(arrays)


def plain(name, alg):
    """The tags of a column by the reference, as bytes."""
    column = RUNS if name == RUNS["type"] else {"type": name, "values": COLUMNS[name]}
    return [None if message is None else KCE1.siphash(RAW, message, *KCE1.ALGORITHMS[alg]) for message in KCE1.plain(column)]


def rows(names, alg):
    """The tags of rows of these columns by the reference, as bytes."""
    values = {**COLUMNS, **NESTED}
    columns = [RUNS if name == RUNS["type"] else {"type": name, "values": values[name]} for name in names]
    key = KCE1.row_key(RAW)
    return [KCE1.siphash(key, message, *KCE1.ALGORITHMS[alg]) for message in KCE1.rows(columns)]


def of_integers(tags):
    """Tags of 64 bits as bytes."""
    return [None if tag is None else (tag % 2**64).to_bytes(8, "little") for tag in tags]
