"""Every kind of column, against the reference: the same tags, and the same kind out as in."""

import array
import contextlib
import datetime
import decimal
import os
import random
import struct
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import KCE1, RAW, integer_tags, plain_tags, row_tags
from hypothesis import given
from hypothesis import strategies as st

import keylane

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
PANDAS = int(pd.__version__.split(".")[0])


def edges(name):
    info = np.iinfo(name)
    return [info.min, info.min + 1, -1 if info.min else 5, 0, 1, 42, info.max - 1, info.max]


def listed(tags):
    """Tags as a list, in which a null is None."""
    if isinstance(tags, np.ma.MaskedArray):
        return [None if null else int(x) for x, null in zip(tags.data, np.ma.getmaskarray(tags), strict=True)]
    if isinstance(tags, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return [None if pd.isna(x) else x for x in tags.tolist()]
    if isinstance(tags, pl.Series):
        return tags.to_list()
    if isinstance(tags, (pa.Array, pa.ChunkedArray)):
        return tags.to_pylist()
    return list(tags)


# NumPy


@pytest.mark.parametrize("name", INTEGERS)
def test_numpy_integers(key, name):
    values = np.array(edges(name) * 9, dtype=name)
    expected = plain_tags(name, [str(x) for x in values.tolist()])
    for way in numpy_ways(values):
        tags = keylane.hash_column(way, key)
        assert type(tags) is np.ndarray and tags.dtype == np.uint64 and tags.flags.writeable
        assert tags.tolist() == expected


def numpy_ways(values):
    """The same values in other memory: other byte orders, strides, alignments, and read-only."""
    yield values
    yield values.astype(values.dtype.newbyteorder(">"))
    yield values.astype(values.dtype.newbyteorder("<"))
    yield np.repeat(values, 3)[::3]
    yield values[::-1].copy()[::-1]
    yield np.repeat(values.astype(values.dtype.newbyteorder(">")), 2)[::2]
    table = np.empty((len(values), 3), dtype=values.dtype)
    table[:, 1] = values
    yield table[:, 1]
    memory = np.empty(values.nbytes + 1, dtype="u1")
    shifted = memory[1:].view(values.dtype)
    shifted[:] = values
    yield shifted
    packed = np.empty(len(values), dtype=[("a", "u1"), ("b", values.dtype)])
    packed["b"] = values
    yield packed["b"]
    frozen = values.copy()
    frozen.flags.writeable = False
    yield frozen


@pytest.mark.parametrize(("name", "bits"), [("float16", "u2"), ("float32", "u4"), ("float64", "u8")])
def test_numpy_floats(key, name, bits):
    patterns = np.concatenate([np.arange(9), np.arange(2000) * 31]).astype(bits)
    values = np.concatenate([patterns, ~patterns]).view(name)
    given_bits = [hex(x) for x in values.view(bits).tolist()]
    expected = plain_tags(name, given_bits)
    for way in numpy_ways(values):
        assert keylane.hash_column(way, key).tolist() == expected


def test_numpy_bool_and_void(key):
    truths = np.array([True, False, True])
    assert keylane.hash_column(truths, key).tolist() == plain_tags("bool", truths.tolist())
    words = np.array([b"ab\0\0", b"\0\0\0\0"], dtype="V4")
    assert keylane.hash_column(words, key).tolist() == integer_tags([b"ab\0\0", bytes(4)])
    assert keylane.hash_column(words.repeat(2)[::2], key).tolist() == integer_tags([b"ab\0\0", bytes(4)])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_numpy_times(key, unit):
    counts = [0, 1, -1, 999, 10**6, -(10**9), 2**62, -(2**63) + 1, 2**63 - 1]
    for kind, family in (("M8", "timestamp"), ("m8", "duration")):
        expected = plain_tags(f"{family}[{unit}]", [str(x) for x in counts])
        values = np.array(counts, "i8").view(f"{kind}[{unit}]")
        for way in numpy_ways(values):
            assert keylane.hash_column(way, key).tolist() == expected
        with_null = np.append(values, np.array(["NaT"], values.dtype))
        tags = keylane.hash_column(with_null, key)
        assert isinstance(tags, np.ma.MaskedArray) and tags.dtype == np.uint64
        assert listed(tags) == [*expected, None]
        with pytest.raises(ValueError, match=f"row {len(counts)}: a null"):
            keylane.hash_column(with_null, key, nulls="error")


def test_numpy_dates(key):
    days = np.array(["1970-01-01", "1969-12-31", "2026-11-23", "NaT"], "M8[D]")
    assert listed(keylane.hash_column(days, key)) == plain_tags("date32", [0, -1, 20780, None])


def test_numpy_masked(key):
    values = np.ma.MaskedArray([1, 2, 3], mask=[0, 1, 0])
    assert listed(keylane.hash_column(values, key)) == plain_tags("int64", ["1", None, "3"])
    objects = np.ma.MaskedArray(np.array(["a", "b"], dtype=object), mask=[0, 1])
    assert listed(keylane.hash_column(objects, key)) == plain_tags("utf8", ["a", None])
    plain = np.ma.MaskedArray([1, 2])
    assert listed(keylane.hash_column(plain, key)) == plain_tags("int64", ["1", "2"])
    times = np.ma.MaskedArray(np.array([5, "NaT"], "M8[s]"), mask=[1, 0])
    assert listed(keylane.hash_column(times, key)) == [None, None]


def test_numpy_objects(key):
    objects = np.array(["a", None, "\u00fc", np.nan, pd.NA, pd.NaT, np.str_("z")], dtype=object)
    expected = plain_tags("utf8", ["a", None, "\u00fc", None, None, None, "z"])
    assert listed(keylane.hash_column(objects, key)) == expected
    raw = np.array([b"a", bytearray(b"x")][:1], dtype=object)
    assert listed(keylane.hash_column(raw, key)) == integer_tags([b"a"])


@pytest.mark.parametrize(
    ("values", "place"),
    [
        (["a", 5], "row 1: a value of type int among text"),
        (["a", b"a"], "row 1: a value of type bytes among text"),
        ([b"a", None, "a"], "row 2: a value of type str among bytes"),
        ([None, 5], "row 1: a value of type int"),
        ([1.5, "a"], "row 0: a value of type float"),
        ([["secret"]], "row 0: a value of type list"),
        ([bytearray(b"secret")], "row 0: a value of type bytearray"),
        ([decimal.Decimal(1)], "row 0: a value of type Decimal"),
        ([datetime.date(2026, 1, 1)], "row 0: a value of type date"),
    ],
)
def test_mixed_objects_are_refused(key, values, place):
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    for way in (objects, pd.Series(objects, name="c"), values):
        with pytest.raises(TypeError) as caught:
            keylane.hash_column(way, key)
        assert place in str(caught.value)
        assert "secret" not in str(caught.value)
        if isinstance(way, pd.Series):
            assert "column c, " in str(caught.value)


def test_columns_without_a_name_are_called_so(key):
    for values in (pd.Series(pd.period_range("2026", periods=1)), pl.Series([object()])):
        with pytest.raises(TypeError, match=r"^column \(unnamed\): "):
            keylane.hash_column(values, key)


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((2, 2)),
        np.array(5),
        np.array(["a"]),
        np.array([b"a"]),
        np.array([1j]),
        np.array([1], dtype=np.longdouble),
        np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]),
        np.array(["2020"], "M8[Y]"),
        np.array(["2020-01"], "M8[M]"),
        np.array([1], "M8[10s]"),
        np.array([1], "m8[D]"),
        b"bytes",
        "text",
        bytearray(b"x"),
        5,
        None,
        {"a": 1},
        memoryview(b"abcd").cast("B", [2, 2]),
        pd.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}),
        pl.LazyFrame({"a": [1]}),
        pa.table({"a": [1]}),
        pd.MultiIndex.from_tuples([(1, 2)]),
        pd.Series(pd.period_range("2020", periods=2, freq="D")),
        pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1])),
        pd.Series(pd.arrays.SparseArray([1, 0])),
        pl.Series([[1]]),
        pl.Series([{"a": 1}]),
        pl.Series([object()], dtype=pl.Object),
    ],
    ids=lambda wrong: f"{type(wrong).__module__}.{type(wrong).__name__}",
)
def test_what_is_no_column(key, wrong):
    with pytest.raises((TypeError, ValueError)) as caught:
        keylane.hash_column(wrong, key)
    assert RAW.hex() not in str(caught.value)


