"""Expressions for Polars: eager, lazy, streaming and grouped."""

import base64
import concurrent.futures
import contextlib
import decimal
import fractions
import io
import pickle
import subprocess
import sys
import warnings

import numpy as np
import polars as pl
import pytest
from conftest import KCE1, RAW, plain_tags, row_tags

import keylane
import keylane.polars

VERSION = tuple(int(part) for part in pl.__version__.split(".")[:2])
TEXTS = ["a", None, "", "b" * 40, "\u00fc"]
SERIES = VERSION >= (1, 6)


@pytest.fixture(autouse=True)
def users():
    return keylane.keys.load("users-2026", RAW)


@pytest.fixture
def frame():
    return pl.DataFrame({"t": TEXTS, "n": [1, 2, 3, 4, 5], "g": [1, 1, 2, 2, 2]})


def collect(lazy, streaming):
    if not streaming:
        return lazy.collect()
    return lazy.collect(engine="streaming") if VERSION >= (1, 23) else lazy.collect(streaming=True)


@pytest.mark.parametrize("streaming", [False, True])
def test_column(frame, streaming):
    lazy = frame.lazy().select(
        pl.col("t").keylane.hash("users-2026"),
        n=pl.col("n").keylane.hash("users-2026", "siphash-2-4-64", form="int64"),
        h=pl.col("t").keylane.pseudonymize("users-2026"),
        b=pl.col("t").keylane.pseudonymize("users-2026", form="binary"),
        c=pl.col("t").keylane.hash("users-2026", context="users.email"),
    )
    schema = {"t": pl.UInt64, "n": pl.Int64, "h": pl.String, "b": pl.Binary, "c": pl.UInt64}
    found = collect(lazy, streaming)
    assert dict(found.schema) == schema
    assert dict(lazy.collect_schema() if VERSION >= (1, 0) else lazy.schema) == schema
    assert found["t"].to_list() == plain_tags("utf8", TEXTS)
    numbers = plain_tags("int64", list("12345"), "siphash-2-4-64")
    assert [x % 2**64 for x in found["n"].to_list()] == numbers
    wide = [None if text is None else keylane.siphashx24(RAW, text.encode()) for text in TEXTS]
    assert found["b"].to_list() == wide
    assert found["h"].to_list() == [None if x is None else x.hex() for x in wide]
    subkey = keylane.Key(RAW).derive("users.email")
    assert found["c"].to_list() == [None if x is None else keylane.siphash13(subkey, x.encode()) for x in TEXTS]


def test_slices_chunks_and_empty_frames(frame):
    tags = pl.col("t").keylane.hash("users-2026")
    expected = plain_tags("utf8", TEXTS)
    assert frame.slice(1, 3).select(tags)["t"].to_list() == expected[1:4]
    chunked = pl.concat([frame[:2], frame[2:2], frame[2:]], rechunk=False)
    assert chunked.select(tags)["t"].to_list() == expected
    for empty in (frame.clear(), frame.filter(pl.lit(False))):
        found = empty.select(tags, n=pl.col("n").keylane.pseudonymize("users-2026"))
        assert found.height == 0 and dict(found.schema) == {"t": pl.UInt64, "n": pl.String}
        assert empty.select(keylane.polars.hash_rows(["t", "n"], "users-2026")).height == 0
    assert frame.filter(pl.col("n") > 2).select(tags)["t"].to_list() == expected[2:]
    big = pl.DataFrame({"x": range(200_000)}).lazy().filter(pl.col("x") % 3 == 0)
    found = collect(big.with_columns(h=pl.col("x").keylane.hash("users-2026")), True)
    for row in (0, 1, found.height - 1):
        x = found["x"][row]
        assert found["h"][row] == keylane.siphash13(RAW, x.to_bytes(8, "little"))


