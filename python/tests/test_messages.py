"""One message, many, pieces and files, against published answers."""

import array
import copy
import ctypes
import io
import mmap
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import KCE1, RAW, cases, message_of
from hypothesis import given
from hypothesis import strategies as st

import keylane

SIPHASH = [case for name in ("siphash.json", "siphash_generated.json", "siphash_long.json") for case in cases(name)]
MESSAGES = [case for case in SIPHASH + cases("halfsiphash.json") if case["result"] == "valid"]


def name_of(case):
    return f"{case['algorithm'].lower()}-{case['c']}-{case['d']}-{case['tag_bits']}"


def test_published_answers_of_siphash():
    seen = set()
    for case in MESSAGES:
        key, message, tag = bytes.fromhex(case["key"]), message_of(case), bytes.fromhex(case["tag"])
        name = name_of(case)
        seen.add(name)
        found = keylane.new(name, key, message)
        assert found.digest() == tag, case
        assert (found.name, found.digest_size) == (name, len(tag))
        assert found.hexdigest() == tag.hex()
        assert found.intdigest() == int.from_bytes(tag, "little")
        number = int.from_bytes(tag, "little")
        assert keylane.hash_many([message], key, name) == [tag if case["tag_bits"] == 128 else number]
        keylane.verify(name, key, message, tag)
        one = {
            "siphash-1-3-64": keylane.siphash13,
            "siphash-2-4-64": keylane.siphash24,
            "siphash-2-4-128": keylane.siphashx24,
        }.get(name)
        if one:
            assert one(key, message) == (tag if one is keylane.siphashx24 else number)
            assert one(keylane.Key(key), message) == one(key, message)
    assert len(MESSAGES) > 900
    assert {"siphash-1-3-64", "siphash-2-4-64", "siphash-2-4-128", "halfsiphash-2-4-32"} <= seen


def test_nocase_is_that_of_redis():
    for case in cases("redis_nocase.json"):
        key, message = bytes.fromhex(case["key"]), message_of(case)
        tag = keylane.new("siphash-1-2-64", key, message, nocase=True).digest()
        assert tag.hex() == case["tag_nocase"]
        (number,) = keylane.hash_many([message], key, "siphash-1-2-64", nocase=True)
        assert number == int.from_bytes(tag, "little")
        keylane.verify("siphash-1-2-64", key, message, tag, nocase=True)
    long = b"MiXeD" * 5000
    folded = keylane.new("siphash-2-4-128", RAW, long.lower()).digest()
    assert keylane.new("siphash-2-4-128", RAW, long, nocase=True).digest() == folded


def test_published_answers_of_poly1305():
    for case in cases("poly1305.json"):
        key, message, tag = (bytes.fromhex(case[part]) for part in ("key", "msg", "tag"))
        assert keylane.poly1305(key, message) == tag
        pieces = keylane.Poly1305(key)
        for at in range(0, len(message), 7):
            pieces.update(message[at : at + 7])
        assert pieces.digest() == tag
        keylane.verify("poly1305", key, message, tag)
        keylane.new("poly1305", key, message).verify(tag)


def test_a_poly1305_serves_once():
    p = keylane.Poly1305(bytes(32), b"abc")
    assert (p.name, p.digest_size, p.block_size) == ("poly1305", 16, 16)
    p.hexdigest()
    for call in (p.digest, p.hexdigest, lambda: p.update(b"d"), lambda: p.verify(bytes(16))):
        with pytest.raises(ValueError, match="one message"):
            call()
    assert not hasattr(p, "copy")
    with pytest.raises(TypeError):
        __import__("copy").copy(keylane.Poly1305(bytes(32)))


