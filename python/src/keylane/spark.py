"""Keyed hashes of columns in Spark 4, over Arrow. Plans carry the name of a key; the executors hold the key.

    >>> from pyspark.sql import SparkSession
    >>> import keylane, keylane.spark
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> people = spark.createDataFrame([("a@example.com", 30), (None, 40)], "email string, age int")
    >>> users = keylane.KeyRef("users-2026")
    >>> tagged = keylane.spark.hash_columns(people, {
    ...     "email_tag": ("email", users.derive("users.email")),
    ...     "row_tag": (["email", "age"], users, "siphash-2-4-128"),
    ... })
    >>> tagged.printSchema()
    root
     |-- email: string (nullable = true)
     |-- age: integer (nullable = true)
     |-- email_tag: long (nullable = true)
     |-- row_tag: binary (nullable = false)
    <BLANKLINE>

docs/SPARK.md says how executors get keys, and what the way through Python costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import keylane
from keylane import KeyRef, _keylane, _wanted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from keylane._wanted import Key as _Key, Source as _Source, Wanted as _Wanted

    _Form: TypeAlias = Literal["int64", "binary", "hex"]
    _Nulls: TypeAlias = Literal["keep", "error"]

__all__ = ["SharedKeys", "hash_columns", "hash_rows", "pseudonymize", "register"]

_TYPES = {"int64": "bigint", "binary": "binary", "hex": "string"}

# Types whose values KCE-1 hashes, and whose Arrow type is the same in every release of Spark 4.
_PLAIN = {
    *("BinaryType", "BooleanType", "ByteType", "CharType", "DateType", "DayTimeIntervalType", "DecimalType", "DoubleType"),
    *("FloatType", "IntegerType", "LongType", "NullType", "ShortType", "StringType", "TimeType", "TimestampNTZType"),
    *("TimestampType", "VarcharType"),
}


class _Tag(NamedTuple):
    """A column of tags: what executors need to make it. There is no key in it."""

    name: str
    places: tuple[int, ...]
    columns: tuple[str, ...]
    key: tuple[str, ...]
    alg: str
    form: str
    nulls: str
    rows: bool
    metadata: str = ""


class SharedKeys:
    """Keys from files of the driver, for executors that have none: an encrypted broadcast variable.

    `files` gives a file for each name. Spark must encrypt what it stores and what it sends: `spark.io.encryption.enabled`,
    and either `spark.network.crypto.enabled` with `spark.authenticate`, or `spark.ssl.rpc.enabled`. Python keeps copies
    of these keys, which are not wiped; mount files where you can.

        >>> shared = SharedKeys(spark, {"users-2026": "/run/keys/users-2026"})  # doctest: +SKIP
        >>> tagged = hash_columns(people, {"tag": ("email", "users-2026")}, shared=shared)  # doctest: +SKIP
    """

    def __init__(self, spark: SparkSession, files: Mapping[str, str | Path]) -> None:
        from pyspark.sql import SparkSession as Classic

        if not isinstance(spark, Classic):
            raise TypeError("Spark Connect has no broadcast variables; mount the key on the executors")
        context = spark.sparkContext

        def on(name: str) -> bool:
            return str(context.getConf().get(name, "false")).lower() == "true"

        if not on("spark.io.encryption.enabled"):
            raise ValueError("a key is broadcast only if Spark encrypts what it stores: spark.io.encryption.enabled")
        if not on("spark.ssl.rpc.enabled") and not (on("spark.network.crypto.enabled") and on("spark.authenticate")):
            raise ValueError(
                "a key is broadcast only if Spark encrypts what it sends: spark.network.crypto.enabled with "
                "spark.authenticate, or spark.ssl.rpc.enabled"
            )
        self._names = tuple(KeyRef(name).name for name in files)
        self._broadcast = context.broadcast({name: _key_bytes(Path(file)) for name, file in files.items()})

    def __repr__(self) -> str:
        return f"SharedKeys{self._names}"

    def unpersist(self) -> None:
        """Removes the keys from the executors' stores. Their processes keep what they loaded."""
        self._broadcast.unpersist()


