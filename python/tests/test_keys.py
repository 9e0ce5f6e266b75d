"""Keys: where they come from, what shows them, and what does not."""

import base64
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
import uuid

import numpy as np
import pandas as pd
import polars as pl
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
    path.touch(mode=0o600)
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
    path.touch(mode=0o600)
    for content in (b"", HEX[:-1].encode(), RAW + b"\n", b"x" * 4096, b"0123456789abcdef", (HEX + HEX).encode()):
        path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            keylane.Key.from_file(path)
        assert HEX[:10] not in str(caught.value)
    with pytest.raises(OSError) as caught:
        keylane.Key.from_file(HEX)
    assert HEX not in str(caught.value)
    with pytest.raises(ValueError, match="zero byte") as caught:
        keylane.Key.from_file(f"{HEX}\0")
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
    key = keylane.Key(RAW, name="users")
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


def test_keys_are_compared_by_their_bytes():
    key, other = keylane.Key(RAW), keylane.Key(bytes(16))
    assert key == keylane.Key(RAW, name="n") and hash(key) == hash(keylane.Key(RAW))
    assert key != other and key != RAW and key != key.derive("a")
    assert len({key, keylane.Key(RAW), other}) == 2


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


BASE64 = "AAECAwQFBgcICQoLDA0ODw"
REFUSED = [HEX, HEX.upper(), HEX * 2, HEX + "\n", " " + HEX, "0x" + HEX, HEX[:31], HEX[:24], "key-" + HEX]
REFUSED += [str(uuid.UUID(HEX)), "-".join(HEX), ":".join(HEX), "_".join(HEX), HEX[:16] + "." + HEX[16:]]
REFUSED += [BASE64 + "==", BASE64, BASE64 + "==\n", BASE64.replace("A", "-"), "k-" + BASE64, repr(RAW), str(list(RAW))]
REFUSED += [str(int(HEX, 16)), base64.b32encode(RAW).decode().rstrip("="), base64.b85encode(RAW).decode()]
REFUSED += ["", "x" * 65, ".hidden", "a/b", "a b", "caf\u00e9", "a~", "a\0b"]


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_are_refused(name):
    calls = (
        keylane.KeyRef,
        lambda name: keys.load(name),
        lambda name: keys.load(name, RAW),
        lambda name: keylane.hash_column(["a"], name),
        lambda name: keylane.metadata(name),
        lambda name: keylane.Key(RAW, name=name or " "),
        lambda name: keylane.Key.generate(name=name or " "),
    )
    for call in calls:
        with pytest.raises(ValueError) as caught:
            call(name)
        assert len(name) < 4 or name not in str(caught.value) + repr(caught.value.args)


@pytest.mark.parametrize("name", ["users-2026", "a", "Users.Email_2026", "x" * 64, "team-a.customer-emails.2026-11-23", HEX[:23]])
def test_names_that_are_taken(name):
    assert keylane.KeyRef(name).name == keylane.Key(RAW, name=name).name == name


def test_reserved_contexts(monkeypatch):
    keys.load("reserved-1", RAW)
    calls = (
        keylane.Key(RAW).derive,
        keylane.KeyRef("reserved-1").derive,
        lambda context: keylane.KeyRef("reserved-1", context),
        lambda context: keylane.metadata("reserved-1", context=context),
    )
    for call in calls:
        with pytest.raises(ValueError, match="reserved"):
            call("KCE-1 row")
        call("kce-1 row")


def test_rights_of_key_files(tmp_path, monkeypatch):
    path = tmp_path / "rights-1"
    path.write_bytes(RAW)
    path.chmod(0o640)
    with pytest.warns(UserWarning, match="other users may read or change the key: the mode of its file is 640, not 600") as found:
        assert keylane.Key.from_file(path) == keylane.Key(RAW)
    assert str(path) not in str(found[0].message)
    with pytest.warns(UserWarning, match="640"):
        keys.load("rights-2", file=path)
    monkeypatch.setenv("KEYLANE_KEY_DIR", str(tmp_path))
    with pytest.warns(UserWarning, match="640"):
        keylane.KeyRef("rights-1").key()
    path.chmod(0o600)
    assert keylane.Key.from_file(path) == keylane.Key(RAW)


def test_keys_are_in_regular_files(tmp_path, monkeypatch):
    # Opening a pipe would wait for a writer.
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(ValueError, match="regular file"):
            keylane.Key.from_file(path)
    monkeypatch.setenv("KEYLANE_KEY_DIR", str(tmp_path))
    with pytest.raises(KeyError):
        keylane.KeyRef("pipe").key()


