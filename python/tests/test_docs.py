"""The examples of docs/PYTHON.md and of the modules."""

import doctest
import importlib

import pandas as pd
import pytest
from conftest import ROOT

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
# The printed forms are those of the newest engines.
pytestmark = pytest.mark.skipif(int(pd.__version__.split(".")[0]) < 3, reason="forms of newer engines are printed")


def test_page():
    done = doctest.testfile(str(ROOT / "docs" / "PYTHON.md"), module_relative=False, optionflags=FLAGS)
    assert done.failed == 0 and done.attempted > 40


@pytest.mark.parametrize("name", ["keylane", "keylane.aead", "keylane.keys", "keylane.polars", "keylane.pandas", "keylane.duckdb", "keylane.datafusion"])
def test_modules(name):
    done = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert done.failed == 0 and done.attempted > 0
