"""Keyed hashes of columns in DataFusion. Plans carry the name of a key; the process holds the key.

    >>> import datafusion
    >>> import keylane, keylane.datafusion
    >>> context = datafusion.SessionContext()
    >>> people = context.from_pydict({"email": ["a@example.com", None], "age": [30, 40]})
    >>> users = keylane.keys.load("members", key=keylane.Key.generate())
    >>> tagged = keylane.datafusion.hash_columns(people, {
    ...     "email_tag": ("email", users.derive("users.email")),
    ...     "row_tag": (["email", "age"], users, "siphash-2-4-128"),
    ... })
    >>> tagged.schema().field("email_tag").type
    DataType(uint64)

For SQL, `register` adds functions. docs/PYTHON.md says which types they take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import keylane
from keylane import KeyRef, _keylane, _wanted

if TYPE_CHECKING:
    from datafusion import DataFrame, SessionContext

    from keylane._wanted import Key as _Key, Source as _Source, Wanted as _Wanted

    _Form: TypeAlias = Literal["uint64", "int64", "binary", "hex"]
    _Nulls: TypeAlias = Literal["keep", "error"]

__all__ = ["hash_columns", "hash_rows", "pseudonymize", "register"]


def hash_columns(
    df: DataFrame,
    columns: Mapping[str, _Wanted],
    alg: str = "siphash-1-3-64",
    *,
    form: _Form | None = None,
    nulls: _Nulls = "keep",
) -> DataFrame:
    """The same rows with columns of tags.

    `columns` has, for each new column, the column to hash and the name of a key: `{"email_tag": ("email", "users-2026")}`.
    A list of columns gives tags of rows, `(["email", "age"], "users-2026")`; a third member is an algorithm. A name that
    the table has replaces that column. Every type of KCE-1 is hashed as it is.
    """
    return _with_tags(df, _wanted.hashes(columns, alg), form, nulls)


def pseudonymize(
    df: DataFrame,
    columns: Mapping[str, tuple[_Source, _Key]],
    alg: str = "siphash-2-4-128",
    *,
    form: Literal["binary", "hex"] = "hex",
    nulls: _Nulls = "keep",
) -> DataFrame:
    """Like `hash_columns`, for pseudonyms that leave the process: tags of 128 bits, as text by default.

        >>> import datafusion
        >>> people = datafusion.SessionContext().from_pydict({"email": ["a@example.com"]})
        >>> users = keylane.keys.load("members-of-128-bits", key=keylane.Key.generate())
        >>> pseudonymize(people, {"email": ("email", users)}).schema().field("email").type
        DataType(string)
    """
    return _with_tags(df, _wanted.pseudonyms(columns, alg), form, nulls)


def hash_rows(
    df: DataFrame,
    key: _Key,
    alg: str = "siphash-1-3-64",
    *,
    columns: str | Iterable[str] | None = None,
    name: str = "row",
    form: _Form | None = None,
    nulls: _Nulls = "keep",
) -> DataFrame:
    """The same rows with one more column: a tag for each row, of all columns or of those in `columns`.

        >>> import datafusion
        >>> people = datafusion.SessionContext().from_pydict({"email": ["a@example.com", None], "age": [30, None]})
        >>> users = keylane.keys.load("members-in-rows", key=keylane.Key.generate())
        >>> hash_rows(people, users).select("row").distinct().count()
        2
    """
    if columns is None:
        columns = df.schema().names
    chosen = [columns] if isinstance(columns, str) else list(columns)
    return _with_tags(df, {name: (chosen, key, alg)}, form, nulls)


def _with_tags(
    df: DataFrame, wanted: Mapping[str, tuple[_Source, _Key, str]], form: str | None, nulls: str
) -> DataFrame:
    schema = df.schema()
    tags = {}
    for name, (source, key, alg) in wanted.items():
        rows = not isinstance(source, str)
        columns = list(source) if rows else [str(source)]
        if not columns:
            raise ValueError(f"column {name}: rows have at least one column")
        fields = [_field(schema, column) for column in columns]
        function = _function(_ref(key), fields, alg, form, nulls, rows)
        tags[name] = function(*map(_column, columns)).alias(name)
    # All at once, so that a tag that replaces a column is not hashed again. An expression finds a column by its name, so
    # each has to stand once.
    for name in schema.names:
        _field(schema, name)
    kept = [tags.pop(name) if name in tags else _column(name) for name in schema.names]
    return df.select(*kept, *tags.values())


def _column(name: str) -> Any:
    from datafusion import col

    quoted = name.replace('"', '""')
    return col(f'"{quoted}"')


def _field(schema: Any, column: str) -> Any:
    places = schema.get_all_field_indices(column)
    if len(places) != 1:
        raise ValueError(f"there are several columns {column}" if places else f"there is no column {column}")
    return schema.field(places[0])


def _ref(key: object) -> KeyRef:
    if isinstance(key, str):
        key = KeyRef(key)
    if not isinstance(key, KeyRef):
        raise TypeError("a plan carries the name of a key: load the key by keylane.keys.load")
    return key


def _types(alg: str, form: str | None) -> tuple[str, Any]:
    """The form of tags, and its type."""
    import pyarrow

    # A call under no secret key says whether there is such an algorithm, and how long its tags are.
    size = len(keylane.hash_column([b""], bytes(16), alg, form="binary")[0])
    form = form or ("uint64" if size == 8 else "binary")
    types = {"uint64": pyarrow.uint64(), "int64": pyarrow.int64(), "binary": pyarrow.binary(size), "hex": pyarrow.string()}
    if form not in types or (size > 8 and form in ("uint64", "int64")):
        raise ValueError("form is binary or hex, or uint64 or int64 for tags of 64 bits")
    return form, types[form]


def _function(key: KeyRef, fields: list[Any], alg: str, form: str | None, nulls: str, rows: bool) -> Any:
    """A function for columns of exactly these types. Its name is all that a plan shows."""
    import pyarrow
    from datafusion import udf

    if nulls not in ("keep", "error"):
        raise ValueError("nulls is keep or error")
    form, kind = _types(alg, form)
    # A key that is missing, and a type that is refused, are errors before a plan runs.
    line = keylane.metadata(key, alg, rows=rows)
    empty = [pyarrow.nulls(0, field.type) for field in fields]
    names = [field.name for field in fields]
    _hash(empty, names, key, alg, form, nulls, rows)
    nullable = not rows and nulls == "keep" and any(_may_be_null(field) for field in fields)
    given = [pyarrow.field(f"value_{place}", field.type, field.nullable) for place, field in enumerate(fields)]
    found = pyarrow.field("tag", kind, nullable, {"keylane": line})

    def tags(*columns: Any) -> Any:
        return _hash(columns, names, key, alg, form, nulls, rows)

    # Functions with one name are one function to DataFusion.
    about = [alg, form, nulls, *(["row"] if rows else []), "/".join([key.name, *key.contexts]), *names]
    return udf(tags, given, found, "immutable", f"keylane[{'; '.join(about)}]")


def _may_be_null(field: Any) -> bool:
    """Whether values may be null. Those of a dictionary or of runs may be, even if the field says no."""
    from pyarrow import types

    kind = field.type
    has_values = types.is_dictionary(kind) or types.is_run_end_encoded(kind) or types.is_null(kind)
    return bool(field.nullable or has_values)


def _hash(columns: Sequence[Any], names: Sequence[str], key: Any, alg: str, form: Any, nulls: Any, rows: bool) -> Any:
    import pyarrow

    if rows:
        batch = pyarrow.RecordBatch.from_arrays(list(columns), list(names))
        return keylane.hash_rows(batch, key, alg, form=form, nulls=nulls)
    column = keylane.Column.from_arrow(columns[0], names[0])
    return pyarrow.array(keylane.hash_column(column, key, alg, form=form, nulls=nulls))


# SQL


def register(context: SessionContext) -> None:
    """Adds functions to the SQL of a context: for each type, `keylane_hash_TYPE`, `keylane_hash128_TYPE` and
    `keylane_pseudonym_TYPE`.

    TYPE is text, binary, int64, uint64, float64, bool, date or timestamp (in microseconds). A function from Python has
    one type, and DataFusion would turn a number into text without a word. So the name says which bytes are hashed. Values
    that DataFusion does not cast to TYPE by itself need a cast in the query. The first argument is the name of a key, or
    `name/context` for a subkey.

        >>> import datafusion
        >>> context = datafusion.SessionContext()
        >>> register(context)
        >>> _ = keylane.keys.load("members-in-sql", key=keylane.Key.generate())
        >>> context.sql("SELECT keylane_hash_text('members-in-sql', 'a@example.com') AS tag").schema().field("tag").type
        DataType(uint64)

    For other types and for rows there is `hash_columns`.
    """
    import pyarrow
    from datafusion import udf

    # Not views: DataFusion's cast of a dictionary to them makes an empty value of a null among the dictionary's values.
    # To offsets of 64 bits it casts every text, and no batch is too long for them. To binary without views it casts
    # nothing by itself.
    types = {
        "text": pyarrow.large_string(),
        "binary": pyarrow.binary(),
        "int64": pyarrow.int64(),
        "uint64": pyarrow.uint64(),
        "float64": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us"),
    }
    for name, alg, form in _FUNCTIONS:
        _, kind = _types(alg, form)
        for suffix, value in types.items():
            call = _called(alg, form, kind)
            given = [pyarrow.large_string(), value]
            context.register_udf(udf(call, given, kind, "immutable", f"{name}_{suffix}"))


_FUNCTIONS = (
    ("keylane_hash", "siphash-1-3-64", "uint64"),
    ("keylane_hash128", "siphash-2-4-128", "binary"),
    ("keylane_pseudonym", "siphash-2-4-128", "hex"),
)


def _called(alg: str, form: str, kind: Any) -> Callable[[Any, Any], Any]:
    def tags(key: Any, value: Any) -> Any:
        import pyarrow

        # DataFusion repeats a text that stands in a query.
        name = _keylane.sql_name(keylane.Column.from_arrow(key))
        if name is None:
            return pyarrow.array([], kind)
        return _hash([value], ["value"], name, alg, form, "keep", False)

    return tags