def test_forms(key):
    values = np.arange(5)
    tags = keylane.hash_column(values, key)
    assert keylane.hash_column(values, key, form="int64").tolist() == tags.view("i8").tolist()
    assert keylane.hash_column(values, key, form="binary").tobytes() == tags.astype("<u8").tobytes()
    assert keylane.hash_column(values, key, form="hex").tolist() == [x.tobytes().hex() for x in tags.astype("<u8")]
    wide = keylane.hash_column(values, key, "siphash-2-4-128")
    assert wide.dtype == "V16"
    assert wide.tolist() == [keylane.siphashx24(key, int(x).to_bytes(8, "little")) for x in values]
    assert keylane.pseudonymize(values, key).tolist() == [x.hex() for x in wide.tolist()]
    for series in (pd.Series(values), pl.Series(values), pa.array(values)):
        assert listed(keylane.pseudonymize(series, key)) == [x.hex() for x in wide.tolist()]
        assert listed(keylane.pseudonymize(series, key, form="binary")) == wide.tolist()
        assert listed(keylane.hash_column(series, key, form="int64")) == tags.view("i8").tolist()
    for wrong in ("uint64", "int64"):
        with pytest.raises(ValueError, match="128 bits"):
            keylane.pseudonymize(values, key, form=wrong)
    for options in ({"form": "x"}, {"nulls": "x"}, {"threads": 0}, {"threads": -1}, {"alg": RAW.hex()}):
        with pytest.raises(ValueError) as caught:
            keylane.hash_column(values, key, **options)
        assert RAW.hex() not in str(caught.value)


def test_pseudonyms_are_never_short(key):
    for alg in ("siphash-1-3-64", "siphash-2-4-64", "siphash-4-8-64", "siphash-1-3-128", "siphash-4-8-128"):
        with pytest.raises(ValueError, match="siphash-2-4-128"):
            keylane.pseudonymize(["a"], key, alg)


def test_columns_are_not_hashed_by_what_makes_subkeys(key):
    import keylane.pandas  # noqa: F401

    calls = (
        lambda alg: keylane.hash_column(["a"], key, alg),
        lambda alg: keylane.hash_rows([["a"]], key, alg),
        lambda alg: pd.Series(["a"]).keylane.hash(key, alg),
        lambda alg: keylane.metadata(key, alg),
    )
    for call in calls:
        for alg in ("siphash-4-8-64", "siphash-4-8-128", "siphash-2-3-64"):
            with pytest.raises(ValueError, match="no such algorithm for columns; there are siphash-1-3-64, "):
                call(alg)
    # A plain message still has every function.
    assert keylane.new("siphash-4-8-128", key, b"keylane subkey 1\0a").digest() == KCE1.derive(RAW, "a")


@pytest.mark.parametrize("alg", ("siphash-1-3-64", "siphash-2-4-64", "siphash-1-3-128", "siphash-2-4-128"))
def test_no_tag_of_a_column_is_a_subkey(key, alg):
    contexts = ("users.email", "a", "x" * 255)
    texts = [f"keylane subkey 1\0{context}" for context in (*contexts, "KCE-1 row")] + ["keylane check 1\0"]
    tags = keylane.hash_column(pa.array(texts), key, alg, form="hex").to_pylist()
    made = [KCE1.derive(RAW, context).hex() for context in contexts] + [KCE1.row_key(RAW).hex(), key.check()]
    assert not any(one.startswith(tag) or tag.startswith(one) for one, tag in zip(made, tags, strict=True))
    for context, subkey in zip(contexts, made, strict=False):
        assert key.derive(context) == keylane.Key(bytes.fromhex(subkey))


