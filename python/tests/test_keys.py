"""Keys: where they come from, what shows them, and what does not."""

import copy
import gc
import multiprocessing
import os
import pickle
import resource
import subprocess
import sys
import threading
import traceback
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from conftest import KCE1, RAW

import keylane
from keylane import keys

HEX = RAW.hex()


def same(one, other):
    return keylane.siphashx24(one, b"x") == keylane.siphashx24(other, b"x")


def test_sources(tmp_path, monkeypatch):
    path = tmp_path / "users"
    for content in (RAW, HEX.encode(), HEX.upper().encode(), f"{HEX}\n".encode(), f"{HEX}\r\n".encode()):
        path.write_bytes(content)
        assert same(keylane.Key.from_file(path), RAW)
        assert same(keylane.Key.from_file(str(path)), RAW)
    monkeypatch.setenv("USERS_KEY", HEX)
    assert same(keylane.Key.from_env("USERS_KEY"), RAW)
    assert keylane.Key.generate().check() != keylane.Key.generate().check()
    named = keylane.Key(RAW, name="users")
    assert (named.name, named.contexts) == ("users", ())
    assert named.derive("a").derive("b").contexts == ("a", "b")
    assert same(named.derive("a"), KCE1.derive(RAW, "a"))
    assert named.check() == KCE1.check(RAW)


def test_sources_that_fail(tmp_path, monkeypatch):
    path = tmp_path / "users"
    for content in (b"", HEX[:-1].encode(), RAW + b"\n", b"x" * 4096, b"0123456789abcdef", (HEX + HEX).encode()):
        path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            keylane.Key.from_file(path)
        assert HEX[:10] not in str(caught.value)
    with pytest.raises(OSError) as caught:
        keylane.Key.from_file(HEX)
    assert HEX not in str(caught.value)
    monkeypatch.setenv("USERS_KEY", "sixteen byte key")
    with pytest.raises(ValueError) as caught:
        keylane.Key.from_env("USERS_KEY")
    assert "sixteen" not in str(caught.value)
    with pytest.raises(KeyError) as caught:
        keylane.Key.from_env(HEX)
    assert HEX not in str(caught.value)
    for context in ("", "x" * 256):
        with pytest.raises(ValueError, match="1 to 255"):
            keylane.Key(RAW).derive(context)


def test_a_key_shows_its_check_value_only():
    key = keylane.Key(RAW, name=HEX)
    for text in (repr(key), str(key), f"{key}", repr([key])):
        assert text.strip("[]") == f"<keylane.Key check={KCE1.check(RAW)}>"
    assert not hasattr(key, "__dict__")
    for attribute in dir(key):
        value = getattr(key, attribute)
        assert value != RAW
    with pytest.raises(AttributeError):
        key.name = "other"
    with pytest.raises(TypeError):
        bytes(key)


def test_keys_are_not_pickled():
    things = [keylane.Key(RAW), keylane.new("siphash-2-4-64", RAW), keylane.Poly1305(bytes(32))]
    for thing in things:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match="not pickled"):
                pickle.dumps(thing, protocol)
    key = keylane.Key(RAW)
    assert copy.copy(key) is key and copy.deepcopy([key])[0] is key


def test_names():
    ref = keys.load("names-1", RAW)
    assert ref == keylane.KeyRef("names-1") and hash(ref) == hash(keylane.KeyRef("names-1"))
    assert repr(ref) == "keylane.KeyRef('names-1')"
    derived = ref.derive("users.email")
    assert (derived.name, derived.contexts) == ("names-1", ("users.email",))
    for thing in (ref, derived, keylane.KeyRef("n", "a", "b")):
        assert pickle.loads(pickle.dumps(thing)) == thing == copy.deepcopy(thing)
    assert HEX.encode() not in pickle.dumps(derived) and RAW not in pickle.dumps(derived)
    assert same(derived.key(), keylane.Key(RAW).derive("users.email"))
    assert keylane.siphash24(derived, b"x") == keylane.siphash24(derived.key(), b"x")
    assert keys.load("names-1", keylane.Key(RAW)) == ref
    with pytest.raises(ValueError, match="bound to another key"):
        keys.load("names-1", bytes(16))
    assert same(ref.key(), RAW)
    with pytest.raises(KeyError, match="names-2"):
        keylane.KeyRef("names-2").key()
    with pytest.raises(KeyError, match="names-2"):
        keylane.hash_column(["a"], "names-2")
    with pytest.raises(TypeError, match="one of"):
        keys.load("names-3", RAW, env="X")


