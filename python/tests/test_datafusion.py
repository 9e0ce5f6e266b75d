"""Columns and rows in DataFusion, by expressions and in SQL."""

import decimal

import pyarrow as pa
import pytest
from conftest import KCE1, RAW, plain_tags, row_tags

import keylane
import keylane.datafusion

datafusion = pytest.importorskip("datafusion")

TEXTS = ["a", None, "", "b" * 40, "\u00fc"]
NUMBERS = [1, -2, 3, 2**62, -(2**63)]
NAME = "users-2026"


@pytest.fixture(autouse=True)
def users():
    return keylane.keys.load(NAME, RAW)


@pytest.fixture
def context():
    context = datafusion.SessionContext()
    table = pa.table(
        {
            "t": pa.array(TEXTS),
            "n": pa.array(NUMBERS, pa.int64()),
            "Mixed \"Case\"": pa.array([1, 2, 3, 4, 5], pa.int32()),
            "p": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal(3), decimal.Decimal(0), decimal.Decimal(-1)]),
            "l": pa.array([[1], None, [], [2, None], [3]]),
        }
    )
    context.register_record_batches("people", [table.to_batches(max_chunksize=2)])
    return context


def columns(df):
    return pa.Table.from_batches(df.collect(), df.schema()).to_pydict()


def test_columns(context, users):
    df = context.table("people")
    wanted = {
        "tag": ("t", NAME),
        "wide": ("n", users, "siphash-2-4-128"),
        "sub": ("t", users.derive("users.email")),
        "case": ('Mixed "Case"', NAME),
        "price": ("p", NAME),
        "row": (["t", "n", "l"], NAME),
        "n": ("n", NAME),
    }
    tagged = keylane.datafusion.hash_columns(df, wanted)
    assert tagged.schema().names == ["t", "n", 'Mixed "Case"', "p", "l", "tag", "wide", "sub", "case", "price", "row"]
    found = columns(tagged)
    assert found["tag"] == plain_tags("utf8", TEXTS)
    numbers = plain_tags("int64", [str(x) for x in NUMBERS])
    assert found["n"] == numbers
    key = keylane.Key(RAW)
    assert found["wide"] == [keylane.siphashx24(key, x.to_bytes(8, "little", signed=True)) for x in NUMBERS]
    subkey = key.derive("users.email")
    assert found["sub"] == [None if x is None else keylane.siphash13(subkey, x.encode()) for x in TEXTS]
    assert found["case"] == plain_tags("int32", [1, 2, 3, 4, 5])
    assert found["price"] == plain_tags("decimal128(3, 2)", ["150", None, "300", "0", "-100"])
    lists = [["1"], None, [], ["2", None], ["3"]]
    assert found["row"] == row_tags([("utf8", TEXTS), ("int64", [str(x) for x in NUMBERS]), ("list<item: int64>", lists)])
    line = keylane.metadata(users.derive("users.email"), "siphash-1-3-64")
    assert tagged.schema().field("sub").metadata == {b"keylane": line.encode()}


def test_nullability_and_forms(context, users):
    table = pa.table({"id": pa.array([1, 2])}, pa.schema([pa.field("id", pa.int64(), nullable=False)]))
    context.register_record_batches("ids", [table.to_batches()])
    df = keylane.datafusion.hash_columns(context.table("ids"), {"tag": ("id", NAME), "row": (["id"], NAME)})
    assert [df.schema().field(name).nullable for name in ("tag", "row")] == [False, False]
    people = context.table("people")
    assert keylane.datafusion.hash_columns(people, {"tag": ("t", NAME)}).schema().field("tag").nullable
    for form, kind in (("int64", pa.int64()), ("hex", pa.string()), ("binary", pa.binary(8))):
        df = keylane.datafusion.hash_columns(people, {"tag": ("t", NAME)}, form=form)
        assert df.schema().field("tag").type == kind
        assert columns(df)["tag"] == keylane.hash_column(pa.array(TEXTS), RAW, form=form).to_pylist()
    assert columns(keylane.datafusion.pseudonymize(people, {"t": ("t", users)}))["t"] == keylane.pseudonymize(TEXTS, RAW)
    rows = keylane.datafusion.hash_rows(people, NAME, columns="n", name="tag")
    assert columns(rows)["tag"] == row_tags([("int64", [str(x) for x in NUMBERS])])
    assert columns(people.limit(0).select("t").distinct()) == {"t": []}
    assert columns(keylane.datafusion.hash_rows(people.limit(0), NAME))["row"] == []