def test_other_kinds(key):
    numbers = array.array("q", [1, -2])
    tags = keylane.hash_column(numbers, key)
    assert isinstance(tags, array.array) and tags.typecode == "Q"
    assert tags.tolist() == plain_tags("int64", ["1", "-2"])
    view = keylane.hash_column(memoryview(numbers), key)
    assert isinstance(view, memoryview) and view.tolist() == tags.tolist()
    assert keylane.hash_column(memoryview(numbers)[::-1], key).tolist() == tags.tolist()[::-1]
    assert keylane.hash_column(["a", None], key) == plain_tags("utf8", ["a", None])
    assert keylane.hash_column(("a", None), key) == tuple(plain_tags("utf8", ["a", None]))
    assert keylane.hash_column([], key) == []
    assert keylane.pseudonymize(numbers, key) == [keylane.siphashx24(key, n.to_bytes(8, "little", signed=True)).hex() for n in numbers]
    column = keylane.Column.from_objects(["a", None], "c")
    found = keylane.hash_column(column, key)
    assert isinstance(found, keylane.Column) and found.to_list() == plain_tags("utf8", ["a", None])
    assert found.metadata == {"keylane": keylane.metadata(key, "siphash-1-3-64")}
    assert (found.name, len(found), found.null_count, found.type) == ("c", 2, 1, "UInt64")
    assert pa.array(found).to_pylist() == found.to_list()
    assert pa.field(found).metadata == {b"keylane": found.metadata["keylane"].encode()}


class Capsule:
    """An object with nothing but Arrow's capsules."""

    def __init__(self, values, stream):
        self.values = values
        name = "__arrow_c_stream__" if stream else "__arrow_c_array__"
        setattr(type(self), name, lambda self, requested_schema=None: getattr(self.values, name)(requested_schema))


def test_any_object_with_capsules(key):
    expected = plain_tags("utf8", ["a", None, "b" * 20])
    arrow = pa.array(["a", None, "b" * 20])
    one = type("One", (Capsule,), {})(arrow, False)
    found = keylane.hash_column(one, key)
    assert isinstance(found, keylane.Column) and found.to_list() == expected
    stream = type("Stream", (Capsule,), {})(pa.chunked_array([arrow, arrow.slice(1)]), True)
    found = keylane.hash_column(stream, key)
    assert found.to_list() == expected + expected[1:]
    assert pa.chunked_array(found).to_pylist() == found.to_list()
    assert pl.Series(found).to_list() == found.to_list()
    assert pa.array(found).to_pylist() == found.to_list()
    none = pa.chunked_array([], pa.string())
    assert keylane.hash_column(none, key).to_pylist() == []
    assert keylane.hash_column(none, key).type == pa.uint64()
    with pytest.raises(TypeError):
        keylane.hash_column(pa.chunked_array([], pa.list_(pa.int8())), key)


def test_a_capsule_serves_once(key):
    class Twice:
        capsules = pa.array([1, 2]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    keylane.hash_column(Twice(), key)
    with pytest.raises(ValueError):
        keylane.hash_column(Twice(), key)


@pytest.mark.parametrize("kind", ["stream", "array", "schema"])
def test_a_capsule_that_others_used(key, kind):
    # In a process of its own: hashing what was moved out reads freed memory.
    program = (
        "import sys, keylane, pyarrow as pa\n"
        "stream = pa.chunked_array([[1, 2]]).__arrow_c_stream__()\n"
        "array = pa.array([1, 2] * 1000).__arrow_c_array__()\n"
        "class Stream:\n"
        "    def __arrow_c_stream__(self, requested_schema=None):\n        return stream\n"
        "class Array:\n"
        "    def __arrow_c_array__(self, requested_schema=None):\n        return answer\n"
        "if sys.argv[1] == 'stream':\n    pa.chunked_array(Stream())\n"
        "else:\n    del_me = pa.Array._import_from_c_capsule(*array)\n    del del_me\n"
        "fresh = pa.array([1]).__arrow_c_array__()\n"
        "answer = (fresh[0], array[1]) if sys.argv[1] == 'array' else (array[0], fresh[1])\n"
        "try:\n    keylane.hash_column(Stream() if sys.argv[1] == 'stream' else Array(), bytes(16))\n"
        "except ValueError as error:\n    print(error)\n"
    )
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program, kind], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout.strip()) == (0, "the Arrow capsule was used already, and a capsule serves once")


def test_columns_too_large_to_copy(key):
    with pytest.raises(MemoryError):
        keylane.hash_column(np.broadcast_to(np.int64(1), (2**58,)), key)
    with pytest.raises(MemoryError):
        keylane.hash_column(np.broadcast_to(np.int8(1), (2**60,)), key)


def test_broken_producers(key):
    class Broken:
        def __init__(self, answer):
            self.answer = answer

        def __arrow_c_array__(self, requested_schema=None):
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    for answer in (None, 5, (1, 2), (), pa.array([1]).__arrow_c_array__()[::-1], RuntimeError("mine")):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            keylane.hash_column(Broken(answer), key)


def test_arrays_that_contradict_themselves(key):
    # Arrow checks none of this when an array comes in. Arrow's Rust library panics on some of it.
    codes, offsets = pa.py_buffer(b"\5" * 8), pa.py_buffer(np.array([0, 5, 1], "i4"))
    broken = [
        pa.DictionaryArray.from_buffers(pa.dictionary(pa.int8(), pa.utf8()), 2, [None, codes], pa.array(["a", None])),
        pa.DictionaryArray.from_buffers(pa.dictionary(pa.int8(), pa.utf8()), 2, [None, codes], pa.array(["a"])),
        pa.DictionaryArray.from_buffers(pa.dictionary(pa.int8(), pa.int64()), 2, [None, codes], pa.array([1])),
        pa.Array.from_buffers(pa.string_view(), 2, [None, pa.py_buffer(b"\xff" * 32)]),
        pa.Array.from_buffers(pa.list_(pa.int8()), 2, [None, offsets], children=[pa.array([1], pa.int8())]),
        pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")]),
    ]
    for array in broken:
        for call in (keylane.hash_column, keylane.pseudonymize, lambda array, key: keylane.hash_rows([array], key)):
            try:
                call(array, key)
            except (TypeError, ValueError):
                continue
            raise AssertionError(f"{call} took {array.type}")


def test_codes_that_change_under_way(key):
    codes = np.zeros(1000, "i1")
    column = keylane.Column.from_codes(codes, keylane.Column.from_objects(["a", None], ""), "c")
    expected = keylane.hash_column(column, key)
    codes[:] = 99
    assert keylane.hash_column(column, key).to_list() == expected.to_list() == plain_tags("utf8", ["a"]) * 1000
    with pytest.raises(ValueError, match="contradicts itself"):
        keylane.Column.from_codes(codes, keylane.Column.from_objects(["a"], ""), "c")