@given(st.binary(max_size=600), st.integers(1, 5), st.integers(1, 9), st.sampled_from([64, 128]), st.data())
def test_pieces_and_any_rounds(message, c, d, bits, data):
    expected = KCE1.siphash(RAW, message, c, d, bits)
    name = f"siphash-{c}-{d}-{bits}"
    whole = keylane.new(name, RAW)
    at = 0
    while at < len(message):
        step = data.draw(st.integers(1, 100))
        whole.update(message[at : at + step])
        at += step
    assert whole.digest() == whole.digest() == expected
    copy = whole.copy()
    copy.update(b"more")
    assert whole.digest() == expected
    assert copy.digest() == KCE1.siphash(RAW, message + b"more", c, d, bits)


def test_hashlib_shape():
    h = keylane.new("siphash-2-4-64", RAW)
    assert (h.digest_size, h.block_size) == (8, 8)
    assert keylane.new("halfsiphash-1-3-32", bytes(8)).block_size == 4
    assert h.hexdigest() == h.digest().hex()
    assert h.intdigest() >= 0


@pytest.mark.parametrize(
    "name",
    ["", "siphash", "siphash-0-4-64", "siphash-2-4-32", "siphash-2-4-64-", "siphash-02-4-64", "siphash-+2-4-64"]
    + ["siphash-256-4-64", "halfsiphash-2-4-128", "SipHash-2-4-64", "sha256", RAW.hex()],
)
def test_unknown_names(name):
    with pytest.raises(ValueError, match="no such algorithm") as caught:
        keylane.new(name, RAW)
    assert RAW.hex() not in str(caught.value)
    assert "poly1305, siphash-C-D-64" in str(caught.value)
    with pytest.raises(ValueError, match="poly1305, siphash-C-D-64"):
        keylane.verify(name, RAW, b"", bytes(8))
    with pytest.raises(ValueError, match="no such algorithm: siphash-C-D-64"):
        keylane.hash_many([], RAW, name)


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, lambda b: array.array("B", b), mmap.mmap])
def test_any_buffer_is_a_message(wrap):
    message = bytes(range(200)) * 20
    if wrap is mmap.mmap:
        wrapped = mmap.mmap(-1, len(message))
        wrapped[:] = message
    else:
        wrapped = wrap(message)
    expected = int.from_bytes(KCE1.siphash(RAW, message, 2, 4, 64), "little")
    assert keylane.siphash24(RAW, wrapped) == expected
    assert keylane.siphash24(bytearray(RAW), wrapped) == expected
    assert keylane.new("siphash-2-4-64", memoryview(RAW), wrapped).intdigest() == expected


def test_wide_and_empty_buffers():
    words = array.array("Q", [1, 2, 3])
    assert keylane.siphash24(RAW, words) == keylane.siphash24(RAW, words.tobytes())
    assert keylane.siphash24(RAW, memoryview(b"")) == keylane.siphash24(RAW, bytearray()) == keylane.siphash24(RAW, b"")
    with pytest.raises(BufferError):
        keylane.siphash24(RAW, memoryview(b"abcdef")[::2])


def test_buffers_of_any_shape():
    class Pair(ctypes.Structure):
        _fields_ = [("Order", ctypes.c_uint8), ("P", ctypes.c_uint16)]

    numbers = [(ctypes.c_ubyte * 3)(1, 2, 3), ctypes.c_int(7), Pair(1, 2), (Pair * 2)(Pair(1, 2), Pair(3, 4))]
    arrays = [np.array(5), np.array(1j), np.zeros((2, 3)), np.zeros((0, 3)), memoryview(b"abcd").cast("B", [2, 2])]
    for message in numbers + arrays:
        expected = keylane.siphash24(RAW, bytes(memoryview(message).tobytes()))
        assert keylane.siphash24(RAW, message) == keylane.new("siphash-2-4-64", RAW, message).intdigest() == expected
    assert keylane.siphash24((ctypes.c_ubyte * 16)(*RAW), b"x") == keylane.siphash24(RAW, b"x")

    class Holder(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("o", ctypes.py_object)]

    pointer = ctypes.POINTER(ctypes.c_int)
    for addresses in (np.array([object()]), ctypes.py_object(5), Holder(), (pointer * 2)(), ctypes.c_char_p(b"a")):
        with pytest.raises(TypeError, match="addresses"):
            keylane.siphash24(RAW, addresses)
    for strided in (np.zeros(4)[::2], np.zeros((2, 3)).T):
        with pytest.raises(BufferError):
            keylane.siphash24(RAW, strided)


