"""The vectors of KCE-1, through Arrow's capsules: whole, sliced, in chunks, as rows."""

import re

import pyarrow as pa
import pytest
from arrows import NEW, Unsupported, column
from conftest import cases

import keylane

CASES = cases("kce1.json")
PLAIN = [case for case in CASES if case["mode"] == "plain"]
ROW = [case for case in CASES if case["mode"] == "row"]


def shapes(array):
    """The same values in other places: behind an offset, and in chunks, of which some are empty."""
    yield array
    yield pa.concat_arrays([array, array]).slice(len(array)) if not pa.types.is_dictionary(array.type) else array
    cut = len(array) // 2
    yield pa.chunked_array([array.slice(0, cut), array.slice(cut, 0), array.slice(cut)], array.type)


def hexed(tags):
    return [tag if tag is None else tag.hex() for tag in tags.to_pylist()]


def check_error(case, call):
    kind = case["error"]["kind"]
    with pytest.raises(TypeError if kind == "type" else ValueError) as caught:
        call()
    if kind != "type":
        assert f"row {case['error']['row']}:" in str(caught.value)
    assert "column" in str(caught.value)


def test_plain_vectors():
    ran = 0
    for case in PLAIN:
        try:
            array = column(case)
        except Unsupported:
            continue
        key, nulls = keylane.Key(bytes.fromhex(case["key"])), case.get("nulls", "keep")
        ran += 1
        try:
            ways = list(shapes(array))
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            ways = [array]
        for values in ways:
            if "error" in case:
                check_error(case, lambda: keylane.hash_column(values, key, nulls=nulls))
                continue
            for alg, tags in case["tags"].items():
                found = keylane.hash_column(values, key, alg, nulls=nulls, form="binary")
                assert isinstance(found, type(values) if isinstance(values, pa.ChunkedArray) else pa.Array)
                assert hexed(found) == tags, (case["name"], alg)
                if alg.endswith("2-4-128"):
                    assert keylane.pseudonymize(values, key, nulls=nulls).to_pylist() == tags
    assert ran > (125 if NEW else 80), ran


def test_row_vectors():
    ran = 0
    for case in ROW:
        try:
            arrays = [column(part) for part in case["columns"]]
        except Unsupported:
            continue
        if not arrays:
            continue
        key, nulls = keylane.Key(bytes.fromhex(case["key"])), case.get("nulls", "keep")
        names = [f"c{place}" for place in range(len(arrays))]
        table = pa.Table.from_arrays(arrays, names)
        half = len(arrays[0]) // 2
        chunked = [pa.chunked_array([array.slice(0, half), array.slice(half)], array.type) for array in arrays]
        ways = [table, pa.Table.from_arrays([chunked[0], *arrays[1:]], names), arrays]
        if "error" not in case:
            ways.append(pa.RecordBatch.from_arrays(arrays, names))
        ran += 1
        for rows in ways:
            if "error" in case:
                check_error(case, lambda: keylane.hash_rows(rows, key, nulls=nulls))
                continue
            for alg, tags in case["tags"].items():
                found = keylane.hash_rows(rows, key, alg, nulls=nulls, form="binary")
                assert hexed(found) == tags, (case["name"], alg)
    assert ran > (30 if NEW else 20), ran


def test_keys_of_the_vectors():
    for case in CASES:
        if case["mode"] not in ("derive", "check", "metadata"):
            continue
        raw, name = bytes.fromhex(case["key"]), case.get("name", "n")
        expected = case.get("metadata", "")
        if " " in name:
            # Names here have a narrow alphabet; the tests of keylane-columns write this one.
            with pytest.raises(ValueError, match="name of a key"):
                keylane.Key(raw, name=name)
            name, expected = "users", re.sub("key=[^;]*", "key=users", expected)
        key = keylane.Key(raw, name=name)
        if case["mode"] == "check":
            assert key.check() == case["check"]
        elif case["mode"] == "derive":
            if "error" in case:
                # Reserved for keylane itself, which hashes rows under such a subkey.
                assert case["error"] == {"kind": "reserved"}
                with pytest.raises(ValueError, match="reserved"):
                    key.derive(case["context"])
                continue
            subkey = keylane.Key(bytes.fromhex(case["subkey"]))
            derived = key.derive(case["context"])
            assert derived.check() == subkey.check()
            assert keylane.siphashx24(derived, b"x") == keylane.siphashx24(subkey, b"x")
            # This tag of the message is the subkey: docs of Key.derive.
            message = bytes.fromhex(case["message"])
            assert keylane.new("siphash-4-8-128", key, message).hexdigest() == case["subkey"]
        else:
            for context in case["contexts"]:
                key = key.derive(context)
            assert keylane.metadata(key, case["algorithm"], rows=case["of"] == "row") == expected