def test_errors(context):
    df = context.table("people")
    cases = [
        ({"x": ("nobody", NAME)}, ValueError, "no column nobody"),
        ({"x": ("t", "nobody")}, KeyError, "no key is loaded"),
        ({"x": ("l", NAME)}, TypeError, "column l: .* is not hashed"),
        ({"x": ("t", RAW)}, TypeError, "the name of a key"),
        ({"x": ("t", RAW.hex())}, ValueError, "looks like a key"),
        ({"x": ("t", NAME, "md5")}, ValueError, "no such algorithm"),
        ({"x": ([], NAME)}, ValueError, "at least one"),
        ({"x": "t"}, TypeError, "is needed"),
    ]
    for wanted, error, text in cases:
        with pytest.raises(error, match=text):
            keylane.datafusion.hash_columns(df, wanted)
    for form in ("x", "uint64"):
        with pytest.raises(ValueError, match="form is"):
            keylane.datafusion.hash_columns(df, {"x": ("t", NAME)}, "siphash-2-4-128", form=form)
    with pytest.raises(ValueError, match="siphash-2-4-128"):
        keylane.datafusion.pseudonymize(df, {"x": ("t", NAME)}, "siphash-1-3-64")
    with pytest.raises(Exception, match="column t, row 1: a null"):
        keylane.datafusion.hash_columns(df, {"x": ("t", NAME)}, nulls="error").collect()


def test_sql(context):
    keylane.datafusion.register(context)
    query = (
        f"SELECT keylane_hash_text('{NAME}', t) a, keylane_hash128_int64('{NAME}', n) b, "
        f"keylane_pseudonym_text('{NAME}/users.email', t) c, keylane_hash_int64('{NAME}', \"Mixed \"\"Case\"\"\") d, "
        f"keylane_hash_text('{NAME}', n) e, keylane_hash_float64('{NAME}', n) f FROM people"
    )
    found = columns(context.sql(query))
    assert found["a"] == plain_tags("utf8", TEXTS)
    assert found["b"] == [keylane.siphashx24(RAW, x.to_bytes(8, "little", signed=True)) for x in NUMBERS]
    assert found["c"] == keylane.pseudonymize(TEXTS, keylane.Key(RAW).derive("users.email"))
    assert found["d"] == plain_tags("int32", [1, 2, 3, 4, 5])
    times = context.sql(f"SELECT keylane_hash_timestamp('{NAME}', CAST('2020-01-01 00:00:00.5' AS TIMESTAMP(6))) t")
    assert times.to_pydict()["t"] == plain_tags("timestamp[us]", ["1577836800500000"])
    # The name of the function says what is hashed.
    assert found["e"] == plain_tags("utf8", [str(x) for x in NUMBERS])
    assert found["f"] == keylane.hash_column(pa.array(NUMBERS).cast(pa.float64(), safe=False), RAW).to_pylist()
    for call, text in [
        ("keylane_hash_text('nobody', t)", "no key is loaded"),
        ("keylane_hash_text(t, t)", "the name of a key is null"),
        ("keylane_hash_text(coalesce(t, 'x'), t)", "one constant for all rows"),
        (f"keylane_hash_text('{RAW.hex()}', t)", "looks like a key"),
        (f"keylane_hash_int64('{NAME}', t)", "keylane_hash_int64"),
        (f"keylane_hash_binary('{NAME}', t)", "keylane_hash_binary"),
        (f"keylane_hash_timestamp('{NAME}', TIMESTAMP '2020-01-01 00:00:00.5')", "keylane_hash_timestamp"),
    ]:
        with pytest.raises(Exception, match=text):
            context.sql(f"SELECT {call} FROM people").collect()


