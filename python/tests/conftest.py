"""What the tests share: the reference in plain Python, which uses neither keylane nor Arrow, and a key."""

import importlib.util
import json
import pathlib

import hypothesis
import pytest

import keylane

# A machine that does other work is slow at times.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

ROOT = pathlib.Path(__file__).resolve().parents[2]
RAW = bytes(range(16))


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KCE1 = _load(ROOT / "tests" / "kce1" / "kce1.py")


def cases(name):
    """The cases of a file of published or generated answers."""
    return json.loads((ROOT / "tests" / "testdata" / name).read_text(encoding="ascii"))["cases"]


def message_of(case):
    if "msg_repeat" in case:
        return bytes.fromhex(case["msg_repeat"]["byte"]) * case["msg_repeat"]["count"]
    return bytes.fromhex(case["msg"])


def integer_tags(messages, alg="siphash-1-3-64", key=RAW):
    """The tags of messages as integers, by the reference; None for a null."""
    c, d, bits = KCE1.ALGORITHMS[alg]
    tags = [None if m is None else KCE1.siphash(key, m, c, d, bits) for m in messages]
    return [None if tag is None else int.from_bytes(tag, "little") for tag in tags]


def plain_tags(type_name, values, alg="siphash-1-3-64", key=RAW):
    """The tags of a column in the notation of tests/kce1/README.md."""
    return integer_tags(KCE1.plain({"type": type_name, "values": values}), alg, key)


def row_tags(columns, alg="siphash-1-3-64", key=RAW):
    """The tags of rows, whose columns are pairs of a type and values."""
    messages = KCE1.rows([{"type": name, "values": values} for name, values in columns])
    return integer_tags(messages, alg, KCE1.row_key(key))


@pytest.fixture
def key():
    return keylane.Key(RAW)