def test_groups_and_windows(frame):
    tags = dict(zip(TEXTS, plain_tags("utf8", TEXTS), strict=True))
    grouped = frame.group_by("g", maintain_order=True).agg(pl.col("t").keylane.hash("users-2026"))
    assert grouped["t"].to_list() == [[tags[x] for x in TEXTS[:2]], [tags[x] for x in TEXTS[2:]]]
    first = frame.group_by("g", maintain_order=True).agg(pl.col("t").first().keylane.hash("users-2026"))
    assert first["t"].to_list() == [tags["a"], tags[""]]
    window = frame.select(pl.col("t").keylane.hash("users-2026").first().over("g"))
    assert window["t"].to_list() == [tags["a"]] * 2 + [tags[""]] * 3
    rows = frame.group_by("g", maintain_order=True).agg(keylane.polars.hash_rows(["t", "n"], "users-2026"))
    assert rows["row"].explode().to_list() == row_tags([("utf8", TEXTS), ("int64", list("12345"))])
    by_tag = frame.group_by(pl.col("g").keylane.hash("users-2026")).len()
    assert by_tag.height == 2


@pytest.mark.parametrize("streaming", [False, True])
def test_rows(frame, streaming):
    expected = row_tags([("utf8", TEXTS), ("int64", list("12345"))])
    lazy = frame.lazy().select(keylane.polars.hash_rows(["t", "n"], "users-2026"))
    assert collect(lazy, streaming)["row"].to_list() == expected
    swapped = keylane.polars.hash_rows([pl.col("n"), pl.col("t")], "users-2026")
    assert frame.select(swapped)["row"].to_list() == row_tags([("int64", list("12345")), ("utf8", TEXTS)])
    literal = keylane.polars.hash_rows(["t", pl.lit(7, dtype=pl.Int64)], "users-2026")
    assert frame.select(literal)["row"].to_list() == row_tags([("utf8", TEXTS), ("int64", ["7"] * 5)])
    nested = frame.select(keylane.polars.hash_rows([pl.struct("n", "g")], "users-2026"))["row"].to_list()
    structs = [[str(n), str(g)] for n, g in zip(frame["n"], frame["g"], strict=True)]
    assert nested == row_tags([("struct<n: int64, g: int64>", structs)])
    twice = frame.select(keylane.polars.hash_rows(["n", "n"], "users-2026"))["row"].to_list()
    assert twice == row_tags([("int64", list("12345"))] * 2)
    with pytest.raises(ValueError, match="at least one"):
        keylane.polars.hash_rows([], "users-2026")
    long = frame.rename({"t": "tn"})
    for one in ("tn", pl.col("tn")):
        assert long.select(keylane.polars.hash_rows(one, "users-2026"))["row"].to_list() == row_tags([("utf8", TEXTS)])
    with pytest.raises(ValueError, match="reserved"):
        pl.col("t").keylane.hash("users-2026", context="KCE-1 row")


def test_types(frame):
    found = frame.select(
        pl.col("t").cast(pl.Categorical).keylane.hash("users-2026"),
        n=pl.col("n").cast(pl.UInt8).keylane.hash("users-2026"),
        f=pl.col("n").cast(pl.Float32).keylane.hash("users-2026"),
        z=pl.lit(None).keylane.hash("users-2026"),
        b=(pl.col("n") > 2).keylane.hash("users-2026"),
    )
    assert found["t"].to_list() == plain_tags("utf8", TEXTS)
    assert found["n"].to_list() == plain_tags("int64", list("12345"))
    assert found["f"].to_list() == plain_tags("float64", [hex(0x3FF0000000000000)])[:1] + found["f"].to_list()[1:]
    assert found["z"].to_list() == [None] * 5
    assert found["b"].to_list() == plain_tags("bool", [False, False, True, True, True])