def test_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KEYLANE_KEY_DIR", str(tmp_path))
    for name in ("folder-1", "folder-2"):
        (tmp_path / name).touch(mode=0o600)
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
        with pytest.raises(ValueError, match="name of a key"):
            keylane.KeyRef(name).key()


def test_why_a_folder_has_no_key(tmp_path, monkeypatch):
    (tmp_path / "reasons-1").write_text(HEX)
    (tmp_path / "reasons-2").mkdir()
    # Rights do not stop root, but a loop does.
    (tmp_path / "reasons-3").symlink_to("reasons-3")
    monkeypatch.chdir(tmp_path)
    cases = [
        (None, "reasons-1", "[$]KEYLANE_KEY_DIR is not set"),
        # It is not the working directory.
        ("", "reasons-1", "[$]KEYLANE_KEY_DIR is not set"),
        (str(tmp_path), "reasons-0", "[$]KEYLANE_KEY_DIR has no such file"),
        (str(tmp_path), "reasons-2", "no regular file"),
        (str(tmp_path), "reasons-3", "its file cannot be read: "),
        (str(tmp_path / "reasons-1"), "reasons-1", "its file cannot be read: not a directory"),
    ]
    for folder, name, reason in cases:
        monkeypatch.delenv("KEYLANE_KEY_DIR", raising=False)
        if folder is not None:
            monkeypatch.setenv("KEYLANE_KEY_DIR", folder)
        with pytest.raises(KeyError, match=f'under the name "{name}", and .*{reason}') as caught:
            keylane.KeyRef(name).key()
        assert str(tmp_path) not in str(caught.value) and HEX not in str(caught.value)


def test_loaded_from_files(tmp_path, monkeypatch):
    (tmp_path / "k").touch(mode=0o600)
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


def failing_namespaces(key):
    """Calls of the namespaces of series and expressions that fail while they hold a key."""
    import keylane.pandas
    import keylane.polars

    series = [pd.Series([1j]), pl.Series([[1]])]
    for column in [*series, pd.Series(["a", 5], dtype=object)]:
        yield lambda column=column: column.keylane.hash(key)
        yield lambda column=column: column.keylane.pseudonymize(key)
        yield lambda column=column: column.keylane.sample(key, 0.5)
    for namespace in (pl.col("a").keylane, pl.Series([1]).keylane, pd.Series([1]).keylane):
        yield lambda namespace=namespace: namespace.hash(key, alg="none", form="none")
        yield lambda namespace=namespace: namespace.pseudonymize(key, alg="siphash-1-3-64")
        yield lambda namespace=namespace: namespace.sample(key, 2)
    yield lambda: pl.col("a").keylane.hash(key)
    yield lambda: keylane.polars.hash_rows(["a"], key)
    yield lambda: keylane.polars.hash_rows([], key)


@pytest.mark.parametrize("wrap", [keylane.Key, bytes, bytearray, bytes.hex])
def test_no_frame_of_a_namespace_shows_a_key(wrap):
    key, ran = wrap(RAW), 0
    for call in failing_namespaces(key):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        ran += 1
        shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        while shown is not None:
            frames = [frame for frame in shown.stack if os.path.dirname(keylane.__file__) in frame.filename]
            text = str(shown) + "".join(value for frame in frames for value in (frame.locals or {}).values())
            for secret in (HEX, repr(RAW)[2:-1], "keylane.Key "):
                assert secret not in text
            shown = shown.__cause__ or shown.__context__
    assert ran == 21


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


@pytest.mark.parametrize("parts", [("AAECAw", "FBgcICQoLDA0ODw=="), (HEX[:8], HEX[8:]), tuple(HEX[at : at + 4] for at in range(0, 32, 4))])
def test_names_in_sql_may_not_be_keys(parts):
    """Both parts of a name together may be a key, of which no error shows the first."""
    import keylane.datafusion
    import keylane.spark

    names, values = pa.array(["/".join(parts)] * 2), pa.array([1, 2])
    calls = [
        lambda: keylane.datafusion._called("siphash-1-3-64", "uint64", pa.uint64())(names, values),
        lambda: keylane.spark._called(names, [values], "siphash-1-3-64", "int64", False, {}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="looks like a key") as caught:
            call()
        assert not any(part in str(caught.value) for part in parts)


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