def test_categories_that_change_under_way(key):
    words = pd.Categorical.from_codes(np.zeros(50_000, "i1"), ["a", "b"])
    series, codes, stop = pd.Series(words, copy=False), words._ndarray, threading.Event()

    def change():
        while not stop.is_set():
            codes[:] = 99
            codes[:] = 0

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(50):
            # A PanicException is none of these.
            with contextlib.suppress(ValueError, IndexError):
                keylane.hash_column(series, key)
    finally:
        stop.set()
        thread.join()


def test_codes_are_copied_before_they_index(key, monkeypatch):
    # NumPy reads indices twice: to test them, and to write. Between the two, that thread made it write elsewhere.
    words = pd.Categorical.from_codes(np.zeros(10, "i1"), ["a", "b"])
    shared = []
    monkeypatch.setattr("keylane._columns._all_used", lambda codes, _: shared.append(np.shares_memory(codes, words._ndarray)))
    keylane.hash_column(pd.Series(words, copy=False), key)
    assert shared == [False]


def test_a_failing_stream(key):
    def batches():
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("mine")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    with pytest.raises(ValueError):
        keylane.hash_rows(reader, key)


# pandas


def check_series(key, series, expected, dtype):
    series = series.copy()
    series.index = pd.Index(range(10, 10 + len(series)), name="i")
    series.name = "s"
    tags = keylane.hash_column(series, key)
    assert isinstance(tags, pd.Series)
    assert (tags.name, str(tags.dtype)) == ("s", dtype)
    assert tags.index.equals(series.index) and tags.index.name == "i"
    assert listed(tags) == expected
    part = series.iloc[1:]
    assert listed(keylane.hash_column(part, key)) == expected[1:]
    assert listed(keylane.hash_column(series.iloc[::-1], key)) == expected[::-1]
    index = keylane.hash_column(pd.Index(series.array, name="n"), key)
    assert isinstance(index, pd.Index) and index.name == "n"
    assert listed(index) == expected
    hexed = keylane.pseudonymize(series, key)
    assert [x is None for x in listed(hexed)] == [x is None for x in expected]
    assert all(len(x) == 32 for x in listed(hexed) if x is not None)


@pytest.mark.parametrize("name", INTEGERS)
def test_pandas_integers(key, name):
    expected = plain_tags(name, [str(x) for x in edges(name)])
    check_series(key, pd.Series(edges(name), dtype=name), expected, "uint64")
    nullable = pd.array([*edges(name), None], dtype=name.replace("i", "I").replace("u", "U"))
    check_series(key, pd.Series(nullable), [*expected, None], "UInt64")
    arrow = pd.array([*edges(name), None], dtype=f"{name}[pyarrow]")
    check_series(key, pd.Series(arrow), [*expected, None], "uint64[pyarrow]")


def test_pandas_text(key):
    texts = ["a", None, "", "\u00fc", "b" * 40]
    expected = plain_tags("utf8", texts)
    check_series(key, pd.Series(texts, dtype=object), expected, "UInt64")
    for dtype in ["string[python]", "string[pyarrow]", *(["str"] if PANDAS >= 3 else [])]:
        check_series(key, pd.Series(texts, dtype=dtype), expected, "UInt64")
        assert keylane.pseudonymize(pd.Series(texts, dtype=dtype), key).dtype == dtype
    check_series(key, pd.Series(texts, dtype=pd.ArrowDtype(pa.string())), expected, "uint64[pyarrow]")
    assert keylane.pseudonymize(pd.Series(texts, dtype=object), key).dtype == object
    raw = [None if x is None else x.encode() for x in texts]
    check_series(key, pd.Series(raw, dtype=object), expected, "UInt64")


def test_pandas_floats_and_bool(key):
    floats = [1.5, -0.0, float("nan"), float("inf")]
    bits = ["0x3ff8000000000000", "0x0", None, "0x7ff0000000000000"]
    check_series(key, pd.Series(floats), plain_tags("float64", bits), "UInt64")
    check_series(key, pd.Series(floats, dtype="Float64"), plain_tags("float64", bits), "UInt64")
    check_series(key, pd.Series([True, False]), plain_tags("bool", [True, False]), "uint64")
    check_series(key, pd.Series([True, None], dtype="boolean"), plain_tags("bool", [True, None]), "UInt64")


def test_pandas_times(key):
    times = pd.Series(pd.to_datetime(["2020-01-01 00:00:00.123456", None, "1960-02-03 00:00:00.0"]))
    counts = [1577836800123456, None, -312768000000000]
    expected = plain_tags("timestamp[us]", [x if x is None else str(x) for x in counts])
    for unit in ("us", "ns"):
        cast = times.astype(f"M8[{unit}]")
        check_series(key, cast, expected, "UInt64")
        check_series(key, cast.dt.tz_localize("UTC"), expected, "UInt64")
        check_series(key, cast.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"), expected, "UInt64")
    spans = pd.Series(pd.to_timedelta(["1 day", None, "-5 us"]))
    check_series(key, spans, plain_tags("duration[us]", ["86400000000", None, "-5"]), "UInt64")


def test_pandas_categories(key):
    words = pd.Series(["a", "b", None, "a"]).astype("category")
    expected = plain_tags("utf8", ["a", "b", None, "a"])
    check_series(key, words, expected, "UInt64")
    numbers = pd.Series([300, 7, None, 300], dtype="Int64").astype("category")
    check_series(key, numbers, plain_tags("int64", ["300", "7", None, "300"]), "UInt64")
    many = pd.Series(pd.Categorical.from_codes(np.arange(300) % 300, [f"c{i}" for i in range(300)]))
    assert listed(keylane.hash_column(many, key)) == plain_tags("utf8", [f"c{i}" for i in range(300)])
    mixed = pd.Series(pd.Categorical.from_codes([0, 0], pd.Index(["a", 5], dtype=object)))
    assert listed(keylane.hash_column(mixed, key)) == plain_tags("utf8", ["a", "a"])
    used = pd.Series(pd.Categorical.from_codes([0, 1], pd.Index(["a", 5], dtype=object)))
    with pytest.raises(TypeError, match="among text"):
        keylane.hash_column(used, key)
    empty = pd.Series(pd.Categorical([], categories=["a"]))
    assert listed(keylane.hash_column(empty, key)) == []
    chunks = pd.Index(pd.arrays.ArrowExtensionArray(pa.chunked_array([["a"], ["b", "c"]])))
    chunked = pd.Series(pd.Categorical.from_codes([2, 0, -1, 1], chunks))
    assert listed(keylane.hash_column(chunked, key)) == plain_tags("utf8", ["c", "a", None, "b"])
    nothing = pd.Series(pd.Categorical([None, None], categories=[]))
    assert listed(keylane.hash_column(nothing, key)) == [None, None]


def test_pandas_index_and_names(key):
    series = pd.Series([1, 2], index=[5, 5], name=("a", 1))
    tags = keylane.hash_column(series, key)
    assert tags.name == ("a", 1) and tags.index.tolist() == [5, 5]
    assert listed(keylane.hash_column(pd.RangeIndex(3), key)) == plain_tags("int64", ["0", "1", "2"])
    dates = pd.DatetimeIndex(["2020-01-01"], tz="UTC", name="d")
    tags = keylane.hash_column(dates, key)
    assert tags.name == "d" and listed(tags) == plain_tags("timestamp[s]", ["1577836800"])
    assert listed(keylane.hash_column(pd.array([1, None], dtype="Int64"), key)) == plain_tags("int64", ["1", None])
    assert listed(keylane.hash_column(pd.Series([], dtype=object), key)) == []


def test_pandas_arrow_dtypes(key):
    amounts = [decimal.Decimal("1.50"), None, decimal.Decimal("2")]
    series = pd.Series(pd.array(amounts, dtype=pd.ArrowDtype(pa.decimal128(10, 2))))
    check_series(key, series, plain_tags("decimal128(10, 2)", ["150", None, "200"]), "uint64[pyarrow]")
    words = pd.Series(pd.array(["a", "b", "a"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))))
    assert listed(keylane.hash_column(words, key)) == plain_tags("utf8", ["a", "b", "a"])