def test_names_with_zero_bytes():
    name = "a\0b"
    frame = pl.DataFrame({name: TEXTS, "n": range(5)})
    lazy = frame.lazy().select(pl.col(name).keylane.hash("users-2026"), keylane.polars.hash_rows([name, "n"], "users-2026"))
    found = collect(lazy, False)
    assert found.columns == [name, "row"]
    assert found[name].to_list() == plain_tags("utf8", TEXTS)
    plain = frame.rename({name: "a"}).select(keylane.polars.hash_rows(["a", "n"], "users-2026"))
    assert found["row"].to_list() == plain["row"].to_list()
    kept = frame.filter(pl.col(name).keylane.sample("users-2026", 1.0))
    assert kept.height == 4 and kept.columns == [name, "n"]
    upper = frame.select(pl.col(name).str.to_uppercase().keylane.hash("users-2026"))
    assert upper.columns == [name]


def test_samples(frame):
    tags = frame["t"].to_frame().select(pl.col("t").keylane.hash("users-2026"))["t"]
    for fraction in (0, 0.3, 0.5, 1, np.float32(0.3), np.float64(0.5), decimal.Decimal("0.3"), fractions.Fraction(1, 3)):
        kept = frame.select(pl.col("t").keylane.sample("users-2026", fraction))["t"].to_list()
        assert kept == [tag is not None and tag < float(fraction) * 2**64 for tag in tags]
        assert kept == keylane.sample(TEXTS, "users-2026", fraction)
    with pytest.raises(ValueError, match="fraction"):
        pl.col("t").keylane.sample("users-2026", 2)


def test_errors(frame):
    cases = [
        (pl.col("t").keylane.hash("nobody"), "no key is loaded under the name \"nobody\""),
        (pl.col("t").keylane.hash("users-2026", "siphash"), "no such algorithm"),
        (pl.col("t").keylane.hash("users-2026", "siphash-4-8-64"), "no such algorithm for columns"),
        (pl.col("t").keylane.hash("users-2026", nulls="error"), "column t, row 1: a null"),
        (pl.col("t").keylane.hash("users-2026", nulls="x"), "nulls is"),
        (pl.col("t").keylane.hash("users-2026", form="x"), "form is"),
        (pl.col("t").keylane.pseudonymize("users-2026", form="uint64"), "128 bits"),
        (pl.struct("t", "n").keylane.hash("users-2026"), "is not hashed"),
        (pl.concat_list("n").keylane.hash("users-2026"), "is not hashed"),
    ]
    for expr, text in cases:
        with pytest.raises(pl.exceptions.PolarsError if hasattr(pl.exceptions, "PolarsError") else Exception, match=text):
            frame.select(expr)
    for alg in ("siphash-1-3-64", "siphash-1-3-128", "siphash-4-8-128"):
        with pytest.raises(ValueError, match="siphash-2-4-128"):
            pl.col("t").keylane.pseudonymize("users-2026", alg)
    for key in (RAW, keylane.Key(RAW), None):
        with pytest.raises(TypeError, match="name of a key"):
            pl.col("t").keylane.hash(key)
    with pytest.raises(ValueError, match="looks like a key") as caught:
        pl.col("t").keylane.hash(RAW.hex())
    assert RAW.hex() not in str(caught.value)


def forms(raw):
    """Bytes in every form in which they could stand in text or in bytes."""
    yield from (raw, raw.hex().encode(), raw.hex().upper().encode(), base64.b64encode(raw), repr(raw).encode())
    yield base64.urlsafe_b64encode(raw).rstrip(b"=")
    yield from (separator.join(str(byte) for byte in raw).encode() for separator in (",", ", "))


def secrets():
    """The key, and its subkey."""
    subkey = KCE1.derive(RAW, "users.email")
    return [form for raw in (RAW, subkey) for form in forms(raw)]


