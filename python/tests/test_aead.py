"""ChaCha20-Poly1305 and XChaCha20-Poly1305, against published answers and pyca/cryptography."""

import copy
import json
import os
import pickle
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import keylane
from keylane.aead import ChaCha20Poly1305, InvalidTag, XChaCha20Poly1305

NONCES = {ChaCha20Poly1305: 12, XChaCha20Poly1305: 24}
BOTH = pytest.mark.parametrize("cls", NONCES)


def wycheproof(cls):
    name = "chacha20" if cls is ChaCha20Poly1305 else "xchacha20"
    path = ROOT / "tests" / "testdata" / "wycheproof" / f"{name}_poly1305_test.json"
    for group in json.loads(path.read_text(encoding="utf-8"))["testGroups"]:
        for case in group["tests"]:
            yield *(bytes.fromhex(case[part]) for part in ("key", "iv", "aad", "msg", "ct", "tag")), case["result"]


@BOTH
def test_published_answers(cls):
    ran = 0
    for key, nonce, aad, message, ciphertext, tag, result in wycheproof(cls):
        cipher, sealed = cls(key), ciphertext + tag
        ran += 1
        if len(nonce) != NONCES[cls]:
            for call in cipher.encrypt, cipher.decrypt:
                with pytest.raises(ValueError, match=f"a nonce here has {NONCES[cls]} bytes, not {len(nonce)}"):
                    call(nonce, sealed, aad)
        elif result == "valid":
            assert cipher.encrypt(nonce, message, aad) == sealed
            assert cipher.decrypt(nonce, sealed, aad) == message
            assert cipher.seal_many([nonce], [message], [aad]) == [sealed]
            assert cipher.open_many((nonce,), (sealed,), aad) == [message]
        else:
            with pytest.raises(InvalidTag):
                cipher.decrypt(nonce, sealed, aad)
            assert cipher.open_many([nonce], [sealed], aad) == [None]
    assert ran > 250


def test_pyca_gives_the_same():
    theirs = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead").ChaCha20Poly1305

    keys, nonces = st.binary(min_size=32, max_size=32), st.binary(min_size=12, max_size=12)

    @given(keys, nonces, st.binary(max_size=3000), st.binary(max_size=300))
    def same(key, nonce, data, aad):
        sealed = ChaCha20Poly1305(key).encrypt(nonce, data, aad)
        assert sealed == theirs(key).encrypt(nonce, data, aad)
        assert theirs(key).decrypt(nonce, ChaCha20Poly1305(key).encrypt(nonce, data, None), None) == data

    same()
    packets = [os.urandom(size) for size in range(300)]
    numbers = [number.to_bytes(12, "big") for number in range(300)]
    column = ChaCha20Poly1305(bytes(32)).seal_column(pa.array(numbers), pa.array(packets), b"x")
    assert column.to_pylist() == [theirs(bytes(32)).encrypt(*packet, b"x") for packet in zip(numbers, packets)]
    for size in 65535, 65536, 1 << 20:
        data = os.urandom(size)
        sealed = ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), data, b"x")
        assert sealed == theirs(bytes(32)).encrypt(bytes(12), data, b"x")
        assert ChaCha20Poly1305(bytes(32)).decrypt(bytes(12), sealed, b"x") == data


@BOTH
@given(st.lists(st.tuples(st.binary(max_size=600), st.binary(max_size=40)), max_size=200), st.data())
def test_many_are_like_one(cls, packets, drawn):
    cipher = cls(os.urandom(32))
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(len(packets))]
    data, aads = [data for data, _ in packets], [aad for _, aad in packets]
    sealed = cipher.seal_many(nonces, data, aads)
    assert sealed == [cipher.encrypt(*packet) for packet in zip(nonces, data, aads)]
    assert cipher.seal_many(tuple(nonces), tuple(data)) == [cipher.encrypt(*packet) for packet in zip(nonces, data)]
    assert cipher.open_many(nonces, sealed, aads) == data
    forged = drawn.draw(st.sets(st.integers(0, max(len(packets) - 1, 0)))) if packets else set()
    for place in forged:
        changed = bytearray(sealed[place])
        changed[place % len(changed)] ^= 1
        sealed[place] = bytes(changed[: drawn.draw(st.integers(0, len(changed)))]) if place % 3 == 0 else bytes(changed)
    expected = [None if place in forged else message for place, message in enumerate(data)]
    assert cipher.open_many(nonces, sealed, aads) == expected