@pytest.mark.parametrize("name", [HEX, HEX.upper(), HEX * 2, "AAECAwQFBgcICQoLDA0ODw==", "", "x" * 256])
def test_names_that_are_refused(name):
    for call in (keylane.KeyRef, lambda name: keys.load(name, RAW), lambda name: keylane.hash_column(["a"], name)):
        with pytest.raises(ValueError) as caught:
            call(name)
        assert not name or name not in str(caught.value)


def test_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KEYLANE_KEY_DIR", str(tmp_path))
    (tmp_path / "folder-1").write_text(HEX + "\n")
    assert same(keylane.KeyRef("folder-1").key(), RAW)
    # Once bound, a name stays bound.
    (tmp_path / "folder-1").write_text("00" * 16)
    assert same(keylane.KeyRef("folder-1").key(), RAW)
    (tmp_path / "folder-2").write_text("no key")
    with pytest.raises(KeyError, match="folder-2"):
        keylane.KeyRef("folder-2").key()
    secret = tmp_path.parent / "outside"
    secret.write_text(HEX)
    for name in ("../outside", str(secret), ".", "..", ".hidden", "a/b", "a\\b", "a\0b"):
        with pytest.raises(KeyError):
            keylane.KeyRef(name).key()


def test_loaded_from_files(tmp_path, monkeypatch):
    (tmp_path / "k").write_bytes(RAW)
    assert same(keys.load("loaded-1", file=tmp_path / "k").key(), RAW)
    monkeypatch.setenv("LOADED", HEX)
    assert same(keys.load("loaded-2", env="LOADED").key(), RAW)


def child(pipe, ref):
    try:
        keys.load(ref.name, RAW)
        pipe.send(keylane.siphash24(ref, b"x"))
    except BaseException as error:
        pipe.send(repr(error))


@pytest.mark.parametrize("method", ["spawn"])
def test_references_travel_to_processes(method):
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    ref = keylane.KeyRef("travels-1").derive("c")
    process = context.Process(target=child, args=(theirs, ref))
    process.start()
    assert ours.recv() == keylane.siphash24(keylane.Key(RAW).derive("c"), b"x")
    process.join()


def test_threads_load_names():
    wrong = []

    def work(place):
        for i in range(200):
            try:
                if not same(keys.load(f"threads-{i}", RAW).key(), RAW):
                    wrong.append(i)
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def failing_calls(key):
    """Calls that fail while they hold a key."""
    yield lambda: keylane.hash_column(np.zeros((2, 2)), key)
    yield lambda: keylane.hash_column(["a", 5], key)
    yield lambda: keylane.hash_column(pa.array([[1]]), key)
    yield lambda: keylane.hash_column(["a", None], key, nulls="error")
    yield lambda: keylane.hash_rows(pa.table({"a": [1]}), key, columns=["b"])
    yield lambda: keylane.hash_rows([np.arange(2), np.arange(3)], key)
    yield lambda: keylane.hash_column(["a"], key, threads=0)
    yield lambda: keylane.pseudonymize(["a"], key, "siphash-1-3-64")
    yield lambda: keylane.sample(["a"], key, 2.0)
    yield lambda: keylane.siphash24(key, "text")
    yield lambda: keylane.hash_many(["a", 5], key)
    yield lambda: keylane.new("none", key)
    yield lambda: keylane.file_digest("/does/not/exist", "siphash-2-4-64", key)
    yield lambda: keylane.verify("siphash-2-4-64", key, b"", b"")