def hash_columns(
    df: DataFrame,
    columns: Mapping[str, _Wanted],
    alg: str = "siphash-1-3-64",
    *,
    form: _Form | None = None,
    nulls: _Nulls = "keep",
    env: Mapping[str, str] | None = None,
    shared: SharedKeys | None = None,
    probe: bool = True,
) -> DataFrame:
    """The same rows with columns of tags, all of them made in one way through Python.

    `columns` has, for each new column, the column to hash and the name of a key: `{"email_tag": ("email", "users-2026")}`.
    A list of columns gives tags of rows, `(["email", "age"], "users-2026")`; a third member is an algorithm. A name that
    the table has replaces that column.

    Tags of 64 bits are `bigint`: the 64 bits of keylane's uint64, since Spark has no unsigned integers. Longer ones are
    `binary`. `form="hex"` gives text. A null stays null. Tags of rows, and tags with `nulls="error"`, are never null.

    Executors find keys as files in `$KEYLANE_KEY_DIR`, in environment variables (`env={"users-2026": "USERS_KEY"}`), or
    in `shared`. Before the plan is made, a job of one short task a core looks whether they are there, and the same
    everywhere; `probe=False` leaves it out. With it, the metadata of each new column says what its tags are, and a task
    fails if its executor holds another key.
    """
    return _with_tags(df, _wanted.hashes(columns, alg), form, nulls, env, shared, probe)


def pseudonymize(
    df: DataFrame,
    columns: Mapping[str, tuple[_Source, _Key]],
    alg: str = "siphash-2-4-128",
    *,
    form: Literal["binary", "hex"] = "hex",
    nulls: _Nulls = "keep",
    env: Mapping[str, str] | None = None,
    shared: SharedKeys | None = None,
    probe: bool = True,
) -> DataFrame:
    """Like `hash_columns`, for pseudonyms that leave the cluster: tags of 128 bits, as text by default.

        >>> keylane.spark.pseudonymize(people, {"email": ("email", "users-2026")}).schema["email"].dataType
        StringType()
    """
    return _with_tags(df, _wanted.pseudonyms(columns, alg), form, nulls, env, shared, probe)


def hash_rows(
    df: DataFrame,
    key: _Key,
    alg: str = "siphash-1-3-64",
    *,
    columns: str | Iterable[str] | None = None,
    name: str = "row",
    form: _Form | None = None,
    nulls: _Nulls = "keep",
    env: Mapping[str, str] | None = None,
    shared: SharedKeys | None = None,
    probe: bool = True,
) -> DataFrame:
    """The same rows with one more column: a tag for each row, of all columns or of those in `columns`.

        >>> keylane.spark.hash_rows(people, "users-2026").select("row").distinct().count()
        2
    """
    if columns is None:
        columns = df.columns
    chosen = [columns] if isinstance(columns, str) else list(columns)
    return _with_tags(df, {name: (chosen, key, alg)}, form, nulls, env, shared, probe)


def _with_tags(
    df: DataFrame,
    wanted: Mapping[str, tuple[_Source, _Key, str]],
    form: str | None,
    nulls: str,
    env: Mapping[str, str] | None,
    shared: SharedKeys | None,
    probe: bool,
) -> DataFrame:
    from pyspark.sql.types import StructField, StructType

    fields = list(df.schema.fields)
    for field in fields:
        _check_names(field.dataType, field.name)
    tags = [_tag(fields, name, *one, form, nulls) for name, one in wanted.items()]
    # Each column of the result is one of the table, or -1, -2... for the first, second... column of tags.
    order = list(range(len(fields)))
    for at, tag in enumerate(tags, 1):
        same = [place for place, field in enumerate(fields) if field.name == tag.name]
        if len(same) > 1:
            raise ValueError(f"there are several columns {tag.name}")
        if same:
            order[same[0]] = -at
        else:
            order.append(-at)
    variables, broadcast = dict(env or {}), None if shared is None else shared._broadcast
    if probe and tags:
        tags = _probe(df.sparkSession, tags, variables, broadcast)
    found = [fields[place] if place >= 0 else _field(tags[-1 - place], fields) for place in order]
    # Spark passes columns to Python by their names, and finds none that has a dot or stands twice. So on the way each
    # column has its place as its name.
    schema = StructType([StructField(str(at), one.dataType, one.nullable, one.metadata) for at, one in enumerate(found)])
    packed = [tuple(tag) for tag in tags]

    # Pickled by value, with nothing of keylane's in it: so it can say that keylane is missing.
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from keylane.spark import _tagged

        return _tagged(batches, packed, order, variables, None if broadcast is None else broadcast.value)

    sent = df.toDF(*map(str, range(len(fields))))
    return sent.mapInArrow(run, schema).toDF(*(one.name for one in found))


