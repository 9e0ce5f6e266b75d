"""SQL functions for DuckDB. A query carries the name of a key; the key stays in the process.

    >>> import duckdb
    >>> import keylane.duckdb
    >>> _ = keylane.keys.load("orders", key=keylane.Key.generate())
    >>> con = duckdb.connect()
    >>> keylane.duckdb.register(con)
    >>> con.execute("SELECT keylane_pseudonym('orders/orders.email', 'a@example.com')").fetchone()
    ('...',)
    >>> con.close()
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from keylane import _keylane
from keylane._keylane import Column, KeyRef

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]

# Libraries may come without types.
Engine = Any


def register(connection: DuckDBPyConnection) -> None:
    """Adds four functions to the database of a connection. It needs pyarrow and NumPy.

    `keylane_hash(name, value)` is siphash-1-3-64 as UBIGINT, `keylane_hash128(name, value)` siphash-2-4-128 as BLOB,
    `keylane_pseudonym(name, value)` the same as hexadecimal digits, and `keylane_hash_rows(name, a, b, ...)` one
    siphash-1-3-64 for all the values of a row. The name is that of a key, or `NAME/CONTEXT` for the subkey of a
    context. It is one constant for all rows.

    A null stays null, except that `keylane_hash_rows` has a tag for every row.
    """
    arrow: Engine = import_module("pyarrow")
    functions: list[tuple[str, Callable[..., Engine], str]] = [
        ("keylane_hash", _column(arrow.uint64(), _keylane.hash_column, "siphash-1-3-64", "uint64"), "UBIGINT"),
        ("keylane_hash128", _column(arrow.binary(), _keylane.hash_column, "siphash-2-4-128", "binary"), "BLOB"),
        ("keylane_pseudonym", _column(arrow.utf8(), _keylane.pseudonymize, "siphash-2-4-128", "hex"), "VARCHAR"),
        ("keylane_hash_rows", _rows(arrow.uint64()), "UBIGINT"),
    ]
    # The types of its arguments differ from release to release.
    database: Engine = connection
    for name, function, returned in functions:
        database.create_function(name, function, None, returned, type="arrow", null_handling="special")


def _column(kind: Engine, function: Callable[..., Any], alg: str, form: str) -> Callable[[Engine, Engine], Engine]:
    arrow: Engine = import_module("pyarrow")

    # Without annotations, DuckDB hands over values of every type.
    def tags(names, value):  # type: ignore[no-untyped-def]
        key = _name(names)
        if key is None:
            return arrow.array([], kind)
        # Some releases read bytes of fixed size as zeros.
        return arrow.chunked_array(function(_argument(value, "value"), key, alg, form=form)).cast(kind)

    return tags


def _rows(kind: Engine) -> Callable[..., Engine]:
    arrow: Engine = import_module("pyarrow")

    def tags(*arguments):  # type: ignore[no-untyped-def]
        names, *values = arguments
        if not values:
            raise ValueError("rows have at least one column")
        key = _name(names)
        if key is None:
            return arrow.array([], kind)
        columns = [_argument(value, f"value {place}") for place, value in enumerate(values, 1)]
        return arrow.chunked_array(_keylane.hash_rows(columns, key, "siphash-1-3-64", form="uint64"))

    return tags


def _name(names: Engine) -> KeyRef | None:
    return _keylane.sql_name(Column.from_arrow(names))


def _argument(values: Engine, name: str) -> Column:
    _refuse_opaque(values.type, name)
    return Column.from_arrow(values, name)


def _refuse_opaque(kind: Engine, name: str) -> None:
    """Refuses types that Arrow does not have, and which DuckDB hands over as bytes if it is told to lose nothing."""
    if getattr(kind, "extension_name", None) == "arrow.opaque":
        raise TypeError(f"{name}: the type {kind.type_name.upper()} is not hashed")
    for place in range(kind.num_fields):
        _refuse_opaque(kind.field(place).type, name)