# Above and below the 12 bytes that a view of Arrow or DuckDB holds itself, and not only ASCII.
MANY_TEXTS = ["a@example.com", None, "", "\u00fc", "\u65e5\u672c" * 30, "x" * 12, "y" * 13, "\U0001f600", "0"] * 7


@pytest.mark.parametrize("dtype", [object, "string[python]", "string[pyarrow]", pd.ArrowDtype(pa.string()), *(["str"] if PANDAS >= 3 else [])])
def test_pandas_digits(key, dtype):
    """Pseudonyms keep the dtype, the index and the name, and are text of the right kind, or bytes."""
    index = pd.MultiIndex.from_arrays([range(63), list("abcdefghi") * 7], names=["i", None])
    wide = [None if x is None else KCE1.siphash(RAW, x.encode(), 2, 4, 128) for x in MANY_TEXTS]
    short = [None if x is None else KCE1.siphash(RAW, x.encode(), 1, 3, 64) for x in MANY_TEXTS]
    series = pd.Series(MANY_TEXTS, index=index, name=("n", 1), dtype=dtype)
    before = series.copy()
    for part, rows in ((series, slice(None)), (series.iloc[::-1], slice(None, None, -1)), (series.iloc[1:2], slice(1, 2)), (series.iloc[:0], slice(0))):
        for call, tags in ((keylane.pseudonymize, wide), (lambda values, key: keylane.hash_column(values, key, form="hex"), short)):
            found = call(part, key)
            assert (found.dtype, found.name) == (series.dtype if dtype != pd.ArrowDtype(pa.string()) else dtype, ("n", 1))
            assert found.index.equals(part.index) and found.index.names == ["i", None]
            assert listed(found) == [None if x is None else x.hex() for x in tags[rows]]
            assert all(type(x) is str and x.isascii() for x in listed(found) if x is not None)
        raw = keylane.pseudonymize(part, key, form="binary")
        assert listed(raw) == wide[rows] and raw.index.equals(part.index)
        assert raw.dtype == (pd.ArrowDtype(pa.binary(16)) if isinstance(dtype, pd.ArrowDtype) else object)
    # An object for each row, as pandas has them: a change of one changes no other, nor the values.
    found = keylane.pseudonymize(series, key)
    found.iloc[0] = "changed"
    assert listed(found)[1:] == [None if x is None else x.hex() for x in wide[1:]]
    assert series.equals(before)


def test_pandas_digits_of_other_columns(key):
    def digits(messages):
        return [None if m is None else KCE1.siphash(RAW, m, 2, 4, 128).hex() for m in messages]

    text = "str" if PANDAS >= 3 else object
    eight = [struct.pack("<q", x) for x in (5, -1)]
    for values in ([5, -1], np.array([5, -1]), pd.array([5, -1], dtype="Int64")):
        found = keylane.pseudonymize(pd.Series(values), key)
        assert found.dtype == text and listed(found) == digits(eight)
    found = keylane.pseudonymize(pd.Series([5, None], dtype="Int64"), key)
    assert found.dtype == text and listed(found) == [*digits(eight[:1]), None]
    words = pd.Series(["a", "\u00fc" * 20, None, "a"], index=[3, 1, 2, 2], name="w").astype("category")
    found = keylane.pseudonymize(words, key)
    assert (found.dtype, found.name, found.index.tolist()) == (text, "w", [3, 1, 2, 2])
    assert listed(found) == digits([b"a", "\u00fc".encode() * 20, None, b"a"])
    index = keylane.pseudonymize(pd.Index(["a", "b"], name="n"), key)
    assert isinstance(index, pd.Index) and index.name == "n" and list(index) == digits([b"a", b"b"])
    chunks = pd.Series(pd.array(pa.chunked_array([["a"], [], [None, "b"]]), dtype="string[pyarrow]"))
    assert listed(keylane.pseudonymize(chunks, key)) == digits([b"a", None, b"b"])
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=[7, 8])
    for rows in (frame, [frame["a"], frame["b"]]):
        tags = keylane.hash_rows(rows, key)
        found = keylane.hash_rows(rows, key, form="hex")
        assert found.dtype == text and found.index.tolist() == [7, 8]
        assert found.tolist() == [x.to_bytes(8, "little").hex() for x in tags.tolist()]
        raw = keylane.hash_rows(rows, key, form="binary")
        assert raw.dtype == object and raw.tolist() == [x.to_bytes(8, "little") for x in tags.tolist()]


