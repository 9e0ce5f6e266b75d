"""Expressions for Polars. They carry the name of a key; the key stays in the process.

    >>> import polars as pl
    >>> import keylane.polars
    >>> _ = keylane.keys.load("visits", key=keylane.Key.generate())
    >>> frame = pl.LazyFrame({"email": ["a@example.com", None]})
    >>> frame.select(pl.col("email").keylane.pseudonymize("visits")).collect()["email"].dtype
    String
"""

from __future__ import annotations

from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import polars as pl
from polars.plugins import register_plugin_function

from keylane import _keylane
from keylane._keylane import KeyRef

__all__ = ["ExprNamespace", "SeriesNamespace", "hash_rows"]

_PLUGIN = Path(_keylane.__file__)
# A path relative to the environment would not be found from another one. Older releases do not ask.
_ABSOLUTE: Any = {"use_abs_path": True} if "use_abs_path" in signature(register_plugin_function).parameters else {}


def _register(
    function: str, inputs: list[Any], key: KeyRef, alg: str, form: str | None, nulls: str, strong: bool
) -> pl.Expr:
    arguments = {"key": key.name, "alg": alg, "nulls": nulls, "form": form or "", "strong": "yes" if strong else ""}
    for place, part in enumerate(key.contexts):
        arguments[f"context{place}"] = part
    return register_plugin_function(
        plugin_path=_PLUGIN,
        function_name=function,
        args=inputs,
        kwargs=arguments,
        is_elementwise=True,
        **_ABSOLUTE,
    )


# Keys do not come here: the callers, in Rust, hand over names.


def _column(expr: pl.Expr, key: KeyRef, alg: str, form: str | None, nulls: str, strong: bool) -> pl.Expr:
    name, visible = _name(expr), _visible(expr)
    tags = _register("keylane_column", [visible], key, alg, form, nulls, strong)
    return tags if visible is expr else tags.alias(name)


def _name(expr: pl.Expr) -> str:
    """The name of the column that an expression makes, or nothing if only the table tells."""
    try:
        return expr.meta.output_name()
    except pl.exceptions.PolarsError:
        return ""


def _visible(expr: pl.Expr) -> pl.Expr:
    """The expression without zero bytes in its name: names in C end at the first, and Polars panics on them."""
    name = _name(expr)
    return expr.alias(name.replace("\0", "")) if "\0" in name else expr


def _sample(expr: pl.Expr, key: KeyRef, fraction: float) -> pl.Expr:
    if not 0 <= fraction <= 1:
        raise ValueError("a fraction is from 0 to 1")
    # As for a series, a fraction has 64 bits.
    below = -(-Fraction(float(fraction)) * 2**64 // 1)
    tags = _column(expr, key, "siphash-1-3-64", None, "keep", False)
    if below >= 2**64:
        return tags.is_not_null()
    return (tags < pl.lit(int(below), dtype=pl.UInt64)).fill_null(False)


def _rows(columns: Any, key: KeyRef, alg: str, form: str | None, nulls: str) -> pl.Expr:
    if isinstance(columns, (str, pl.Expr)):
        columns = [columns]
    inputs = [_visible(pl.col(column) if isinstance(column, str) else column) for column in columns]
    if not inputs:
        raise ValueError("rows have at least one column")
    return _register("keylane_rows", inputs, key, alg, form, nulls, False).alias("row")


@pl.api.register_expr_namespace("keylane")
class ExprNamespace(_keylane.ExprAccessor):
    """`pl.col(...).keylane`."""


@pl.api.register_series_namespace("keylane")
class SeriesNamespace(_keylane.SeriesAccessor):
    """`Series.keylane`. Keys may be objects here, since a series has no plan."""


hash_rows = _keylane.rows_expression