def _tag(fields: list[Any], name: str, source: _Source, key: _Key, alg: str, form: str | None, nulls: str) -> _Tag:
    """What is wanted, checked as far as the driver can."""
    rows = not isinstance(source, str)
    columns = tuple(source) if rows else (str(source),)
    if not columns:
        raise ValueError(f"column {name}: rows have at least one column")
    places = tuple(_place(fields, column) for column in columns)
    for place in places:
        _check(fields[place].dataType, fields[place].name, rows)
    names = _names(key)
    if nulls not in ("keep", "error"):
        raise ValueError("nulls is keep or error")
    # A call under no secret key says whether there is such an algorithm, and how long its tags are.
    wide = len(keylane.hash_column([b""], bytes(16), alg, form="binary")[0]) > 8
    if form not in (None, *_TYPES) or (wide and form == "int64"):
        raise ValueError("form is binary or hex, or int64 for tags of 64 bits; Spark has no unsigned integers")
    return _Tag(name, places, columns, names, alg, form or ("binary" if wide else "int64"), nulls, rows)


def _names(key: object) -> tuple[str, ...]:
    """The name of a key and its contexts."""
    if isinstance(key, str):
        key = KeyRef(key)
    if not isinstance(key, KeyRef):
        raise TypeError("a plan carries the name of a key; executors get the key itself from files, see docs/SPARK.md")
    return (key.name, *key.contexts)


def _place(fields: list[Any], column: str) -> int:
    found = [place for place, field in enumerate(fields) if field.name == column]
    if len(found) != 1:
        raise ValueError(f"there are several columns {column}" if found else f"there is no column {column}")
    return found[0]


def _check(type_of: Any, column: str, nested: bool) -> None:
    """Refuses a type here, and not in a task that Spark tries four times."""
    name = type(type_of).__name__
    if nested and name == "ArrayType":
        _check(type_of.elementType, column, True)
    elif nested and name == "StructType":
        for field in type_of.fields:
            _check(field.dataType, column, True)
    elif name not in _PLAIN:
        raise TypeError(f"column {column}: {type_of.simpleString()} is not hashed")


def _check_names(type_of: Any, column: str) -> None:
    """Refuses a struct with two fields of one name, which Spark does not pass to Python, in any column."""
    inside = [getattr(type_of, name, None) for name in ("elementType", "keyType", "valueType")]
    if type(type_of).__name__ == "StructType":
        names = type_of.names
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"column {column}: a struct has several fields {twice[0]}")
        inside = [field.dataType for field in type_of.fields]
    for part in filter(None, inside):
        _check_names(part, column)


def _field(tag: _Tag, fields: list[Any]) -> Any:
    from pyspark.sql.types import BinaryType, LongType, StringType, StructField

    kind = {"int64": LongType, "binary": BinaryType, "hex": StringType}[tag.form]
    nullable = not tag.rows and tag.nulls == "keep" and fields[tag.places[0]].nullable
    return StructField(tag.name, kind(), nullable, {"keylane": tag.metadata} if tag.metadata else {})


# On the driver: are the keys there?