def encoded():
    """Dictionaries and runs with a null among their values, the suffix of a function in SQL, and what it takes."""
    texts, keys = pa.array(["a", None, ""]), pa.array([0, 1, 2, 1])
    ends, runs = pa.array([1, 2, 3, 4], pa.int32()), pa.array(["a", None, "", None])
    for index in (pa.int8(), pa.uint16(), pa.int64()):
        for kind in (pa.string(), pa.large_string(), pa.string_view()):
            yield pa.DictionaryArray.from_arrays(keys.cast(index), texts.cast(kind)), "text", "x"
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        array = pa.DictionaryArray.from_arrays(keys.cast(pa.int32()), texts.cast(pa.binary()).cast(kind))
        yield array, "binary", "CAST(x AS BYTEA)"
    yield pa.RunEndEncodedArray.from_arrays(ends, runs), "text", "x"
    yield pa.RunEndEncodedArray.from_arrays(ends, runs.cast(pa.binary())), "binary", "CAST(x AS BYTEA)"


@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize(("array", "suffix", "value"), list(encoded()), ids=lambda part: str(getattr(part, "type", part)))
def test_nulls_among_the_values_of_dictionaries_and_runs(array, suffix, value, nullable):
    context = datafusion.SessionContext()
    keylane.datafusion.register(context)
    # A field that is never null has no null among its keys. It may have some among its values.
    schema = pa.schema([pa.field("x", array.type, nullable)])
    context.register_record_batches("encoded", [[pa.RecordBatch.from_arrays([array], schema=schema)]])
    expected = plain_tags("utf8", ["a", None, "", None])
    tagged = keylane.datafusion.hash_columns(context.table("encoded"), {"tag": ("x", NAME), "row": (["x"], NAME)})
    assert tagged.schema().field("tag").nullable
    assert columns(tagged)["tag"] == expected
    assert columns(tagged)["row"] == row_tags([("utf8", ["a", None, "", None])])
    by_sql = context.sql(f"SELECT keylane_hash_{suffix}('{NAME}', {value}) AS tag FROM encoded")
    assert columns(by_sql)["tag"] == expected
    if suffix == "binary":
        # DataFusion's own cast would make an empty value of the null.
        with pytest.raises(Exception, match="keylane_hash_binary"):
            context.sql(f"SELECT keylane_hash_binary('{NAME}', x) FROM encoded")


def test_columns_of_one_name(context):
    both = context.sql("SELECT a.n, b.n, a.t FROM people a JOIN people b ON a.n = b.n")
    assert both.schema().names == ["n", "n", "t"]
    with pytest.raises(ValueError, match="there are several columns n"):
        keylane.datafusion.hash_columns(both, {"tag": ("t", NAME)})


def test_no_plan_holds_the_key(context, users):
    keylane.datafusion.register(context)
    tagged = keylane.datafusion.hash_columns(context.table("people"), {"x": ("t", users.derive("users.email"))})
    by_sql = context.sql(f"SELECT keylane_hash_text('{NAME}', t) FROM people")
    for df in (tagged, by_sql):
        plans = [df.logical_plan(), df.optimized_logical_plan(), df.execution_plan()]
        text = "".join(plan.display_indent() + repr(plan) for plan in plans)
        text += str(pa.Table.from_batches(df.explain_table().collect())) if hasattr(df, "explain_table") else ""
        assert NAME in text
        subkey = KCE1.derive(RAW, "users.email")
        assert not any(secret in text.lower() for raw in (RAW, subkey) for secret in (raw.hex(), repr(list(raw))[1:-1]))