def test_pandas_digits_in_pieces(key):
    """Offsets of 32 bits reach 2^26 pseudonyms, and a column may have more."""
    column = keylane.Column.from_arrow(pa.chunked_array([["a", "b"], ["c"]]))
    assert column.pieces(1).to_list() == column.pieces().to_list() == ["a", "b", "c"]
    for size, chunks in ((1, [1, 1, 1]), (2, [2, 1]), (9, [2, 1])):
        assert [len(chunk) for chunk in pa.chunked_array(column.pieces(size)).chunks] == chunks
    nothing = keylane.Column.from_arrow(pa.chunked_array([[]], pa.string()))
    assert len(nothing.pieces(1)) == 0 and pa.chunked_array(nothing.pieces(1)).type == pa.string()
    with pytest.raises(ValueError, match="1 or more"):
        column.pieces(0)


def test_numpy_digits(key):
    values = np.arange(300)
    messages = [struct.pack("<q", x) for x in range(300)]
    wide = [KCE1.siphash(RAW, m, 2, 4, 128).hex() for m in messages]
    tags = keylane.pseudonymize(values, key)
    assert tags.dtype == "U32" and tags.tolist() == wide and tags.flags.writeable
    short = keylane.hash_column(values, key, form="hex")
    assert short.dtype == "U16" and short.tolist() == [KCE1.siphash(RAW, m, 1, 3, 64).hex() for m in messages]
    masked = keylane.pseudonymize(np.ma.MaskedArray(values, values % 3 == 1), key)
    assert masked.dtype == "U32" and masked.tolist() == [None if x % 3 == 1 else wide[x] for x in range(300)]
    # Behind a mask lies nothing of the value.
    assert set(masked.data[1::3].tolist()) == {"0" * 32}
    assert keylane.pseudonymize(values[:0], key).dtype == "U32"
    rows = keylane.hash_rows([values], key, form="hex")
    assert rows.dtype == "U16" and rows.tolist() == [x.to_bytes(8, "little").hex() for x in keylane.hash_rows([values], key).tolist()]


def test_lists_of_columns(key):
    """`to_list` has each kind of tag, and None for nulls."""
    column = keylane.Column.from_objects(["a", None, "b"] * 3, "c")
    messages = [b"a", None, b"b"] * 3
    wide = [None if m is None else KCE1.siphash(RAW, m, 2, 4, 128) for m in messages]
    assert keylane.pseudonymize(column, key).to_list() == [None if x is None else x.hex() for x in wide]
    assert keylane.pseudonymize(column, key, form="binary").to_list() == wide
    unsigned = integer_tags(messages)
    assert keylane.hash_column(column, key).to_list() == unsigned
    signed = [None if x is None else x - (x >> 63 << 64) for x in unsigned]
    assert keylane.hash_column(column, key, form="int64").to_list() == signed
    assert keylane.sample(column, key, 1.0).to_list() == [True, False, True] * 3
    assert keylane.Column.from_arrow(pa.array(["\u00fc", None])).to_list() == ["\u00fc", None]
    assert keylane.Column.from_arrow(pa.array([None], pa.float64())).to_list() == [None]
    with pytest.raises(TypeError, match="a column of Float64 has no list here"):
        keylane.Column.from_arrow(pa.array([None, 1.5])).to_list()


def test_uint64_with_nulls_stays_whole(key):
    values = pd.Series([2**64 - 1, None, 1], dtype="UInt64")
    tags = keylane.hash_column(values, key)
    assert str(tags.dtype) == "UInt64"
    assert listed(tags) == plain_tags("int64", ["-1", None, "1"])
    assert all(isinstance(x, int) for x in listed(tags) if x is not None)


def test_pandas_accessor(key):
    import keylane.pandas  # noqa: F401

    series = pd.Series(["a", "b"], name="n")
    assert series.keylane.hash(key).equals(keylane.hash_column(series, key))
    assert series.keylane.pseudonymize(key).equals(keylane.pseudonymize(series, key))
    assert series.keylane.sample(key, 1.0).tolist() == [True, True]


# Polars


def test_polars_series(key):
    texts = ["a", None, "", "b" * 40]
    expected = plain_tags("utf8", texts)
    whole = pl.Series("s", texts)
    chunked = pl.concat([whole[:1], whole[1:1], whole[1:]], rechunk=False)
    for series in (whole, chunked, whole.cast(pl.Categorical), whole.cast(pl.Binary)):
        tags = keylane.hash_column(series, key)
        assert isinstance(tags, pl.Series) and (tags.name, tags.dtype) == ("s", pl.UInt64)
        assert tags.to_list() == expected
        assert keylane.hash_column(series[1:], key).to_list() == expected[1:]
        assert keylane.pseudonymize(series, key).dtype == pl.String
        assert keylane.pseudonymize(series, key, form="binary").dtype == pl.Binary
    enum = pl.Series(["a", None], dtype=pl.Enum(["b", "a"]))
    assert keylane.hash_column(enum, key).to_list() == expected[:2]
    assert keylane.hash_column(pl.Series([], dtype=pl.String), key).to_list() == []
    assert keylane.hash_column(pl.Series([None, None]), key).to_list() == [None, None]


def test_polars_names_with_zero_bytes():
    # In a process of its own: Polars aborts when it exports such a name.
    program = (
        "import keylane, polars as pl\n"
        "key, name = bytes(16), 'a\\0b'\n"
        "series = pl.Series(name, [1, 2])\n"
        "plain = keylane.hash_column(pl.Series([1, 2]), key).to_list()\n"
        "tags = keylane.hash_column(series, key)\n"
        "assert tags.name == name and tags.to_list() == plain\n"
        "assert keylane.hash_column(pl.Series(name, [None]), key).to_list() == [None]\n"
        "rows = keylane.hash_rows(pl.DataFrame({'a': [1, 2]}), key).to_list()\n"
        "assert keylane.hash_rows(pl.DataFrame({name: [1, 2]}), key).to_list() == rows\n"
        "try:\n    keylane.hash_rows([pl.Series('s', [{name: 1}])], key)\n"
        "except ValueError as error:\n    print(error)\n"
    )
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout.strip()) == (0, "column s: a field whose name has a zero byte"), done