@pytest.mark.parametrize("wrong", ["text", 5, None, 1.5, object(), ["a"]])
def test_messages_that_are_none(wrong):
    for call in (keylane.siphash13, keylane.siphash24, keylane.siphashx24):
        with pytest.raises(TypeError):
            call(RAW, wrong)
    with pytest.raises(TypeError):
        keylane.poly1305(bytes(32), wrong)
    with pytest.raises(TypeError):
        keylane.new("siphash-2-4-64", RAW).update(wrong)


@pytest.mark.parametrize("wrong", [b"", RAW[:15], RAW + b"x", "sixteen byte key", None, 7])
def test_keys_that_are_none(wrong):
    for call in (keylane.siphash24, keylane.siphashx24, keylane.siphash13):
        with pytest.raises((ValueError, TypeError)) as caught:
            call(wrong, b"")
        assert "sixteen" not in str(caught.value)
    with pytest.raises((ValueError, TypeError)):
        keylane.poly1305(wrong, b"")


def test_many():
    texts = ["", "a", "\u00fc", "\U0001f511", "x" * 300]
    encoded = [text.encode() for text in texts]
    expected = [keylane.siphash24(RAW, text) for text in encoded]
    assert keylane.hash_many(texts, RAW) == keylane.hash_many(encoded, RAW) == expected
    assert keylane.hash_many(tuple(texts + encoded), keylane.Key(RAW)) == expected * 2
    assert keylane.hash_many([], RAW) == []
    many = [b"%d" % i for i in range(10_000)]
    assert keylane.hash_many(many, RAW, "siphash-1-3-64")[-1] == keylane.siphash13(RAW, many[-1])
    assert keylane.hash_many(many, RAW, "siphash-2-4-128")[5] == keylane.siphashx24(RAW, many[5])
    half = keylane.new("halfsiphash-2-4-64", bytes(8), many[7]).intdigest()
    assert keylane.hash_many(many, bytes(8), "halfsiphash-2-4-64")[7] == half


@pytest.mark.parametrize("length", [10**14, 2**62, 0, -1])
def test_many_with_a_wrong_length(length):
    # In a process of its own: room for so many tags would end it.
    program = (
        "import sys, keylane\n"
        "for base in (list, tuple):\n"
        "    wrong = type('Wrong', (base,), {'__len__': lambda self: int(sys.argv[1])})\n"
        "    assert keylane.hash_many(wrong([b'a', b'b']), bytes(16)) == keylane.hash_many([b'a', b'b'], bytes(16))\n"
    )
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", program, str(length)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def test_keywords():
    expected = keylane.new("siphash-2-4-64", RAW, b"x").digest()
    assert keylane.new("siphash-2-4-64", key=RAW, data=b"x").digest() == expected
    assert keylane.new("siphash-2-4-64", RAW, string=b"x").digest() == expected
    assert keylane.new(name="poly1305", key=bytes(32), string=b"x").digest() == keylane.poly1305(bytes(32), b"x")
    with pytest.raises(TypeError, match="one of"):
        keylane.new("siphash-2-4-64", RAW, b"x", string=b"x")


def test_a_hash_is_copied():
    whole = keylane.new("siphash-2-4-64", RAW, b"x")
    other = copy.copy(whole)
    other.update(b"y")
    assert whole.intdigest() == keylane.siphash24(RAW, b"x")
    assert other.intdigest() == keylane.siphash24(RAW, b"xy")


def test_signals_end_a_long_file():
    # A shell starts what runs in the background with this signal ignored.
    program = """
import keylane, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begun", flush=True)
keylane.file_digest("/dev/zero", "siphash-1-3-64", bytes(16))
"""
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as child:
        child.stdout.readline()
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        try:
            _, errors = child.communicate(timeout=20)
        finally:
            child.kill()
    assert b"KeyboardInterrupt" in errors