@BOTH
def test_a_forged_packet_gives_nothing(cls):
    cipher, nonce = cls(bytes(32)), bytes(NONCES[cls])
    sealed = cipher.encrypt(nonce, b"payload", b"header")
    for bit in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(InvalidTag) as caught:
            cipher.decrypt(nonce, changed, b"header")
        assert str(caught.value) == "the tag does not match"
    for wrong in (nonce, sealed, b"another"), (nonce, sealed, None), (nonce[1:] + b"\1", sealed, b"header"), (nonce, b"", b""):
        with pytest.raises(InvalidTag):
            cipher.decrypt(*wrong)
    for length in range(16):
        with pytest.raises(InvalidTag):
            cipher.decrypt(nonce, bytes(length))
    assert InvalidTag is keylane.TagMismatch


@BOTH
def test_wrong_arguments(cls):
    cipher, nonce = cls(bytearray(32)), bytes(NONCES[cls])
    for size in 0, 16, 31, 33:
        with pytest.raises(ValueError, match=f"a key here has 32 bytes, not {size}"):
            cls(bytes(size))
    for key in "x" * 32, 32, None, [0] * 32:
        with pytest.raises(TypeError):
            cls(key)
    for wrong in "text", 1, [b"x"]:
        for arguments in (wrong, b"", b""), (nonce, wrong, b""), (nonce, b"", wrong):
            with pytest.raises(TypeError):
                cipher.encrypt(*arguments)
            with pytest.raises(TypeError):
                cipher.decrypt(*arguments)
        for call in cipher.seal_many, cipher.open_many:
            with pytest.raises(TypeError, match="packet 65: data that is not bytes"):
                call([nonce] * 70, [bytes(16)] * 65 + [wrong] * 5)
            with pytest.raises(TypeError, match="packet 1: nonce that is not bytes"):
                call([nonce, wrong], [bytes(16)] * 2)
            with pytest.raises(TypeError, match="packet 0: associated data that is not bytes"):
                call([nonce], [bytes(16)], [wrong])
    for call in cipher.seal_many, cipher.open_many:
        for arguments in (nonce, [b""]), ([nonce], b""), ([nonce], [b""], "text"), (iter([nonce]), [b""]):
            with pytest.raises(TypeError, match="a list or a tuple of bytes"):
                call(*arguments)
        for arguments in ([nonce], []), ([], [b""]), ([nonce], [b""], []), ([nonce], [b""], [b"", b""]):
            with pytest.raises(ValueError, match="packets and"):
                call(*arguments)
        with pytest.raises(ValueError, match="a nonce here has"):
            call([nonce, nonce[1:]], [b"", b""])
        assert call([], []) == [] and call((), (), ()) == []


@BOTH
def test_no_key_gets_out(cls):
    key = cls.generate_key()
    assert len(key) == 32 and key != cls.generate_key()
    cipher = cls(key)
    assert repr(cipher) == str(cipher) == f"<keylane.aead.{cls.__name__}>"
    for out in pickle.dumps, copy.copy, copy.deepcopy:
        with pytest.raises(TypeError, match="holds its key and is not pickled"):
            out(cipher)
    assert not hasattr(cipher, "__dict__")
    with pytest.raises(AttributeError):
        cipher.key = b""
    nonce = bytes(NONCES[cls])
    buffers = cipher.encrypt(memoryview(nonce), bytearray(b"payload"), memoryview(b"header"))
    assert buffers == cipher.encrypt(nonce=nonce, data=b"payload", associated_data=b"header")


@BOTH
def test_threads_share_a_cipher(cls):
    cipher, data = cls(bytes(32)), os.urandom(1 << 17)
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(8)]
    expected, found = cipher.seal_many(nonces, [data] * 8), [None] * 8

    def work(place):
        found[place] = cipher.encrypt(nonces[place], data)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