def test_polars_types(key):
    when = datetime.datetime(2020, 1, 1)
    count = str(int(when.replace(tzinfo=datetime.UTC).timestamp()))
    for unit in ("ms", "us", "ns"):
        for zone in (None, "UTC", "Asia/Tokyo"):
            series = pl.Series([when], dtype=pl.Datetime(unit)).dt.replace_time_zone(zone and "UTC")
            series = series.dt.convert_time_zone(zone) if zone else series
            assert keylane.hash_column(series, key).to_list() == plain_tags("timestamp[s]", [count])
    assert keylane.hash_column(pl.Series([when.date()]), key).to_list() == plain_tags("date32", [18262])
    assert keylane.hash_column(pl.Series([datetime.time(0, 0, 1)]), key).to_list() == plain_tags("time32[s]", [1])
    amounts = pl.Series([decimal.Decimal("-12.340")], dtype=pl.Decimal(10, 3))
    assert keylane.hash_column(amounts, key).to_list() == integer_tags([b"-12.34"])
    assert keylane.hash_column(pl.Series([True, None]), key).to_list() == plain_tags("bool", [True, None])


# Rows


def test_rows_of_every_kind(key):
    columns = [("utf8", ["a", None, ""]), ("int64", ["1", "2", "3"]), ("float64", ["0x0", None, "0x3ff8000000000000"])]
    expected = row_tags(columns)
    data = {"t": ["a", None, ""], "i": [1, 2, 3], "f": [-0.0, None, 1.5]}
    frame = pd.DataFrame({"t": np.array(data["t"], dtype=object), "i": data["i"], "f": data["f"]}, index=[7, 8, 9])
    for table in (frame, frame.astype({"t": "string"})):
        tags = keylane.hash_rows(table, key)
        assert isinstance(tags, pd.Series) and tags.index.tolist() == [7, 8, 9] and tags.dtype == np.uint64
        assert tags.tolist() == expected
    polars = pl.DataFrame(data)
    tags = keylane.hash_rows(polars, key)
    assert isinstance(tags, pl.Series) and tags.to_list() == expected
    table = pa.table(data)
    assert isinstance(keylane.hash_rows(table, key), pa.ChunkedArray)
    assert keylane.hash_rows(table, key).to_pylist() == expected
    assert keylane.hash_rows(table.to_batches()[0], key).to_pylist() == expected
    assert keylane.hash_rows({"t": data["t"], "i": np.array(data["i"]), "f": pl.Series(data["f"])}, key) == expected
    arrays = [np.array(["a", None, ""], dtype=object), np.array([1, 2, 3]), pa.array(data["f"])]
    tags = keylane.hash_rows(arrays, key)
    assert isinstance(tags, np.ndarray) and tags.tolist() == expected
    assert keylane.hash_rows([pd.Series(data["t"]), pl.Series(data["i"]), pa.array(data["f"])], key).tolist() == expected
    assert keylane.hash_rows([pl.Series(data["t"]), pl.Series(data["i"]), pl.Series(data["f"])], key).to_list() == expected
    chosen = row_tags([columns[2], columns[0]])
    for some in (frame, polars, table, data | {"i": pl.Series([1]), "f": pl.Series(data["f"])}):
        assert listed(keylane.hash_rows(some, key, columns=["f", "t"])) == chosen
    assert keylane.hash_rows(pd.MultiIndex.from_arrays([["a"], [1]]), key).tolist() == [row_tags([("utf8", ["a"]), ("int64", ["1"])])[0]]


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)}),
        pl.DataFrame({"a": [1]}),
        pl.LazyFrame({"a": [1]}),
        pd.DataFrame({"a": [1]}),
        pd.MultiIndex.from_tuples([(1, 2)]),
        pa.table({"a": [1]}),
        pa.record_batch({"a": [1]}),
    ],
    ids=lambda table: f"{type(table).__module__}.{type(table).__name__}",
)
def test_a_table_is_no_column_of_rows(key, table):
    for rows in ([table], (table,), {"c": table}, [np.array([1]), table]):
        with pytest.raises(TypeError, match="is a table"):
            keylane.hash_rows(rows, key)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame, dict])
def test_one_name_of_a_column(key, make):
    table = make({"ab": [1, 2], "a": [3, 4], "b": [5, 6]} if make is not dict else {"ab": pa.array([1, 2]), "a": [], "b": []})
    assert listed(keylane.hash_rows(table, key, columns="ab")) == row_tags([("int64", ["1", "2"])])


def test_columns_without_names_in_errors(key):
    with pytest.raises(ValueError, match=r"^column \(unnamed\), row 1: a null$"):
        keylane.hash_column(["a", None], key, nulls="error")
    with pytest.raises(ValueError, match=r"^column 1 \(unnamed\) has 3 rows, not 2$"):
        keylane.hash_rows([np.arange(2), np.arange(3)], key)
    with pytest.raises(ValueError, match=r"^column 1 \(unnamed\), row 0: a null$"):
        keylane.hash_rows([["a"], [None]], key, nulls="error")


def test_rows_are_not_values(key):
    one = keylane.hash_rows(pa.table({"a": [1]}), key).to_pylist()
    assert one == row_tags([("int64", ["1"])])
    assert one != keylane.hash_column(pa.array([1]), key).to_pylist()


def test_rows_that_are_refused(key):
    with pytest.raises(ValueError, match="rows"):
        keylane.hash_rows([np.arange(2), np.arange(3)], key)
    with pytest.raises(KeyError):
        keylane.hash_rows(pa.table({"a": [1]}), key, columns=["b"])
    with pytest.raises(KeyError):
        keylane.hash_rows(pd.DataFrame({"a": [1]}), key, columns=["b"])
    with pytest.raises(ValueError, match="several"):
        keylane.hash_rows(pa.Table.from_arrays([pa.array([1])] * 2, ["a", "a"]), key, columns=["a"])
    with pytest.raises(ValueError, match="at least one"):
        keylane.hash_rows([], key)
    with pytest.raises(TypeError):
        keylane.hash_rows([np.arange(2)], key, columns=["a"])
    with pytest.raises(TypeError):
        keylane.hash_rows(pl.LazyFrame({"a": [1]}), key)
    with pytest.raises(TypeError):
        keylane.hash_rows(5, key)
    with pytest.raises(TypeError, match="table"):
        keylane.hash_rows(pa.array([1]), key)
    with pytest.raises(ValueError, match="indexes"):
        keylane.hash_rows([pd.Series([1], index=[1]), pd.Series([1], index=[2])], key)
    with pytest.raises(ValueError, match="column b, row 1: a null"):
        keylane.hash_rows(pl.DataFrame({"a": [1, 2], "b": ["x", None]}), key, nulls="error")
    doubled = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert keylane.hash_rows(doubled, key).tolist() == row_tags([("int64", ["1"]), ("int64", ["2"])])
    with pytest.raises(ValueError, match="several"):
        keylane.hash_rows(doubled, key, columns=["a"])