@pytest.mark.parametrize("wrap", [keylane.Key, bytes, bytearray, memoryview])
def test_no_frame_of_ours_holds_a_key(wrap):
    key = wrap(RAW)
    ran = 0
    for call in failing_calls(key):
        with pytest.raises((TypeError, ValueError, KeyError, OSError)) as caught:
            call()
        ran += 1
        error = caught.value
        while error is not None:
            shown = str(error) + repr(error.args)
            assert HEX not in shown and repr(RAW)[2:-1] not in shown
            for frame, _ in traceback.walk_tb(error.__traceback__):
                if "keylane" not in frame.f_code.co_filename or "/tests/" in frame.f_code.co_filename:
                    continue
                for value in frame.f_locals.values():
                    assert not isinstance(value, (bytes, bytearray, memoryview, keylane.Key)), value
                    assert HEX not in repr(value) and repr(RAW)[2:-1] not in repr(value)
            error = error.__cause__ or error.__context__
    assert ran == 14


def resident():
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_no_memory_is_lost():
    key = keylane.Key(RAW)
    texts, ids = pa.array(["a", None, "b" * 30] * 20), np.arange(50)
    chunked, table = pa.chunked_array([texts, texts]), pa.table({"t": texts, "n": pa.array(range(60))})
    objects = np.array(["a", None, "c"], dtype=object)

    def work():
        keylane.hash_column(texts, key)
        keylane.pseudonymize(ids, key)
        keylane.hash_column(chunked, key, form="hex")
        keylane.hash_rows(table, key)
        keylane.hash_column(objects, key)
        keylane.hash_column(ids[::2].astype(">i8"), key)
        keylane.hash_many(["a", b"b"], key)
        keylane.new("siphash-2-4-128", key, b"abc").copy().update(bytearray(100))
        keylane.KeyRef("lost-1", "c").derive("d")
        for call in failing_calls(key):
            try:
                call()
            except (TypeError, ValueError, KeyError, OSError):
                pass

    tracemalloc.start()
    for _ in range(100):
        work()
    first, before = resident(), tracemalloc.take_snapshot()
    for _ in range(500):
        work()
    last, after = resident(), tracemalloc.take_snapshot()
    tracemalloc.stop()
    grown = sum(change.size_diff for change in after.compare_to(before, "filename") if "tracemalloc" not in str(change))
    assert grown < 100_000, grown
    # 500 times 23 calls. A leak of 64 bytes in each would be 700 KiB.
    assert last - first < 1500, (first, last)


def test_large_results_are_freed():
    key, ids = keylane.Key(RAW), np.arange(1_000_000)
    for _ in range(3):
        keylane.hash_column(ids, key)
    first = resident()
    for _ in range(30):
        keylane.hash_column(ids, key)
    assert resident() - first < 20_000


def test_results_outlive_their_makers():
    key = keylane.Key(RAW)
    tags = keylane.hash_column(np.arange(1000), key)
    expected = tags.tolist()
    arrow = keylane.hash_column(pa.array(range(1000)), key)
    gc.collect()
    [np.empty(1000) for _ in range(100)]
    assert tags.tolist() == expected == arrow.to_pylist()
    tags[0] = 7
    assert tags[0] == 7


def test_subinterpreters_are_refused():
    program = (
        "import keylane\n"
        "try:\n    import _interpreters as i\nexcept ImportError:\n    import _xxsubinterpreters as i\n"
        "code = 'try:\\n    import keylane\\n    print(1)\\nexcept ImportError:\\n    print(2)'\n"
        "i.run_string(i.create(), code)\n"
    )
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    if "No module named" in done.stderr:
        pytest.skip("this Python has no subinterpreters")
    assert done.stdout.strip() == "2", done
    assert done.returncode == 0


def test_engines_are_imported_only_when_used():
    program = "import sys, keylane; keylane.hash_column(['a'], bytes(16)); print(*sys.modules)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert not {"numpy", "pandas", "polars", "pyarrow"} & set(done.stdout.split())