def _probe(spark: SparkSession, tags: list[_Tag], variables: dict[str, str], broadcast: Any) -> list[_Tag]:
    """The tags with their metadata, which only executors may know. An error if one of them lacks a key."""
    asked = [(tag.key, tag.alg, tag.rows) for tag in tags]

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import platform

        import pyarrow

        for _ in batches:
            pass
        kind, fault, lines = "", "", []
        try:
            from keylane.spark import _metadata

            lines = _metadata(asked, variables, None if broadcast is None else broadcast.value)
        except Exception as error:
            kind, fault = type(error).__name__, str(error.args[0] if error.args else error)
        # An answer and no error: Spark tries tasks with errors four times.
        columns = {"host": [platform.node()], "kind": [kind], "fault": [fault]}
        texts = pyarrow.array([lines], pyarrow.list_(pyarrow.string()))
        yield pyarrow.RecordBatch.from_arrays([*map(pyarrow.array, columns.values()), texts], [*columns, "lines"])

    # Without a number of partitions there is one for each core.
    rows = spark.range(1 << 16).mapInArrow(look, "host string, kind string, fault string, lines array<string>").collect()
    for row in rows:
        if row.kind:
            error = KeyError if row.kind == "KeyError" else RuntimeError
            raise error(f"the executor on {row.host} cannot hash: {row.fault}")
    first = rows[0].lines
    for row in rows:
        for one, other in zip(first, row.lines, strict=True):
            if one != other:
                raise RuntimeError(f"executors hold different keys under one name: {one}, and on {row.host} {other}")
    for line, (names, alg, by_rows) in zip(first, asked, strict=True):
        here = _line_here(names, alg, by_rows)
        if here not in (None, line):
            raise RuntimeError(f"the driver and the executors hold different keys under one name: {here}, {line}")
    return [tag._replace(metadata=line) for tag, line in zip(tags, first, strict=True)]


def _line_here(names: tuple[str, ...], alg: str, rows: bool) -> str | None:
    """The metadata by the driver's key, which a driver need not have."""
    try:
        return keylane.metadata(KeyRef(*names), alg, rows=rows)
    except (KeyError, ValueError):
        return None


def _key_bytes(file: Path) -> bytes:
    """The 16 bytes of a key from its file, read as keylane reads it."""
    key = keylane.Key.from_file(file)
    data = file.read_bytes()
    raw = data if len(data) == 16 and keylane.Key(data) == key else bytes.fromhex(data.decode("ascii"))
    if keylane.Key(raw) != key:
        raise ValueError("the file of a key changed while it was read")
    return raw


# On executors


def _load(variables: Mapping[str, str], given: Mapping[str, bytes] | None) -> None:
    """Loads the keys that are not files in `$KEYLANE_KEY_DIR`."""
    for name, variable in variables.items():
        try:
            keylane.keys.load(name, env=variable)
        except KeyError as error:
            raise KeyError(f"no key is loaded under the name {name!r}: {error.args[0]}") from None
    for name in given or {}:
        keylane.keys.load(name, key=(given or {})[name])


def _metadata(
    asked: Iterable[tuple[tuple[str, ...], str, bool]], variables: Mapping[str, str], given: Mapping[str, bytes] | None
) -> list[str]:
    _load(variables, given)
    return [keylane.metadata(KeyRef(*names), alg, rows=rows) for names, alg, rows in asked]


def _tagged(
    batches: Iterator[Any],
    packed: list[tuple[Any, ...]],
    order: list[int],
    variables: Mapping[str, str],
    given: Mapping[str, bytes] | None,
) -> Iterator[Any]:
    """The batches with their tags."""
    import pyarrow

    tags = [_Tag(*one) for one in packed]
    _load(variables, given)
    keys = []
    for tag in tags:
        keys.append(KeyRef(*tag.key).key())
        found = keylane.metadata(KeyRef(*tag.key), tag.alg, rows=tag.rows)
        if tag.metadata not in ("", found):
            raise ValueError(f"this executor holds another key: {found} instead of {tag.metadata}")
    names = [str(at) for at in range(len(order))]
    for batch in batches:
        made = []
        for tag, key in zip(tags, keys, strict=True):
            columns = [batch.column(place) for place in tag.places]
            made.append(_hash(columns, tag.columns, key, tag.alg, tag.form, tag.nulls, tag.rows))
        arrays = [batch.column(place) if place >= 0 else made[-1 - place] for place in order]
        yield pyarrow.RecordBatch.from_arrays(arrays, names)