# Columns

BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
TEXT = [pa.string(), pa.large_string(), pa.string_view()]


def ways(values, kind):
    """The same values in other chunks, and behind an offset."""
    whole, some = pa.array(values, kind), next((value for value in values if value is not None), None)
    yield whole
    yield pa.array([some, None, *values, some], kind).slice(2, len(values))
    third = len(values) // 3
    yield pa.chunked_array([whole[:1], whole[1:1], whole[1:third], whole[third:]], kind)


def shape(column):
    return [len(chunk) for chunk in column.chunks] if isinstance(column, pa.ChunkedArray) else len(column)


def packets_of(cls, count, text=False):
    """Nonces, associated data, and data with nulls, of all lengths that a view holds or refers to."""
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(count)]
    data = [None if row % 7 == 3 else os.urandom(row * 5 % 301) for row in range(count)]
    if text:
        data = [None if packet is None else packet.hex() for packet in data]
    return nonces, [os.urandom(row % 30) for row in range(count)], data


def one_by_one(cipher, nonces, data, aads):
    given = zip(nonces, data, aads, strict=True)
    return [None if data is None else cipher.encrypt(nonce, data, aad) for nonce, data, aad in given]


@BOTH
@pytest.mark.parametrize("kind", BYTES + TEXT, ids=str)
def test_columns_are_like_lists(cls, kind):
    cipher = cls(os.urandom(32))
    nonces, aads, data = packets_of(cls, 200, kind in TEXT)
    raw = [packet.encode() if isinstance(packet, str) else packet for packet in data]
    expected, wide = one_by_one(cipher, nonces, raw, aads), kind not in (pa.binary(), pa.string())
    for column in ways(data, kind):
        sealed = cipher.seal_column(nonces, column, aads)
        assert isinstance(sealed, pa.ChunkedArray if isinstance(column, pa.ChunkedArray) else pa.Array)
        assert sealed.type == (pa.large_binary() if wide else pa.binary())
        assert shape(sealed) == shape(column) and sealed.null_count == data.count(None)
        sealed.validate(full=True)
        assert sealed.to_pylist() == expected
        assert cipher.open_column(nonces, sealed, aads).to_pylist() == raw


@BOTH
def test_columns_of_every_type_open(cls):
    cipher = cls(os.urandom(32))
    nonces, aads, data = packets_of(cls, 100)
    sealed = one_by_one(cipher, nonces, data, aads)
    for kind in BYTES:
        for column in ways(sealed, kind):
            opened = cipher.open_column(nonces, column, aads)
            opened.validate(full=True)
            assert opened.type == (pa.binary() if kind == pa.binary() else pa.large_binary())
            assert (shape(opened), opened.to_pylist()) == (shape(column), data)


@BOTH
def test_nonces_and_associated_data_of_every_kind(cls):
    cipher = cls(os.urandom(32))
    nonces, _, data = packets_of(cls, 90)
    aads = [f"header {row}" for row in range(90)]
    raw = [aad.encode() for aad in aads]
    column = pa.chunked_array([data[:50], data[50:]], pa.binary())
    expected = one_by_one(cipher, nonces, data, raw)
    plain = [way for kind in [*BYTES, pa.binary(NONCES[cls])] for way in ways(nonces, kind)]
    plain += [tuple(nonces), np.array(nonces, f"V{NONCES[cls]}"), pl.Series(nonces), pd.Series(nonces)]
    for way in plain:
        assert cipher.seal_column(way, column, raw).to_pylist() == expected
    for way in [way for kind in BYTES for way in ways(raw, kind)] + [way for kind in TEXT for way in ways(aads, kind)]:
        assert cipher.seal_column(nonces, column, way).to_pylist() == expected
    for way in aads, tuple(raw), pl.Series(aads), pd.Series(aads):
        assert cipher.seal_column(nonces, column, way).to_pylist() == expected
    for common in None, b"", b"header":
        sealed = cipher.seal_column(nonces, column, common)
        assert sealed.to_pylist() == one_by_one(cipher, nonces, data, [common] * 90)
        assert cipher.open_column(nonces, data=sealed, associated_data=common).to_pylist() == data
    assert cipher.seal_column(nonces, column) == cipher.seal_column(nonces, column, b"")


