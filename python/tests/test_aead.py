"""ChaCha20-Poly1305 and XChaCha20-Poly1305, against published answers and pyca/cryptography."""

import copy
import json
import os
import pickle
import threading

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