def _hash(
    columns: Sequence[Any], names: Sequence[str], key: Any, alg: str, form: Any, nulls: Any, rows: bool
) -> Any:
    """The tags of columns as an array of pyarrow, of the type that Spark expects."""
    import pyarrow

    tags: Any
    if rows:
        batch = pyarrow.RecordBatch.from_arrays(list(columns), list(names))
        tags = keylane.hash_rows(batch, key, alg, form=form, nulls=nulls)
    else:
        column = keylane.Column.from_arrow(columns[0], names[0])
        tags = pyarrow.array(keylane.hash_column(column, key, alg, form=form, nulls=nulls))
    # Spark has no binary of a fixed size.
    return tags.cast(pyarrow.binary()) if form == "binary" else tags


# SQL


def register(spark: SparkSession, *, env: Mapping[str, str] | None = None) -> None:
    """Adds functions to SQL, from Spark 4.1 on. Their first argument is the name of a key, as text.

    | function | gives |
    | --- | --- |
    | `keylane_hash(key, value)` | siphash-1-3-64, `bigint` |
    | `keylane_hash128(key, value)` | siphash-2-4-128, `binary` |
    | `keylane_pseudonym(key, value)` | siphash-2-4-128 in hexadecimal digits, `string` |
    | `keylane_hash_rows(key, a, b, ...)` | siphash-1-3-64 of a row, `bigint` |
    | `keylane_hash_rows128(key, a, b, ...)` | siphash-2-4-128 of a row, `binary` |

        >>> keylane.spark.register(spark)
        >>> people.createOrReplaceTempView("people")
        >>> spark.sql("SELECT keylane_hash('users-2026', email) AS tag FROM people").schema["tag"].dataType
        LongType()

    `name/context` is the subkey for a context. Never write a key: Spark shows text in plans, in its UI and in logs. Only
    the columns that a function takes go through Python, where `hash_columns` sends the whole table.
    """
    from pyspark.sql import functions

    if not hasattr(functions, "arrow_udf"):
        raise RuntimeError("SQL functions need Spark 4.1 or later; hash_columns works with 4.0")
    # pyspark's stubs want an iterator of arrays, where Spark takes arrays too.
    arrow_udf: Any = functions.arrow_udf
    for name, alg, form, rows in _FUNCTIONS:
        call = _function(name, alg, form, rows, dict(env or {}))
        spark.udf.register(name, arrow_udf(call, _TYPES[form]))


_FUNCTIONS = (
    ("keylane_hash", "siphash-1-3-64", "int64", False),
    ("keylane_hash128", "siphash-2-4-128", "binary", False),
    ("keylane_pseudonym", "siphash-2-4-128", "hex", False),
    ("keylane_hash_rows", "siphash-1-3-64", "int64", True),
    ("keylane_hash_rows128", "siphash-2-4-128", "binary", True),
)


def _function(name: str, alg: str, form: str, rows: bool, variables: dict[str, str]) -> Callable[..., Any]:
    import pyarrow

    def one(key: Any, value: Any) -> Any:
        from keylane.spark import _called

        return _called(key, [value], alg, form, False, variables)

    def many(key: Any, *values: Any) -> Any:
        from keylane.spark import _called

        return _called(key, values, alg, form, True, variables)

    call: Callable[..., Any] = many if rows else one
    # Spark asks for types that exist, and not for their names.
    call.__annotations__ = dict.fromkeys(("key", "values" if rows else "value", "return"), pyarrow.Array)
    # Python's error for a missing argument names it.
    call.__qualname__ = name
    return call


def _called(
    key: Any, columns: Sequence[Any], alg: str, form: str, rows: bool, variables: Mapping[str, str]
) -> Any:
    """A call from SQL, where the name of the key is a column too."""
    import pyarrow

    if not columns:
        raise ValueError("rows have at least one column")
    name = _keylane.sql_name(keylane.Column.from_arrow(key))
    if name is None:
        return pyarrow.array([], {"int64": pyarrow.int64(), "binary": pyarrow.binary(), "hex": pyarrow.string()}[form])
    _load(variables, None)
    places = [f"argument {place}" for place in range(2, 2 + len(columns))]
    return _hash(columns, places, name.key(), alg, form, "keep", rows)