@BOTH
def test_columns_of_one_width(cls):
    cipher = cls(os.urandom(32))
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(70)]
    for width in 1, 16, 40:
        data = [None if row % 5 == 1 else os.urandom(width) for row in range(70)]
        for column in ways(data, pa.binary(width)):
            sealed = cipher.seal_column(nonces, column, b"x")
            assert sealed.type == pa.binary()
            assert sealed.to_pylist() == one_by_one(cipher, nonces, data, [b"x"] * 70)
            again = pa.array(sealed.to_pylist(), pa.binary(width + 16))
            assert cipher.open_column(nonces, again, b"x").to_pylist() == data


class OfCapsules:
    """An object with some of Arrow's PyCapsules."""

    def __init__(self, *names, of):
        for name in names:
            setattr(type(self), name, lambda _, requested_schema=None, name=name: getattr(of, name)(requested_schema))


@BOTH
def test_the_same_kind_goes_out_as_came_in(cls):
    cipher = cls(os.urandom(32))
    nonces, aads, data = packets_of(cls, 80)
    expected = one_by_one(cipher, nonces, data, aads)
    array = pa.array(data, pa.binary())
    kinds = [type("OfArray", (OfCapsules,), {})("__arrow_c_array__", of=array)]
    kinds.append(type("OfStream", (OfCapsules,), {})("__arrow_c_stream__", of=pa.chunked_array([array[:9], array[9:]])))
    kinds.append(keylane.Column.from_arrow(array, "payload"))
    for values in kinds:
        sealed = cipher.seal_column(nonces, values, aads)
        assert type(sealed) is keylane.Column and sealed.type == "Binary"
        assert pa.array(sealed).to_pylist() == expected
        opened = cipher.open_column(nonces, sealed, aads)
        assert pa.array(opened).to_pylist() == data
    assert opened.name == "payload"
    for name in "payload", "", "a\0b":
        series = pl.Series(name, data, pl.Binary)
        for way in series, pl.concat([series[:9], series[9:]], rechunk=False):
            sealed = cipher.seal_column(nonces, way, aads)
            assert isinstance(sealed, pl.Series) and (sealed.name, sealed.dtype) == (name, pl.Binary)
            assert sealed.to_list() == expected
            opened = cipher.open_column(nonces, sealed, aads)
            assert (opened.name, opened.to_list()) == (name, data)
    text = pl.Series(["one", None])
    assert cipher.open_column(nonces[:2], cipher.seal_column(nonces[:2], text)).to_list() == [b"one", None]


@BOTH
@given(st.lists(st.none() | st.binary(max_size=600), max_size=200), st.data())
def test_forged_rows_are_null(cls, data, drawn):
    cipher = cls(os.urandom(32))
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(len(data))]
    sealed = cipher.seal_column(nonces, pa.array(data, pa.binary()), b"x").to_pylist()
    places = [place for place, packet in enumerate(sealed) if packet is not None]
    forged = drawn.draw(st.sets(st.sampled_from(places))) if places else set()
    for place in forged:
        changed = bytearray(sealed[place])
        changed[place % len(changed)] ^= 1
        sealed[place] = bytes(changed[: drawn.draw(st.integers(0, len(changed)))]) if place % 3 == 0 else bytes(changed)
    expected = [None if place in forged else packet for place, packet in enumerate(data)]
    cut = drawn.draw(st.integers(0, len(sealed)))
    for column in pa.array(sealed, pa.binary()), pa.chunked_array([sealed[:cut], sealed[cut:]], pa.binary()):
        opened = cipher.open_column(nonces, column, b"x")
        opened.validate(full=True)
        assert opened.to_pylist() == expected
    given = [b"" if packet is None else packet for packet in sealed]
    assert cipher.open_many(nonces, given, b"x") == expected


