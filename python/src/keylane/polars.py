"""Expressions for Polars. They carry the name of a key; the key stays in the process.

    >>> import polars as pl
    >>> import keylane.polars
    >>> _ = keylane.keys.load("visits", key=keylane.Key.generate())
    >>> frame = pl.LazyFrame({"email": ["a@example.com", None]})
    >>> frame.select(pl.col("email").keylane.pseudonymize("visits")).collect()["email"].dtype
    String
"""

from __future__ import annotations

from collections.abc import Iterable
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
    function: str,
    inputs: list[Any],
    key: str | KeyRef,
    *,
    alg: str,
    form: str | None,
    nulls: str,
    context: str | None,
    strong: bool = False,
) -> pl.Expr:
    if isinstance(key, str):
        key = KeyRef(key)
    if not isinstance(key, KeyRef):
        raise TypeError("an expression carries the name of a key: load the key by keylane.keys.load")
    if context is not None:
        key = key.derive(context)
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


@pl.api.register_expr_namespace("keylane")
class ExprNamespace:
    """`pl.col(...).keylane`."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def hash(
        self,
        key: str | KeyRef,
        alg: str = "siphash-1-3-64",
        *,
        form: str | None = None,
        nulls: str = "keep",
        context: str | None = None,
    ) -> pl.Expr:
        """The tags of a column under the key of this name."""
        return _register("keylane_column", [self._expr], key, alg=alg, form=form, nulls=nulls, context=context)

    def pseudonymize(
        self,
        key: str | KeyRef,
        alg: str = "siphash-2-4-128",
        *,
        form: str = "hex",
        nulls: str = "keep",
        context: str | None = None,
    ) -> pl.Expr:
        """Pseudonyms: tags of 128 bits. Anything less is refused."""
        if alg not in ("siphash-2-4-128", "siphash-4-8-128"):
            raise ValueError("pseudonyms have siphash-2-4-128 or siphash-4-8-128; use hash for anything less")
        return _register(
            "keylane_column", [self._expr], key, alg=alg, form=form, nulls=nulls, context=context, strong=True
        )

    def sample(self, key: str | KeyRef, fraction: float, *, context: str | None = None) -> pl.Expr:
        """Whether a row is in the sample. Equal values share the answer; a null is never in it."""
        if not 0 <= fraction <= 1:
            raise ValueError("a fraction is from 0 to 1")
        below = -(-Fraction(fraction) * 2**64 // 1)
        tags = self.hash(key, context=context)
        if below >= 2**64:
            return tags.is_not_null()
        return (tags < pl.lit(int(below), dtype=pl.UInt64)).fill_null(False)


@pl.api.register_series_namespace("keylane")
class SeriesNamespace:
    """`Series.keylane`. Keys may be objects here, since a series has no plan."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def hash(self, key: Any, alg: str = "siphash-1-3-64", **options: Any) -> pl.Series:
        """See `keylane.hash_column`."""
        tags: pl.Series = _keylane.hash_column(self._series, key, alg, **options)
        return tags

    def pseudonymize(self, key: Any, alg: str = "siphash-2-4-128", **options: Any) -> pl.Series:
        """See `keylane.pseudonymize`."""
        tags: pl.Series = _keylane.pseudonymize(self._series, key, alg, **options)
        return tags

    def sample(self, key: Any, fraction: float, **options: Any) -> pl.Series:
        """See `keylane.sample`."""
        kept: pl.Series = _keylane.sample(self._series, key, fraction, **options)
        return kept


def hash_rows(
    columns: Iterable[str | pl.Expr],
    key: str | KeyRef,
    alg: str = "siphash-1-3-64",
    *,
    form: str | None = None,
    nulls: str = "keep",
    context: str | None = None,
) -> pl.Expr:
    """One tag for the values of these columns, row by row."""
    inputs = [pl.col(column) if isinstance(column, str) else column for column in columns]
    if not inputs:
        raise ValueError("rows have at least one column")
    expr = _register("keylane_rows", inputs, key, alg=alg, form=form, nulls=nulls, context=context)
    return expr.alias("row")
