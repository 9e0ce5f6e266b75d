"""The accessor `Series.keylane` for pandas. Import this module to have it.

    >>> import pandas as pd
    >>> import keylane.pandas
    >>> key = keylane.Key(bytes(16))
    >>> pd.Series([1, 2], name="id").keylane.hash(key).dtype
    dtype('uint64')
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from keylane import _keylane

__all__ = ["SeriesAccessor"]


@pd.api.extensions.register_series_accessor("keylane")
class SeriesAccessor:
    """`Series.keylane`."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def hash(self, key: Any, alg: str = "siphash-1-3-64", **options: Any) -> Any:
        """See `keylane.hash_column`."""
        return _keylane.hash_column(self._series, key, alg, **options)

    def pseudonymize(self, key: Any, alg: str = "siphash-2-4-128", **options: Any) -> Any:
        """See `keylane.pseudonymize`."""
        return _keylane.pseudonymize(self._series, key, alg, **options)

    def sample(self, key: Any, fraction: float, **options: Any) -> Any:
        """See `keylane.sample`: a Series of bool that chooses rows."""
        return _keylane.sample(self._series, key, fraction, **options)