@BOTH
def test_nothing_of_a_forged_row_is_in_the_result(cls):
    cipher = cls(os.urandom(32))
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(130)]
    data = [bytes([row]) * 100 for row in range(130)]
    sealed = cipher.seal_column(nonces, pa.array(data)).to_pylist()
    forged = {0, 1, 7, 63, 64, 65, 100, 129}
    for row in forged:
        sealed[row] = sealed[row][:-1] + bytes([sealed[row][-1] ^ 128])
    opened = cipher.open_column(nonces, pa.array(sealed))
    assert opened.to_pylist() == [None if row in forged else packet for row, packet in enumerate(data)]
    # Neither plaintext nor ciphertext.
    assert opened.buffers()[2].to_pybytes()[: 100 * 122] == b"".join(data[row] for row in range(130) if row not in forged)
    assert opened.buffers()[2].size < 100 * 123
    everything = cipher.open_column(nonces, pa.array(sealed), b"another")
    assert everything.null_count == 130 and everything.get_total_buffer_size() < 1000


@BOTH
def test_empty_columns(cls):
    cipher = cls(bytes(32))
    for call in cipher.seal_column, cipher.open_column:
        for kind in [*BYTES, pa.binary(40), pa.null()]:
            for nonces in [], (), pa.array([], pa.binary(12)), pa.array([], pa.binary()), pa.nulls(0):
                assert call(nonces, pa.array([], kind), []).to_pylist() == []
                assert call(nonces, pa.chunked_array([], kind), b"x").to_pylist() == []
        assert call([None] * 3, pa.nulls(3)).to_pylist() == [None] * 3
        assert call([None, b"short"], pa.array([None, None], pa.binary()), [None, b""]).to_pylist() == [None] * 2
    assert cipher.seal_column([], pa.array([], pa.string())).type == pa.binary()


@BOTH
def test_wrong_columns(cls):
    cipher, nonce = cls(bytes(32)), bytes(NONCES[cls])
    good = pa.array([bytes(16)] * 3)
    for call in cipher.seal_column, cipher.open_column:
        for wrong in [b"x"], (b"x",):
            with pytest.raises(TypeError, match="seal_many and open_many take lists"):
                call([nonce], wrong)
        for wrong in b"x", "x", None, 5, np.array([b"x"], "V1"), pd.Series([b"x"]), pd.Series(["x"], dtype="string[pyarrow]"):
            with pytest.raises(TypeError, match="data are an Arrow array, a series of Polars, or any object"):
                call([nonce], wrong)
        for table in pa.table({"a": good}), pa.record_batch({"a": good}):
            with pytest.raises(TypeError, match="table"):
                call([nonce] * 3, table)
        with pytest.raises(TypeError):
            call([nonce], pd.DataFrame({"a": [b"x"]}))
        for wrong in pa.array([1, 2, 3]), pa.array([[b"x"]] * 3), good.dictionary_encode(), pl.Series([1, 2, 3]):
            with pytest.raises(TypeError, match="data are a column of bytes"):
                call([nonce] * 3, wrong)
            with pytest.raises(TypeError, match="nonces are a column of bytes, not of"):
                call(wrong, good)
            with pytest.raises(TypeError, match="associated data are a column of bytes or text, not of"):
                call([nonce] * 3, good, wrong)
        for wrong in "text", bytearray(b"x"):
            with pytest.raises(TypeError, match="associated data are bytes, a column or a list"):
                call([nonce] * 3, good, wrong)
        for wrong in nonce, "text", bytearray(nonce):
            with pytest.raises(TypeError, match="nonces are a column or a list of bytes, not"):
                call(wrong, good)
        for wrong in 5, [1, 2, 3], [nonce, "text", nonce]:
            with pytest.raises(TypeError):
                call(wrong, good)
            with pytest.raises(TypeError):
                call([nonce] * 3, good, wrong)
        for wrong in ["n" * len(nonce)] * 3, pa.array(["n" * len(nonce)] * 3):
            with pytest.raises(TypeError, match="nonces are a column of bytes, not of"):
                call(wrong, good)
        for wrong in [nonce, nonce, nonce[1:]], pa.array([nonce + b"x"] * 3), pa.array([b""] * 3):
            with pytest.raises(ValueError, match=f"a nonce here has {NONCES[cls]} bytes, not"):
                call(wrong, good)
        for count in 0, 2, 4:
            with pytest.raises(ValueError, match=f"there are 3 packets and {count} of nonces"):
                call([nonce] * count, good)
            with pytest.raises(ValueError, match=f"there are 3 packets and {count} of nonces"):
                call([nonce] * 3, good, pa.array([b""] * count, pa.binary()))
        with pytest.raises(ValueError, match="row 1: the nonce is null, and the data are not"):
            call([nonce, None, nonce], pa.chunked_array([good[:1], good[1:]]))
        with pytest.raises(ValueError, match="row 2: the associated data are null, and the data are not"):
            call([nonce] * 3, good, [b"", b"", None])
    with pytest.raises(TypeError, match="data are a column of bytes, not of Utf8"):
        cipher.open_column([nonce], pa.array(["x" * 20]))