def test_chunks_that_differ(key):
    left = pa.chunked_array([[1, 2], [], [3, 4, 5]], pa.int64())
    right = pa.chunked_array([["a"], ["b", "c", None], ["e"]])
    table = pa.Table.from_arrays([left, right], ["l", "r"])
    expected = row_tags([("int64", list("12345")), ("utf8", ["a", "b", "c", None, "e"])])
    assert keylane.hash_rows(table, key).to_pylist() == expected
    with pytest.raises(ValueError, match="row 3: a null"):
        keylane.hash_rows(table, key, nulls="error")


# Contexts, keys, samples, threads


def test_contexts_and_keys(key):
    values = np.arange(3)
    subkey = key.derive("users.id")
    expected = keylane.hash_column(values, subkey).tolist()
    assert keylane.hash_column(values, key, context="users.id").tolist() == expected
    assert keylane.hash_rows([values], key, context="users.id").tolist() == keylane.hash_rows([values], subkey).tolist()
    assert keylane.hash_column(values, RAW, context="users.id").tolist() == expected
    name = keylane.keys.load("columns", key)
    assert keylane.hash_column(values, "columns", context="users.id").tolist() == expected
    assert keylane.hash_column(values, name.derive("users.id")).tolist() == expected
    with pytest.raises(ValueError, match="1 to 255"):
        keylane.hash_column(values, key, context="")
    with pytest.raises(ValueError, match="reserved"):
        keylane.hash_column(values, key, context="KCE-1 row")


def test_samples(key):
    ids = np.arange(20_000)
    tags = keylane.hash_column(ids, key)
    for fraction in (0.0, 0.01, 0.5, 1.0, 2**-64):
        kept = keylane.sample(ids, key, fraction)
        assert kept.dtype == bool
        assert kept.tolist() == [int(tag) < fraction * 2**64 for tag in tags]
    assert 150 < keylane.sample(ids, key, 0.01).sum() < 250
    kept = keylane.sample(ids, key, 0.3)
    assert keylane.sample(pd.Series(ids), key, 0.3).tolist() == kept.tolist()
    assert keylane.sample(pl.Series(ids), key, 0.3).to_list() == kept.tolist()
    assert keylane.sample(pa.array(ids), key, 0.3).to_pylist() == kept.tolist()
    assert keylane.sample(pa.array(ids), key, 0.3).type == pa.bool_()
    assert keylane.sample(["a", None], key, 1.0) == [True, False]
    assert keylane.sample(pd.Series(["a", None]), key, 1.0).dtype == bool
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="fraction"):
            keylane.sample(ids, key, wrong)


def test_threads(key):
    ids = np.arange(300_000)
    texts = pa.array([str(i) for i in range(50_000)])
    expected, words = keylane.hash_column(ids, key), keylane.hash_column(texts, key)
    assert np.array_equal(keylane.hash_column(ids, key, threads=3), expected)
    wrong = []

    def work():
        for _ in range(5):
            if not np.array_equal(keylane.hash_column(ids, key), expected):
                wrong.append("ids")
            if not keylane.hash_column(texts, key, threads=2).equals(words):
                wrong.append("texts")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Random tables


@given(st.lists(st.none() | st.text(max_size=30), max_size=40))
def test_text_through_every_kind(texts):
    key, expected = keylane.Key(RAW), plain_tags("utf8", texts)
    ways = [texts, np.array([*texts, None], dtype=object)[:-1], pa.array(texts, pa.string()), pa.array(texts, pa.string_view())]
    ways += [pl.Series(texts, dtype=pl.String), pd.Series(texts, dtype=object), pd.Series(texts, dtype="string[python]")]
    ways += [pa.array(texts, pa.large_string()), pa.array(texts, pa.string()).dictionary_encode()]
    for way in ways:
        assert listed(keylane.hash_column(way, key)) == expected


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=40))
def test_integers_through_every_kind(numbers):
    key = keylane.Key(RAW)
    expected = plain_tags("int64", [None if n is None else str(n) for n in numbers])
    ways = [pa.array(numbers, pa.int64()), pl.Series(numbers, dtype=pl.Int64), pd.Series(pd.array(numbers, dtype="Int64"))]
    mask = [n is None for n in numbers]
    ways.append(np.ma.MaskedArray(np.array([n or 0 for n in numbers], dtype="i8"), mask=np.array(mask, dtype=bool)))
    for way in ways:
        assert listed(keylane.hash_column(way, key)) == expected


def test_random_rows_against_the_reference(key):
    rng = random.Random(7)
    kinds = {
        "int64": lambda: str(rng.randrange(-(2**63), 2**63)),
        "utf8": lambda: "".join(rng.choices("aZ \u00fc\U0001f511\0", k=rng.randrange(20))),
        "float64": lambda: hex(rng.getrandbits(64)),
        "bool": lambda: rng.random() < 0.5,
        "list<item: int32>": lambda: [rng.choice([None, rng.randrange(9)]) for _ in range(rng.randrange(4))],
        "struct<a: int64, b: utf8>": lambda: [str(rng.randrange(9)), rng.choice([None, "x"])],
    }
    from arrows import arrow

    for _ in range(40):
        count = rng.randrange(1, 12)
        names = rng.choices(list(kinds), k=rng.randrange(1, 5))
        columns = [(name, [None if rng.random() < 0.2 else kinds[name]() for _ in range(count)]) for name in names]
        table = pa.Table.from_arrays([arrow(*column) for column in columns], [f"c{i}" for i in range(len(columns))])
        expected = row_tags(columns)
        assert keylane.hash_rows(table, key).to_pylist() == expected
        assert keylane.hash_rows(table.slice(1), key).to_pylist() == expected[1:]
        polars = pl.from_arrow(table)
        assert keylane.hash_rows(polars, key).to_list() == expected
