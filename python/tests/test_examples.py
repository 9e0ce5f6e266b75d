"""The programs in python/examples."""

import importlib.util
import pathlib
import pickle
import sys

import pytest
from conftest import RAW

import keylane

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def test_features(capsys, monkeypatch):
    sklearn = pytest.importorskip("sklearn")
    keylane.keys.load("features", RAW)
    spec = importlib.util.spec_from_file_location("features", EXAMPLES / "features.py")
    features = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "features", features)
    spec.loader.exec_module(features)
    model, score = features.main()
    assert score > 0.99
    assert "4000 rows are for the test" in capsys.readouterr().out
    assert sklearn.base.clone(model).steps[0][1].key == keylane.KeyRef("features")
    # A model that is sent carries the name.
    pickled = pickle.dumps(model)
    assert b"features" in pickled and RAW not in pickled and RAW.hex().encode() not in pickled
