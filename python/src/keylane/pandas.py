"""The accessor `Series.keylane` for pandas. Import this module to have it.

    >>> import pandas as pd
    >>> import keylane.pandas
    >>> key = keylane.Key(bytes(16))
    >>> pd.Series([1, 2], name="id").keylane.hash(key).dtype
    dtype('uint64')
"""

from __future__ import annotations

import pandas as pd

from keylane import _keylane

__all__ = ["SeriesAccessor"]


@pd.api.extensions.register_series_accessor("keylane")
class SeriesAccessor(_keylane.SeriesAccessor):
    """`Series.keylane`."""