def test_no_plan_holds_the_key(frame):
    lazy = frame.lazy().select(
        pl.col("t").keylane.pseudonymize("users-2026", context="users.email"),
        keylane.polars.hash_rows(["t", "n"], "users-2026"),
    )
    expr = pl.col("t").keylane.hash("users-2026")
    written = [lazy.explain(), lazy.explain(optimized=False), repr(lazy), str(lazy), repr(expr), str(expr)]
    written += [pickle.dumps(lazy), pickle.dumps(expr), lazy.serialize(), expr.meta.serialize()]
    with warnings.catch_warnings():
        # The format is deprecated, and may be refused.
        warnings.simplefilter("ignore")
        with contextlib.suppress(TypeError, ValueError, pl.exceptions.ComputeError):
            written += [lazy.serialize(format="json"), expr.meta.serialize(format="json")]
    with pytest.raises(Exception) as caught:
        frame.select(pl.col("t").keylane.hash("users-2026", nulls="error"))
    written.append(str(caught.value))
    written = [text if isinstance(text, bytes) else text.encode() for text in written]
    # The search finds the name, and so would find the key.
    assert any(form in text for text in written for form in forms(b"users-2026"))
    for text in written:
        assert not any(secret in text for secret in secrets())
    again = pickle.loads(pickle.dumps(lazy))
    assert again.collect().equals(lazy.collect())


def test_a_plan_in_another_process(frame, tmp_path):
    lazy = frame.lazy().select(pl.col("t").keylane.hash("travels"))
    (tmp_path / "plan").write_bytes(lazy.serialize() if VERSION >= (1, 0) else lazy.serialize().encode())
    program = (
        "import io, sys, polars as pl\n"
        "lazy = pl.LazyFrame.deserialize(io.BytesIO(open(sys.argv[1], 'rb').read()))\n"
        "try:\n    print(lazy.collect()['t'].to_list())\n"
        "except Exception as error:\n    print(error)\n"
    )
    environment = {"PATH": "", "PYTHONPATH": ":".join(sys.path)}

    def run(**more):
        command = [sys.executable, "-W", "ignore", "-c", program, str(tmp_path / "plan")]
        return subprocess.run(command, env=environment | more, capture_output=True, text=True, check=True).stdout

    assert 'no key is loaded under the name "travels"' in run()
    (tmp_path / "travels").touch(mode=0o600)
    (tmp_path / "travels").write_text(RAW.hex() + "\n")
    assert run(KEYLANE_KEY_DIR=str(tmp_path)).strip() == str(plain_tags("utf8", TEXTS))


def test_threads(frame):
    big = pl.concat([frame] * 2000)
    expected = big.select(pl.col("t").keylane.hash("users-2026"))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        work = [pool.submit(lambda: big.lazy().select(pl.col("t").keylane.hash("users-2026")).collect()) for _ in range(16)]
        for done in work:
            assert done.result().equals(expected)


@pytest.mark.skipif(not SERIES, reason="this release has no Series.__arrow_c_stream__")
def test_series_and_expressions_agree(frame):
    key = keylane.Key(RAW)
    for name in ("t", "n"):
        one = frame[name].keylane.hash(key)
        assert one.equals(frame.select(pl.col(name).keylane.hash("users-2026"))[name])
        assert frame[name].keylane.pseudonymize(key).dtype == pl.String
        assert frame[name].keylane.sample(key, 1).sum() == frame[name].count()
    assert keylane.hash_rows(frame, key, columns=["t", "n"]).to_list() == row_tags([("utf8", TEXTS), ("int64", list("12345"))])


def test_files_and_joins():
    left = pl.read_csv(io.StringIO("email,x\na@example.com,1\nb@example.com,2\n"))
    right = pl.read_csv(io.StringIO("mail,y\nb@example.com,20\nc@example.com,30\n"))
    tag = keylane.KeyRef("users-2026").derive("users.email")
    left = left.select(pl.col("email").keylane.pseudonymize(tag), "x")
    right = right.select(pl.col("mail").keylane.pseudonymize(tag).alias("email"), "y")
    assert left.join(right, on="email").select("x", "y").rows() == [(2, 20)]