@BOTH
def test_columns_that_are_too_long(cls):
    cipher = cls(bytes(32))
    # Memory that nobody has touched takes no room.
    memory = pa.py_buffer(np.zeros(2**31, "u1"))
    data = pa.Array.from_buffers(pa.binary(2**20), 2**11, [None, memory])
    nonces = pa.Array.from_buffers(pa.binary(NONCES[cls]), 2**11, [None, memory])
    with pytest.raises(ValueError, match="an array of binary has at most 2\\^31 - 1 bytes; give the data in smaller chunks"):
        cipher.seal_column(nonces, data)
    # Short ones of it are sealed and opened.
    pieces = pa.chunked_array([data[:1], data[1:3]])
    sealed = cipher.seal_column(nonces[:3], pieces)
    assert cipher.open_column(nonces[:3], sealed).to_pylist() == [bytes(2**20)] * 3


@BOTH
def test_columns_that_contradict_themselves(cls):
    cipher, nonces = cls(bytes(32)), [bytes(NONCES[cls])] * 2
    for offsets in [0, 1000, 32], [0, -1, 32], [20, 10, 32], [0, 33, 32]:
        buffers = [None, pa.py_buffer(np.array(offsets, "i4")), pa.py_buffer(bytes(32))]
        column = pa.Array.from_buffers(pa.binary(), 2, buffers)
        for call in cipher.seal_column, cipher.open_column:
            with pytest.raises(ValueError, match="the column contradicts itself"):
                call(nonces, column)
            with pytest.raises(ValueError, match="the column contradicts itself"):
                call(column, pa.array([bytes(16)] * 2))


@BOTH
def test_columns_that_change_under_way(cls):
    cipher = cls(os.urandom(32))
    rows, length = 2000, 50
    nonces = [number.to_bytes(NONCES[cls], "big") for number in range(rows)]
    data = [os.urandom(length) for _ in range(rows)]
    sealed = cipher.seal_many(nonces, data)
    memory = np.frombuffer(b"".join(sealed), "u1").copy()
    offsets = (np.arange(rows + 1) * (length + 16)).astype("i4")
    column = pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(offsets), pa.py_buffer(memory)])
    stop = threading.Event()

    def change():
        while not stop.is_set():
            memory[:: length + 16] ^= 1
            offsets[rows // 2] ^= 64

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(50):
            opened = cipher.open_column(nonces, column).to_pylist()
            # What is judged genuine is what was sealed.
            assert all(found in (None, packet) for found, packet in zip(opened, data, strict=True))
            assert len(cipher.seal_column(nonces, column)) == rows
    finally:
        stop.set()
        thread.join()


@BOTH
def test_threads_share_a_cipher_for_columns(cls):
    cipher = cls(bytes(32))
    nonces, aads, data = packets_of(cls, 3000)
    column = pa.chunked_array([data[:1000], data[1000:]], pa.binary())
    expected, found = cipher.seal_column(nonces, column, aads), [None] * 4

    def work(place):
        found[place] = cipher.seal_column(nonces, column, aads)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(sealed.equals(expected) for sealed in found)
