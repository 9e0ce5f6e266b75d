"""Writes tests/testdata/kce1.json by kce1.py, or with --check proves that the file is what kce1.py makes."""

import json
import struct
import sys

import kce1

FILE = kce1.ROOT / "tests" / "testdata" / "kce1.json"

KEY = bytes(range(16))
OTHER_KEY = bytes(255 - 7 * i for i in range(16))
ALGORITHMS = list(kce1.ALGORITHMS)

I64 = [-(2**63), -(2**63) + 1, -(2**32) - 1, -(2**31) - 1, -1, 0, 1, 255, 2**31, 2**32, 2**53 + 1, 2**63 - 1]
TEXTS = ["", "a", "42", "0.5", "users.email", "0.50", " a", "a ", "A", "\u00fc", "u\u0308", "\U0001f511", "\x00",
         "twelve bytes", "thirteen byte", "keylane subkey 1\x00KCE-1 row", "keylane subkey 1\x00users.email",
         "keylane check 1\x00"]


def stream(label, count):
    """Bytes that look random and never change."""
    words = (kce1.siphash(KEY, f"{label} {i}".encode(), 2, 4, 64) for i in range(count // 8 + 1))
    return b"".join(words)[:count]


def texts(values):
    return [None if x is None else str(x) for x in values]


def behind(x):
    """A null with a value behind it, as memory may hold."""
    return {"behind_null": x}


def bits(form, *values):
    """Floats as the text of their bits."""
    form, of, digits = {16: ("<e", "<H", 4), 32: ("<f", "<I", 8), 64: ("<d", "<Q", 16)}[form]
    return [f"0x{struct.unpack(of, struct.pack(form, x))[0]:0{digits}x}" for x in values]


def plain(name, type_, values, **more):
    return {"name": name, "mode": "plain", "key": KEY.hex(), "type": type_, "values": values, **more}


def column(type_, values):
    return {"type": type_, "values": values}


def row(name, *columns, **more):
    return {"name": name, "mode": "row", "key": KEY.hex(), "columns": list(columns), **more}


def nest(type_, values, levels):
    for _ in range(levels):
        type_, values = f"list<item: {type_}>", [None if x is None else [x] for x in values]
    return column(type_, values)


def integers():
    for width in [8, 16, 32, 64]:
        low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
        values = I64 if width == 64 else [low, low + 1, -1, 0, 1, 42, high - 1, high]
        unsigned = [0, 1, 42, high, high + 1, 2**width - 2, 2**width - 1]
        write = texts if width == 64 else list
        yield plain(f"int{width}", f"int{width}", write(values + [None]))
        yield plain(f"uint{width}: the highest bit is no sign", f"uint{width}", write(unsigned + [None]))
    many = struct.unpack("<40q", stream("int64", 320))
    yield plain("int64: 40 values, for kernels of many lanes", "int64", texts(many))
    yield plain("int64: another key", "int64", texts([0, 1, -1]), key=OTHER_KEY.hex())
    yield plain("int64: garbage behind nulls", "int64", ["1", behind("7"), None, "2"])
    yield plain("int64: no rows", "int64", [])
    yield plain("bool", "bool", [False, True, None, True])
    yield plain("null", "null", [None, None, None])
    yield plain("null: no rows", "null", [])


def strings():
    for name in ["utf8", "large_utf8", "utf8_view"]:
        yield plain(f"{name}: nothing is normalised", name, TEXTS + [None, "x" * 63, "x" * 64, "y" * 600])
        yield plain(f"{name}: garbage behind nulls", name, ["a", behind("b"), behind("longer than twelve"), ""])
    lengths = list(range(34)) + [127, 128, 255, 256, 257, 511, 512, 513, 1025]
    content = stream("binary", 1025)
    for name in ["binary", "large_binary", "binary_view"]:
        yield plain(f"{name}: every tail, and lengths around 256 and 512", name,
                    [content[:n].hex() for n in lengths] + [None])
    yield plain("binary: no UTF-8 is expected", "binary", ["ff", "c328", "00", "", None])
    for width in [0, 1, 4, 8, 16, 17]:
        values = [stream(f"fixed {i}", width).hex() for i in range(3)]
        yield plain(f"fixed_size_binary of {width}: all bytes count", f"fixed_size_binary[{width}]",
                    values + ["00" * width, None])
    yield plain("extension arrow.uuid: the storage", "fixed_size_binary[16]",
                ["f81d4fae7dec11d0a76500a0c91e6bf6", None])


def floats():
    nan = {16: ["0x7e00", "0xfe00", "0x7c01", "0x7fff"], 32: ["0x7fc00000", "0xffc00000", "0x7f800001", "0x7fffffff"],
           64: ["0x7ff8000000000000", "0xfff8000000000000", "0x7ff0000000000001", "0x7fffffffffffffff"]}
    edges = {16: ["0x0001", "0x03ff", "0x0400", "0x7bff", "0x8001"],
             32: ["0x00000001", "0x007fffff", "0x00800000", "0x7f7fffff", "0x80000001"],
             64: ["0x0000000000000001", "0x000fffffffffffff", "0x0010000000000000", "0x7fefffffffffffff",
                  "0x8000000000000001"]}
    for width in [16, 32, 64]:
        name = f"float{width}"
        yield plain(f"{name}: -0 is +0", name, bits(width, 0.0, -0.0) + [None])
        yield plain(f"{name}: every NaN is one", name, nan[width])
        yield plain(f"{name}: subnormals, the smallest normal, the largest", name, edges[width])
        inf = float("inf")
        yield plain(f"{name}: others", name, bits(width, 1.0, -1.0, 0.1, 42.0, 1 / 3, inf, -inf))
        yield plain(f"{name}: garbage behind a null", name, bits(width, 2.0) + [behind(bits(width, 3.0)[0]), None])


def times():
    day = 86_400_000
    yield plain("date32: days, before 1970 too", "date32", [-(2**31), -719162, -1, 0, 1, 18262, 2**31 - 1, None])
    last = (2**63 - 1) // day
    yield plain("date64: days, before 1970 too", "date64",
                texts([-719162 * day, -day, 0, day, 18262 * day, last * day, -last * day, None]))
    yield plain("date64: no error behind a null", "date64", [str(day), behind("1"), None])
    for name, value in [("one millisecond", 1), ("one before a negative day", -day - 1), ("-1", -1)]:
        yield plain(f"date64: not whole days: {name}", "date64", texts([0, None, value, day]))
    fit = (2**63 - 1) // 10**6
    seconds = [-1, 0, 1, 1577836800, fit, fit + 1, -fit, -fit - 1, -fit - 2, 2**63 - 1, -(2**63), None]
    fit = (2**63 - 1) // 10**3
    milliseconds = [-1, 0, 1, 1577836800000, fit, fit + 1, -fit, -fit - 1, -fit - 2, 2**63 - 1, -(2**63), None]
    microseconds = [-(2**63), -1, 0, 1, 1577836800000000, 2**63 - 1, None]
    nanoseconds = [-(2**63), -1001, -1000, -999, -100, -1, 0, 1, 10, 100, 500, 999, 1000, 1001, 1100, 1577836800000000000, 1577836800000000001,
                   2**63 - 1, 2**63 - 808, None]
    for name in ["timestamp", "duration"]:
        yield plain(f"{name}[s]: where microseconds do not fit, nanoseconds", f"{name}[s]", texts(seconds))
        yield plain(f"{name}[ms]: where microseconds do not fit, nanoseconds", f"{name}[ms]", texts(milliseconds))
        yield plain(f"{name}[us]", f"{name}[us]", texts(microseconds))
        yield plain(f"{name}[ns]: whole microseconds, and not", f"{name}[ns]", texts(nanoseconds))
    yield plain("timestamp[us]: a zone is not hashed", "timestamp[us, tz=UTC]", texts(microseconds))
    yield plain("timestamp[ns]: a zone is not hashed", "timestamp[ns, tz=Asia/Tokyo]", texts(nanoseconds))
    yield plain("timestamp[s]: garbage behind nulls", "timestamp[s]", ["1", behind(str(2**63 - 1)), None, str(2**60)])
    yield plain("time32[s]: outside of a day too", "time32[s]", [-(2**31), -1, 0, 1, 86399, 86400, 2**31 - 1, None])
    yield plain("time32[ms]", "time32[ms]", [-(2**31), -1, 0, 1, 86399999, 86400000, 2**31 - 1, None])
    yield plain("time64[us]", "time64[us]", texts([-1, 0, 1, 86399999999, 86400000000, 2**63 - 1, None]))
    yield plain("time64[ns]: whole microseconds, and not", "time64[ns]",
                texts([-1, 0, 1, 100, 999, 1000, 1001, 1100, 86399999999999, 86400000000000, None]))


def decimals():
    whole = [2**63 - 1, 2**63, -(2**63), -(2**63) - 1]
    for width, digits in [(32, 9), (64, 18), (128, 38), (256, 76)]:
        name = f"decimal{width}"
        low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
        values = [0, 1, -1, 5, 50, 500, -500, 1234, -1234, -1230, 100, 10**digits - 1, 1 - 10**digits, None]
        for scale in [0, 1, 2, 3, 9]:
            yield plain(f"{name} of scale {scale}: whole, and not", f"{name}({digits}, {scale})", texts(values))
        yield plain(f"{name}: a negative scale", f"{name}({digits}, -3)", texts([0, 5, -5, 10 ** (digits - 1), None]))
        yield plain(f"{name}: all digits behind the point", f"{name}({digits}, {digits})",
                    texts([0, 1, -1, 10 ** (digits - 1), 10**digits - 1, 1 - 10**digits, None]))
        yield plain(f"{name}: beyond its precision", f"{name}({digits}, 1)", texts([low, low + 1, high, high - 1]))
        yield plain(f"{name}: precision 1, beyond it", f"{name}(1, 0)", texts([9, 10, -10, high]))
    for width, digits in [(128, 38), (256, 76)]:
        for scale in [0, 1, 5]:
            scaled = [x * 10**scale for x in whole] + [x * 10**scale + 1 for x in whole]
            yield plain(f"decimal{width} of scale {scale}: around the limits of int64",
                        f"decimal{width}({digits}, {scale})", texts(scaled))
        yield plain(f"decimal{width}: garbage behind a null", f"decimal{width}({digits}, 2)", ["1", behind("777"), None])
    yield plain("decimal64: a negative scale leaves int64", "decimal64(18, -3)",
                texts([(2**63 - 1) // 1000, (2**63 - 1) // 1000 + 1, -((2**63) // 1000), -((2**63) // 1000) - 1]))
    yield plain("decimal256 of scale -128: 205 digits", "decimal256(76, -128)", texts([0, 1, -1, -(2**255), 2**255 - 1]))
    yield plain("decimal32 of scale -128", "decimal32(9, -128)", texts([0, 7, -(2**31)]))
    yield plain("decimal128 of a scale above the digits", "decimal128(38, 38)",
                texts([0, 1, -(10**37), 10**38, 2**127 - 1, -(2**127)]))


def layouts():
    words = ["red", None, "", "a word of more than twelve bytes", "red"]
    keys = [0, 1, 2, 3, 4, None, behind(3), 0]

    def coded(name, type_, **column):
        case = plain(name, type_, None, **column)
        case["values"] = kce1.logical(column)
        return case

    yield coded("dictionary: nulls in keys and in values, a value twice", "dictionary<values=utf8, indices=int32>",
                dictionary=words, indices=keys)
    yield coded("dictionary of integers", "dictionary<values=int16, indices=uint8>", dictionary=[-1, None, 7],
                indices=[2, 0, 1, None, 2])
    yield coded("dictionary: an error in a value that is not referred to", "dictionary<values=date64, indices=int8>",
                dictionary=["86400000", "1"], indices=[0, None, 0])
    yield coded("dictionary: an error in a value that is referred to", "dictionary<values=date64, indices=int8>",
                dictionary=["86400000", "1"], indices=[0, None, 1])
    yield coded("run_end_encoded: nulls in values", "run_end_encoded<run_ends: int32, values: utf8>",
                run_ends=[2, 3, 7], runs=["red", None, "blue"])
    yield coded("run_end_encoded of integers", "run_end_encoded<run_ends: int16, values: int64>",
                run_ends=[1, 2, 5], runs=["1", None, "-1"])


def refused():
    types = ["list<item: int64>", "large_list<item: utf8>", "fixed_size_list<item: int8>[2]", "list_view<item: int64>",
             "large_list_view<item: int64>", "struct<a: int64>", "struct<>", "map<utf8, int64>",
             "interval[year_month]", "interval[day_time]", "interval[month_day_nano]", "union[sparse]<a: int64>"]
    for type_ in types:
        yield plain(f"{type_}: an error even without rows", type_, [])
    yield plain("dictionary of lists", "dictionary<values=list<item: int64>, indices=int32>", [])
    yield plain("run_end_encoded of structs", "run_end_encoded<run_ends: int32, values: struct<a: int64>>", [])
    yield plain("nulls refused", "int64", ["1", "2", None, None], nulls="error")
    yield plain("nulls refused, none there", "int64", ["1", "2"], nulls="error")
    for type_ in ["map<utf8, int64>", "interval[day_time]", "union[dense]<a: int64>", "list<item: map<utf8, int64>>",
                  "struct<a: int64, b: list<item: interval[year_month]>>"]:
        yield row(f"row with {type_}", column("int64", []), column(type_, []))
    yield row("row with a date64 that is not whole days", column("int64", ["1", "2"]), column("date64", ["0", "5"]))
    yield row("row with such a date64 in a list", column("list<item: date64>", [["0"], [], ["0", "-1"]]))
    yield row("row, nulls refused", column("int64", ["1", "2"]), column("utf8", ["a", None]), nulls="error")
    yield row("row, nulls refused, one inside a list", column("list<item: int64>", [["1", None]]), nulls="error")


def rows():
    yield row("no fields", rows=3)
    yield row("no rows", column("int64", []), column("utf8", []))
    yield row("one field is not its plain tag", column("int64", ["1", None, "-1"]))
    yield row("nulls keep their place", column("int64", ["1", None, None]), column("int64", [None, "1", None]))
    yield row("lengths keep texts apart", column("utf8", ["ab", "a", "", None]), column("utf8", ["c", "bc", "abc", ""]))
    yield row("names do not count", column("struct<a: int64>", [["1"]]), column("struct<b: int64>", [["1"]]))
    yield row("another key", column("int64", ["1"]), column("utf8", ["a"]), key=OTHER_KEY.hex())
    yield row("bool, text, binary", column("bool", [True, False, None]), column("utf8", ["a", "", "x"]),
              column("binary", ["61", "", "ff"]), column("fixed_size_binary[2]", ["6100", "0000", None]))
    yield row("text layouts are one", column("large_utf8", ["a"]), column("utf8_view", ["a"]),
              column("large_binary", ["61"]), column("binary_view", ["61"]))
    yield row("fields of the type null", column("null", [None, None]), column("int8", [1, None]), column("null", [None, None]))
    yield row("integers", column("int8", [-1]), column("int16", [-1]), column("int32", [-1]), column("int64", ["-1"]),
              column("uint8", [255]), column("uint16", [65535]), column("uint32", [2**32 - 1]),
              column("uint64", [str(2**64 - 1)]))
    yield row("floats", column("float16", bits(16, 0.5)), column("float32", bits(32, -0.0)),
              column("float64", ["0xfff8000000000001"]))
    yield row("decimals", column("decimal32(9, 2)", ["500", "-1234", None]), column("decimal64(18, 0)", ["5", "7", "0"]),
              column("decimal128(38, 1)", [str(10**37), "5", "50"]),
              column("decimal256(76, -5)", ["1", str(10**70), "-1"]))
    yield row("times", column("date32", [-1, 0]), column("date64", ["-86400000", None]),
              column("time32[s]", [1, 2]), column("time32[ms]", [1, 2]), column("time64[us]", ["1", "2"]),
              column("time64[ns]", ["1000", "1001"]), column("timestamp[s]", [str(2**62), "1"]),
              column("timestamp[ns, tz=UTC]", ["-1", "-1000"]), column("duration[ms]", [None, str(2**63 - 1)]))
    yield row("dictionary", {"type": "dictionary<values=utf8, indices=int32>", "dictionary": ["a", None],
                             "indices": [0, 1, None, 0]}, column("int64", ["1", "2", "3", "4"]))
    yield row("run_end_encoded", {"type": "run_end_encoded<run_ends: int32, values: int64>", "run_ends": [1, 3, 4],
                                  "runs": ["7", None, "8"]}, column("bool", [True, True, False, None]))
    values = [["1", "2"], [], None, [None], ["3"]]
    for name in ["list", "large_list", "list_view", "large_list_view"]:
        yield row(f"{name}: empty is not null", column(f"{name}<item: int64>", values))
    yield row("fixed_size_list: as lists", column("fixed_size_list<item: int64>[2]", [["1", "2"], None, [None, "3"]]))
    yield row("fixed_size_list of none", column("fixed_size_list<item: int64>[0]", [[], None, []]))
    yield row("list: garbage behind a null", column("list<item: int64>", [["1"], behind(["7", "8"]), ["2"]]))
    yield row("fixed_size_list: garbage behind a null",
              column("fixed_size_list<item: date64>[2]", [["0", "86400000"], behind(["1", "2"])]))
    yield row("struct", column("struct<a: int64, b: utf8>", [["1", "x"], [None, "x"], [None, None], None]))
    yield row("struct: children behind a null",
              column("struct<a: int64, b: date64>", [["1", "0"], behind(["2", "1"]), [None, None]]))
    yield row("struct without fields", column("struct<>", [[], None, []]))
    yield row("struct: two fields of one name", column("struct<a: int64, a: int64>", [["1", "2"]]))
    pair = "struct<a: int64, b: int64>"
    yield row("((a, b), c)", column(f"struct<p: {pair}, c: int64>", [[["1", "2"], "3"]]))
    yield row("(a, (b, c))", column(f"struct<a: int64, p: {pair}>", [["1", ["2", "3"]]]))
    yield row("(a, b, c)", column("int64", ["1"]), column("int64", ["2"]), column("int64", ["3"]))
    yield row("lists of structs of lists", column(
        "list<item: struct<a: list<item: utf8>, b: float64>>",
        [[[["x", None], "0x3ff0000000000000"], None, [[], None]], [], None]))
    yield row("list of dictionaries", column("list<item: dictionary<values=utf8, indices=int8>>",
                                             [["a", None, "a"], ["b"]]))
    yield row("struct of runs", column("struct<r: run_end_encoded<run_ends: int32, values: utf8>>", [["a"], ["a"], [None]]))
    pairs = {"dictionary": [["1", "x"], None, [None, ""]], "indices": [2, 1, 0, None, 0]}
    yield row("dictionary of structs", {"type": "dictionary<values=struct<a: int64, b: utf8>, indices=int32>", **pairs})
    runs = {"run_ends": [2, 3, 5], "runs": [["1", None], None, []]}
    yield row("run_end_encoded of lists", {"type": "run_end_encoded<run_ends: int64, values: list<item: int64>>", **runs})
    yield row("list of views", column("list<item: utf8_view>", [["short", "longer than twelve bytes", None]]))
    yield row("null in lists and structs", column("list<item: null>", [[None, None], [], None]),
              column("struct<n: null>", [[None], None, [None]]))
    yield row("64 levels", nest("int64", ["1", None], 64))
    yield row("100 fields", *[column("int32", [i, None]) for i in range(100)])
    yield row("a long value", column("utf8", ["y" * 2000]), column("int64", ["1"]))
    many = struct.unpack("<40q", stream("row", 320))
    yield row("40 rows", column("int64", texts(many)), column("utf8", ["z" * (i % 17) for i in range(40)]))


def keys():
    for key in [KEY, OTHER_KEY, bytes(16), bytes([255] * 16)]:
        message = b"keylane check 1\0"
        yield {"mode": "check", "key": key.hex(), "message": message.hex(), "check": kce1.check(key)}
    contexts = ["users.email", "orders.email", "a", " ", "\x00", "\u00fc", "KCE", "kce-1 row", " KCE-1 row", "x" * 254,
                "x" * 255]
    for key in [KEY, OTHER_KEY]:
        for context in contexts:
            message = b"keylane subkey 1\0" + context.encode("utf-8")
            yield {"mode": "derive", "key": key.hex(), "context": context, "message": message.hex(),
                   "subkey": kce1.derive(key, context).hex()}
        message = b"keylane subkey 1\0KCE-1 row"
        yield {"mode": "row key", "key": key.hex(), "message": message.hex(), "subkey": kce1.row_key(key).hex()}
    for context in ["KCE-1 row", "KCE-1 ", "KCE-", "KCE-2", "KCE-x\u00fc"]:
        try:
            raise AssertionError(kce1.derive(KEY, context))
        except ValueError:
            yield {"mode": "derive", "key": KEY.hex(), "context": context, "error": {"kind": "reserved"}}
    lines = [("users", [], "siphash-2-4-128", "plain"), ("users", ["users.email"], "siphash-2-4-128", "plain"),
             ("users", ["a", "b"], "siphash-1-3-64", "row"), ("a key; name=\u00fc%", ["x; y"], "siphash-2-4-64", "row")]
    for name, contexts, algorithm, mode in lines:
        yield {"mode": "metadata", "key": KEY.hex(), "name": name, "contexts": contexts, "algorithm": algorithm,
               "of": mode, "metadata": kce1.metadata(KEY, name, contexts, algorithm, mode)}


DESCRIPTION = (
    "KCE-1, docs/COLUMNS.md: messages and tags of columns (mode plain) and of rows (mode row), subkeys, check values "
    "and metadata. Computed by tests/kce1/kce1.py; tests/kce1/README.md has the notation. A case with `error` must "
    "raise that error: of the type, of the value or the null in that row, counted from 0, or of a reserved context."
)


def text():
    cases = list(keys())
    for group in [integers, strings, floats, times, decimals, layouts, refused, rows]:
        cases += [{**case, **kce1.answer(case, ALGORITHMS)} for case in group()]
    names = [case["name"] for case in cases if case["mode"] in ["plain", "row"]]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, twice
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    head = f' "description": {json.dumps(DESCRIPTION)},\n "count": {len(cases)},\n'
    return f'{{\n{head} "cases": [\n{lines}\n ]\n}}\n'


def main(arguments):
    checked = kce1.check_hash()
    if arguments == ["--write"]:
        FILE.write_text(text(), encoding="ascii")
    elif arguments == ["--check"]:
        made, there = text().splitlines(), FILE.read_text(encoding="ascii").splitlines()
        for line, (new, old) in enumerate(zip(made, there), 1):
            if new != old:
                raise SystemExit(f"{FILE.name}, line {line} differs from what kce1.py makes:\n{new[:300]}")
        if len(made) != len(there):
            raise SystemExit(f"{FILE.name} has {len(there)} lines, kce1.py makes {len(made)}")
        print(f"{checked} published answers of SipHash; {FILE.name}: {len(made) - 6} cases, no difference")
    else:
        raise SystemExit("usage: vectors.py --write | --check")


if __name__ == "__main__":
    main(sys.argv[1:])