def test_many_names_the_row_and_shows_nothing():
    with pytest.raises(TypeError, match="message 1 is neither"):
        keylane.hash_many([b"a", 5], RAW)
    with pytest.raises(ValueError, match="message 2: text that is not Unicode") as caught:
        keylane.hash_many(["a", "b", "secret\ud800"], RAW)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(TypeError, match="list or a tuple"):
        keylane.hash_many(iter([b"a"]), RAW)


def test_verify_refuses():
    tag = keylane.siphashx24(RAW, b"message")
    assert keylane.verify("siphash-2-4-128", RAW, b"message", tag) is None
    for wrong in (bytes(16), tag[:15], tag + b"\0", b"", tag[:8]):
        with pytest.raises(keylane.TagMismatch) as caught:
            keylane.verify("siphash-2-4-128", RAW, b"message", wrong)
        assert str(caught.value) == "the tag does not match"
        with pytest.raises(keylane.TagMismatch):
            keylane.new("siphash-2-4-128", RAW, b"message").verify(wrong)
        with pytest.raises(keylane.TagMismatch):
            keylane.verify("poly1305", bytes(32), b"message", wrong[:3])
    assert issubclass(keylane.TagMismatch, ValueError)


def test_files(tmp_path):
    message = bytes(range(256)) * 5000
    path = tmp_path / "data \u00fc.bin"
    path.write_bytes(message)
    expected = keylane.new("siphash-2-4-128", RAW, message).digest()
    for file in (path, str(path), str(path).encode()):
        assert keylane.file_digest(file, "siphash-2-4-128", RAW).digest() == expected
    for buffering in (0, -1):
        with open(path, "rb", buffering=buffering) as file:
            assert keylane.file_digest(file, "siphash-2-4-128", RAW).digest() == expected
            assert file.read() == b""
    with open(path, "rb") as file:
        file.seek(1000)
        rest = keylane.file_digest(file, "siphash-2-4-128", RAW).digest()
        assert rest == keylane.siphashx24(RAW, message[1000:])
    memory = io.BytesIO(message)
    memory.seek(5)
    assert keylane.file_digest(memory, "siphash-2-4-128", RAW).digest() == keylane.siphashx24(RAW, message[5:])
    assert memory.read() == b""
    memory.write(b"it can grow again")
    with pytest.raises(FileNotFoundError) as caught:
        keylane.file_digest(tmp_path / "missing", "siphash-2-4-128", RAW)
    assert caught.value.filename == str(tmp_path / "missing")
    with pytest.raises(OSError):
        keylane.file_digest(tmp_path, "siphash-2-4-128", RAW)
    for wrong in (f"{path}\0", b"a\0b"):
        with pytest.raises(ValueError, match="zero byte"):
            keylane.file_digest(wrong, "siphash-2-4-128", RAW)
    with open(path, encoding="latin-1") as file, pytest.raises(TypeError, match="bytes"):
        keylane.file_digest(file, "siphash-2-4-128", RAW)

    class Broken(io.RawIOBase):
        def readinto(self, buffer):
            return len(buffer) + 1

    with pytest.raises(ValueError, match="more bytes"):
        keylane.file_digest(Broken(), "siphash-2-4-64", RAW)


def test_threads_share_an_object():
    h = keylane.new("siphash-2-4-128", RAW)
    block = b"\xab" * 70_000
    threads = [threading.Thread(target=lambda: [h.update(block) for _ in range(20)]) for _ in range(4)]
    threads += [threading.Thread(target=lambda: [h.update(block[:100]) and h.digest() for _ in range(700)])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert h.digest() == keylane.siphashx24(RAW, b"\xab" * (70_000 * 80 + 70_000))


def test_threads_share_a_key():
    key = keylane.Key(RAW)
    expected = [keylane.siphash24(RAW, b"%d" % i) for i in range(2000)]
    wrong = []

    def work():
        for i in range(2000):
            if keylane.siphash24(key, b"%d" % i) != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
