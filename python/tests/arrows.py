"""pyarrow arrays from the notation of tests/kce1/README.md, with what lies behind nulls in memory."""

import re

import pyarrow as pa

# Older releases have neither views nor narrow decimals.
NEW = int(pa.__version__.split(".")[0]) >= 20
UNITS = r"\[(s|ms|us|ns)(?:, tz=([^\]]+))?\]"
SIMPLE = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "utf8": pa.string(),
    "large_utf8": pa.large_string(),
    "utf8_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
    "date32": pa.date32(),
    "date64": pa.date64(),
    "float16": pa.float16(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    **{f"{sign}int{bits}": getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


class Unsupported(Exception):
    """pyarrow cannot make such an array from Python."""


def split(text):
    """The parts of `a: T, b: T` at the top level."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def arrow_type(text):
    if text in SIMPLE:
        return SIMPLE[text]
    if found := re.fullmatch(r"fixed_size_binary\[(\d+)\]", text):
        if found[1] == "0":
            raise Unsupported
        return pa.binary(int(found[1]))
    if found := re.fullmatch(r"(timestamp|time32|time64|duration)" + UNITS, text):
        kind = getattr(pa, found[1])
        return kind(found[2], found[3]) if found[3] else kind(found[2])
    if found := re.fullmatch(r"(decimal\d+)\((\d+), (-?\d+)\)", text):
        return getattr(pa, found[1])(int(found[2]), int(found[3]))
    if found := re.fullmatch(r"(list|large_list|list_view|large_list_view)<item: (.*)>", text):
        make = {"list": pa.list_, "large_list": pa.large_list}.get(found[1]) or getattr(pa, found[1])
        return make(arrow_type(found[2]))
    if found := re.fullmatch(r"fixed_size_list<item: (.*)>\[(\d+)\]", text):
        return pa.list_(arrow_type(found[1]), int(found[2]))
    if found := re.fullmatch(r"struct<(.*)>", text):
        fields = [part.split(": ", 1) for part in split(found[1])]
        return pa.struct([pa.field(name, arrow_type(inner)) for name, inner in fields])
    if found := re.fullmatch(r"dictionary<values=(.*), indices=(u?int\d+)>", text):
        return pa.dictionary(SIMPLE[found[2]], arrow_type(found[1]))
    if found := re.fullmatch(r"run_end_encoded<run_ends: (int\d+), values: (.*)>", text):
        return pa.run_end_encoded(SIMPLE[found[1]], arrow_type(found[2]))
    if text.startswith("map<"):
        return pa.map_(pa.string(), pa.int64())
    if text == "interval[month_day_nano]":
        return pa.month_day_nano_interval()
    raise Unsupported


def null(x):
    return x is None or isinstance(x, dict)


def behind(x, default):
    return (x["behind_null"] if isinstance(x, dict) else default) if null(x) else x


def arrow(text, values):
    """An array of this type."""
    try:
        kind = arrow_type(text)
    except (AttributeError, TypeError, ValueError, pa.ArrowException) as error:
        raise Unsupported from error
    try:
        return build(kind, text, values)
    except NotImplementedError as error:
        raise Unsupported from error


def build(kind, text, values):
    mask = [null(x) for x in values]
    valid = pa.array([not x for x in mask], pa.bool_()).buffers()[1] if any(mask) else None
    if pa.types.is_null(kind):
        return pa.nulls(len(values))
    if pa.types.is_boolean(kind):
        return pa.array([None if null(x) else x for x in values], kind)
    if pa.types.is_floating(kind):
        memory = b"".join(int(behind(x, "0"), 16).to_bytes(kind.bit_width // 8, "little") for x in values)
        return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(memory)])
    if pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind):
        memory = b"".join(bytes.fromhex(behind(x, "00" * kind.byte_width)) for x in values)
        return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(memory)])
    if pa.types.is_dictionary(kind):
        if not values:
            return pa.DictionaryArray.from_arrays(pa.array([], kind.index_type), pa.array([], kind.value_type))
        return pa.array([None if null(x) else x for x in values], kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_nested(kind):
        return nested(kind, text, values, mask)
    try:
        width = kind.bit_width // 8
    except ValueError:
        width = None
    if width and "view" not in text:
        wide = [int(behind(x, 0)).to_bytes(width + 1, "little", signed=True)[:width] for x in values]
        return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(b"".join(wide))])
    if "binary" in text:
        encoded = [bytes.fromhex(behind(x, "")) for x in values]
    else:
        encoded = [behind(x, "").encode() for x in values]
    if "view" in text:
        exact = [None if is_null else x for x, is_null in zip(encoded, mask, strict=True)]
        return pa.array(exact, pa.binary_view()).cast(kind)
    size = 8 if "large" in text else 4
    ends, at = [0], 0
    for x in encoded:
        at += len(x)
        ends.append(at)
    offsets = b"".join(end.to_bytes(size, "little") for end in ends)
    buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def nested(kind, text, values, mask):
    nulls = pa.array(mask, pa.bool_())
    if text.startswith("struct<"):
        parts = [part.split(": ", 1)[1] for part in split(text[len("struct<") : -1])]
        empty = [None] * len(parts)
        rows = [x if not is_null else empty for x, is_null in zip(values, mask, strict=True)]
        children = [arrow(part, [row[place] for row in rows]) for place, part in enumerate(parts)]
        if not children:
            raise Unsupported
        return pa.StructArray.from_arrays(children, fields=list(kind), mask=nulls)
    inner = re.fullmatch(r"\w+<item: (.*)>(?:\[\d+\])?", text)
    if inner is None:
        if values:
            raise Unsupported
        return pa.array([], kind)
    lists = [[] if is_null else x for x, is_null in zip(values, mask, strict=True)]
    if text.startswith("fixed_size_list"):
        if kind.list_size == 0:
            raise Unsupported  # pyarrow divides by the size
        lists = [x or [None] * kind.list_size for x in lists]
        flat = arrow(inner[1], [x for part in lists for x in part])
        return pa.FixedSizeListArray.from_arrays(flat, type=kind, mask=nulls)
    flat = arrow(inner[1], [x for part in lists for x in part])
    ends = [0]
    for part in lists:
        ends.append(ends[-1] + len(part))
    size = pa.int64() if text.startswith("large") else pa.int32()
    if "view<" in text.split("item")[0]:
        views = pa.LargeListViewArray if text.startswith("large") else pa.ListViewArray
        sizes = pa.array([len(part) for part in lists], size)
        return views.from_arrays(pa.array(ends[:-1], size), sizes, flat, type=kind, mask=nulls)
    array = pa.LargeListArray if text.startswith("large") else pa.ListArray
    return array.from_arrays(pa.array(ends, size), flat, type=kind, mask=nulls)


def column(case):
    """The array of a case, whose dictionary or runs may be given."""
    try:
        return _column(case)
    except Unsupported:
        raise
    except Exception as error:
        # Older releases lack more, and say so in many ways. The tests count the cases that ran.
        if NEW:
            raise
        raise Unsupported from error


def _column(case):
    text = case["type"]
    if "indices" in case:
        kind = arrow_type(text)
        words = arrow(re.fullmatch(r"dictionary<values=(.*), indices=\w+>", text)[1], case["dictionary"])
        keys = pa.array([None if null(i) else i for i in case["indices"]], kind.index_type)
        return pa.DictionaryArray.from_arrays(keys, words)
    if "run_ends" in case:
        found = re.fullmatch(r"run_end_encoded<run_ends: (\w+), values: (.*)>", text)
        return pa.RunEndEncodedArray.from_arrays(pa.array(case["run_ends"], SIMPLE[found[1]]), arrow(found[2], case["runs"]))
    if text.startswith("run_end_encoded"):
        if case["values"]:
            raise Unsupported
        return pa.array([], arrow_type(text))
    return arrow(text, case["values"])

