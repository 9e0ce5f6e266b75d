"""The kinds of columns that Python has: in, and out again as the same kind.

Keys do not come here: a `Hasher` holds one, and shows none. Packets only pass. Engines are imported only if their objects come in.
"""

from __future__ import annotations

import array
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from keylane._keylane import Column, Hasher, Memory

# Libraries may come without types, and none of them is required.
Engine = Any


def hash_column(values: object, hasher: Hasher) -> Any:
    """The tags of a column, as a column of the same kind."""
    return _output(values, hasher)


def _engine(name: str) -> Engine | None:
    """A library that is already imported. No object of another one can come in."""
    return sys.modules.get(name)


def _is(values: object, engine: str, *names: str) -> bool:
    library = _engine(engine)
    return library is not None and isinstance(values, tuple(getattr(library, name) for name in names))


def _output(values: Any, hasher: Hasher) -> Any:
    if _is(values, "pandas", "Series"):
        return _pandas_series(values, hasher)
    if _is(values, "pandas", "MultiIndex", "DataFrame"):
        raise TypeError("a table: hash_rows hashes its rows, and hash_column one column")
    if _is(values, "pandas", "Index"):
        series = _pandas_series(values.to_series(index=range(len(values)), name=values.name), hasher)
        return sys.modules["pandas"].Index(series.array, name=values.name, dtype=series.dtype)
    if _is_extension(values):
        return _pandas_series(sys.modules["pandas"].Series(values), hasher).array
    if _is(values, "polars", "Series"):
        polars: Engine = sys.modules["polars"]
        # The name that Polars reads from Arrow has no zero bytes.
        return polars.Series(values.name, hasher.column(_column(values))).alias(values.name)
    if _is(values, "polars", "DataFrame", "LazyFrame"):
        raise TypeError("a table: hash_rows hashes its rows, and hash_column one column")
    if _is(values, "numpy", "ndarray"):
        return _numpy_output(*hasher.memory(_column(values)), hasher)
    if isinstance(values, array.array):
        return _array_output(hasher, hasher.column(_column(values)), values)
    if isinstance(values, (list, tuple)):
        tags = hasher.column(_column(values)).to_list()
        return tags if isinstance(values, list) else tuple(tags)
    column = _column(values)
    if isinstance(values, Column) or _is_arrow(values):
        return _arrow_output(hasher.column(column), values)
    return _buffer_output(hasher, column)


def _is_extension(values: object) -> bool:
    pandas = _engine("pandas")
    return pandas is not None and isinstance(values, pandas.api.extensions.ExtensionArray)


def _is_arrow(values: object) -> bool:
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


# In


def _column(values: Any, name: str | None = None) -> Column:
    """A column in Arrow's layout."""
    if isinstance(values, Column):
        return values if name is None else values.renamed(name)
    if _is(values, "pyarrow", "Array", "ChunkedArray"):
        return Column.from_arrow(values, name)  # First, since the other questions cost more than a short column.
    if _is_table(values):
        raise TypeError(f"a column is needed, and {type(values).__name__} is a table; give its columns one by one")
    if _is(values, "pandas", "Series", "Index") or _is_extension(values):
        return _from_pandas(values, name)
    if _is(values, "numpy", "ndarray"):
        return _from_numpy(values, name or "")
    if _is(values, "polars", "Series"):
        if not hasattr(values, "__arrow_c_stream__"):
            raise TypeError("this release of Polars has no __arrow_c_stream__; the expressions work: keylane.polars")
        if _has_objects(values.dtype):
            # Some releases of Polars abort when they hand these over.
            raise TypeError(f"column {values.name or '(unnamed)'}: Python objects are not hashed")
        name = values.name if name is None else name
        if _has_zero_bytes(values.dtype):
            raise ValueError(f"column {name}: a field whose name has a zero byte")
        # Polars aborts when it hands over a name with a zero byte.
        values = values.alias("")
        if values.dtype == sys.modules["polars"].Null:
            return Column.from_polars(values, name)
        # Many releases hand a series of times or categories over as plain integers, but not one in a frame.
        return Column.from_polars(values.to_frame(), name).fields()[0].renamed(name)
    if _is_arrow(values):
        return Column.from_arrow(values, name)
    if isinstance(values, (list, tuple)):
        return Column.from_objects(values, name or "")
    if isinstance(values, (str, bytes, bytearray)):
        raise TypeError("one message is no column: siphash24 and new hash it")
    try:
        return Column.from_buffer(values, name or "")
    except (BufferError, TypeError) as error:
        if hasattr(type(values), "__buffer__") or isinstance(values, memoryview):
            raise
        known = "an object with Arrow's PyCapsules or the buffer protocol, a pandas or Polars column, or a list"
        raise TypeError(f"a column is {known}, not {type(values).__name__}") from error


def _is_table(values: object) -> bool:
    return (
        _is(values, "polars", "DataFrame", "LazyFrame")
        or _is(values, "pandas", "DataFrame", "MultiIndex")
        or _is(values, "pyarrow", "Table", "RecordBatch", "RecordBatchReader")
    )


def _has_zero_bytes(dtype: Any) -> bool:
    """Whether a field inside a type of Polars has a zero byte in its name."""
    fields = getattr(dtype, "fields", ())
    inner = getattr(dtype, "inner", None)
    inside = [*(field.dtype for field in fields), *([] if inner is None else [inner])]
    return any("\0" in field.name for field in fields) or any(_has_zero_bytes(part) for part in inside)


def _has_objects(dtype: Any) -> bool:
    """Whether a type of Polars is that of Python objects, or has some inside."""
    if dtype == sys.modules["polars"].Object:
        return True
    inside = [field.dtype for field in getattr(dtype, "fields", ())]
    inner = getattr(dtype, "inner", None)
    return any(_has_objects(part) for part in [*inside, *([] if inner is None else [inner])])


def _from_numpy(values: Any, name: str, mask: Any = None) -> Column:
    numpy: Engine = sys.modules["numpy"]
    if values.ndim != 1:
        raise TypeError(f"a column has one dimension, not {values.ndim}")
    if isinstance(values, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(values)
        values = values.data
    if mask is not None:
        mask = numpy.ascontiguousarray(mask, dtype=bool)
    kind = values.dtype.kind
    if kind in "OT":
        return Column.from_objects(values if mask is None else _objects(values, mask), name)
    if kind in "mM":
        unit, count = numpy.datetime_data(values.dtype)
        if count != 1 or unit not in ("D", "s", "ms", "us", "ns") or (kind == "m" and unit == "D"):
            raise TypeError(f"{values.dtype} is not hashed; cast it to s, ms, us or ns, or to datetime64[D]")
        family = "timestamp" if kind == "M" else "duration"
        return Column.from_buffer(values.view(_integers(values)), name, _meaning(family, unit), mask)
    if kind == "U":
        raise TypeError(f"{values.dtype} holds UCS-4; cast it to object, or to numpy.dtypes.StringDType()")
    if kind == "S":
        raise TypeError(
            f"{values.dtype} does not say whether zeros at the end count; cast it to object without them, "
            f"or view it as V{values.dtype.itemsize} with them"
        )
    if kind not in "biufV" or values.dtype.names is not None or values.dtype.subdtype is not None:
        raise TypeError(f"an array of {values.dtype} is not hashed")
    return Column.from_buffer(values, name, None, mask)


def _integers(values: Any) -> str:
    """Integers of 64 bits in the byte order of these values."""
    order: str = values.dtype.byteorder
    return order + "i8" if order in "<>" else "i8"


def _meaning(family: str, unit: str) -> str:
    return "days" if unit == "D" else f"{family} {unit}"


def _objects(values: Any, mask: Any) -> list[object]:
    return [None if null else value for value, null in zip(values.tolist(), mask.tolist(), strict=True)]


def _from_pandas(values: Any, name: str | None) -> Column:
    pandas: Engine = sys.modules["pandas"]
    if isinstance(values, pandas.MultiIndex):
        raise TypeError("an index of several levels: hash_rows hashes its rows")
    if not isinstance(values, pandas.Series):
        values = pandas.Series(values)
    if name is None:
        name = "" if values.name is None else str(values.name)
    dtype = values.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        # A copy, since another thread may change them: NumPy tests indices, and then reads them again to write by them.
        codes = sys.modules["numpy"].array(values.cat.codes)
        categories = values.cat.categories
        if len(categories) and not _all_used(codes, len(categories)):
            # A category that no row has raises no error.
            used = values.cat.remove_unused_categories()
            codes, categories = used.cat.codes.to_numpy(), used.cat.categories
        return Column.from_codes(codes, _from_pandas(categories, name), name)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return _from_numpy(values.dt.tz_convert(None).to_numpy(), name)
    if hasattr(values.array, "__arrow_array__") and _is_of_arrow(dtype):
        return Column.from_arrow(values.array.__arrow_array__(), name)
    if isinstance(dtype, pandas.StringDtype):
        return Column.from_objects(values.to_numpy(dtype=object), name)
    if not isinstance(dtype, sys.modules["numpy"].dtype):
        if dtype.name in _MASKED:
            mask = values.isna().to_numpy()
            numbers = values.to_numpy(dtype=dtype.name.lower().replace("boolean", "bool"), na_value=0)
            return _from_numpy(numbers, name, mask)
        raise TypeError(f"column {name or '(unnamed)'}: the dtype {dtype} is not hashed")
    numbers = values.to_numpy()
    # To pandas a NaN among floats is a missing value.
    return _from_numpy(numbers, name, values.isna().to_numpy() if dtype.kind == "f" else None)


_MASKED = {f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {"Float32", "Float64", "boolean"}


def _all_used(codes: Any, count: int) -> bool:
    numpy: Engine = sys.modules["numpy"]
    seen = numpy.zeros(count + 1, dtype=bool)
    # The code of a null is -1, which is the last place.
    try:
        seen[codes] = True
    except IndexError:
        return True  # Codes that no categorical has: whoever takes them says so.
    return bool(seen[:count].all())


def _is_of_arrow(dtype: Any) -> bool:
    pandas: Engine = sys.modules["pandas"]
    arrow = getattr(pandas, "ArrowDtype", None)
    return (arrow is not None and isinstance(dtype, arrow)) or str(getattr(dtype, "storage", "")).startswith("pyarrow")


# Out


def _numpy_values(memory: Memory, hasher: Hasher) -> Any:
    dtypes = {"hex": f"U{2 * hasher.bytes}", "binary": f"V{hasher.bytes}"}
    return sys.modules["numpy"].frombuffer(memory, dtype=dtypes.get(hasher.form, hasher.form))


def _numpy_mask(mask: Memory | None) -> Any:
    return None if mask is None else sys.modules["numpy"].frombuffer(mask, dtype="bool")


def _numpy_output(memory: Memory, mask: Memory | None, hasher: Hasher) -> Any:
    values = _numpy_values(memory, hasher)
    if mask is None:
        return values
    return sys.modules["numpy"].ma.MaskedArray(values, _numpy_mask(mask))


def _array_output(hasher: Hasher, column: Column, values: object) -> Any:
    if hasher.form not in ("uint64", "int64"):
        return column.to_list()
    return array.array("Q" if hasher.form == "uint64" else "q", column.to_list())


def _buffer_output(hasher: Hasher, column: Column) -> Any:
    if hasher.form == "hex":
        return hasher.column(column).to_list()
    view: Any = memoryview(hasher.memory(column)[0])
    formats = {"uint64": "Q", "int64": "q", "bool": "?"}
    if hasher.form in formats:
        return view.cast(formats[hasher.form])
    return view.cast("B", [len(view) // hasher.bytes, hasher.bytes]) if len(view) else view


def _arrow_output(tags: Column, values: Any) -> Any:
    if _is(values, "pyarrow", "Array", "RecordBatch"):
        return sys.modules["pyarrow"].array(tags)
    if _is(values, "pyarrow", "ChunkedArray", "Table", "RecordBatchReader"):
        return sys.modules["pyarrow"].chunked_array(tags)
    if _is(values, "nanoarrow", "Array"):
        return sys.modules["nanoarrow"].Array(tags)
    if type(values).__module__.startswith("arro3.") and hasattr(type(values), "from_arrow"):
        core: Engine = sys.modules["arro3.core"]
        one = isinstance(values, (core.Array, core.RecordBatch))
        return core.Array.from_arrow(tags) if one else core.ChunkedArray.from_arrow(tags)
    return tags


def _pandas_series(values: Any, hasher: Hasher) -> Any:
    pandas: Engine = sys.modules["pandas"]
    column = _from_pandas(values, None)
    dtype = values.dtype
    arrow = getattr(pandas, "ArrowDtype", None)
    if arrow is not None and isinstance(dtype, arrow):
        tags = pandas.arrays.ArrowExtensionArray(sys.modules["pyarrow"].chunked_array(hasher.column(column)))
    elif hasher.form in ("hex", "binary"):
        text = _pandas_text(hasher, dtype)
        if text is not None and text.storage.startswith("pyarrow"):
            tags = text.__from_arrow__(sys.modules["pyarrow"].chunked_array(hasher.column(column.pieces())))
        else:
            objects = sys.modules["numpy"].empty(len(column), dtype=object)
            hasher.objects(column, objects)
            tags = objects if text is None else pandas.array(objects, dtype=text)
    else:
        never_null = isinstance(dtype, sys.modules["numpy"].dtype) and dtype.kind in "biu"
        tags = _pandas_numbers(*hasher.memory(column), hasher, never_null)
    # Without the dtype, objects may become text of another dtype.
    return pandas.Series(tags, index=values.index, name=values.name, dtype=tags.dtype, copy=False)


# The dtype of values for a Series follows from that of the input, and not from whether there are nulls.


def _pandas_numbers(memory: Memory, nulls: Memory | None, hasher: Hasher, never_null: bool) -> Any:
    """Integers, or whether rows are in a sample, for a Series."""
    values = _numpy_values(memory, hasher)
    if never_null or hasher.form == "bool":
        return values
    numpy: Engine = sys.modules["numpy"]
    mask = numpy.zeros(len(values), dtype=bool) if nulls is None else _numpy_mask(nulls)
    return sys.modules["pandas"].arrays.IntegerArray(values, mask)


def _pandas_text(hasher: Hasher, dtype: Any) -> Any:
    """The dtype of digits for a Series, or None if they or bytes are objects."""
    pandas: Engine = sys.modules["pandas"]
    if hasher.form != "hex" or (isinstance(dtype, sys.modules["numpy"].dtype) and dtype.kind == "O"):
        return None
    if isinstance(dtype, pandas.StringDtype):
        return dtype
    # From pandas 3 on, text has a dtype of its own.
    return pandas.api.types.pandas_dtype("str") if int(pandas.__version__.split(".")[0]) >= 3 else None


def _pandas_rows(parts: list[Column], index: Any, hasher: Hasher) -> Any:
    """The tags of rows as a Series. They have no nulls."""
    pandas: Engine = sys.modules["pandas"]
    if hasher.form in ("hex", "binary"):
        tags = hasher.rows([part.pieces() for part in parts], len(index)).to_list()
        dtype = _pandas_text(hasher, None) or object
        return pandas.Series(tags, index=index, dtype=dtype)
    tags = _pandas_numbers(hasher.rows_memory(parts, len(index)), None, hasher, True)
    return pandas.Series(tags, index=index, copy=False)


# Rows


def hash_rows(table: Any, hasher: Hasher, columns: str | Iterable[str] | None) -> Any:
    """The tags of rows."""
    if isinstance(columns, str):
        columns = [columns]
    if _is(table, "pandas", "DataFrame"):
        names = list(table.columns if columns is None else columns)
        chosen = table if columns is None else table[names]
        if len(chosen.columns) != len(names):
            raise ValueError("the table has several columns of one name; leave out `columns`, or rename them")
        parts = [_from_pandas(chosen.iloc[:, place], str(name)) for place, name in enumerate(names)]
        return _pandas_rows(parts, table.index, hasher)
    if _is(table, "pandas", "MultiIndex"):
        return hash_rows(table.to_frame(index=False, allow_duplicates=True), hasher, columns).to_numpy()
    if _is(table, "polars", "DataFrame"):
        names = list(table.columns) if columns is None else list(columns)
        parts = [_column(table.get_column(name)) for name in names]
        return sys.modules["polars"].Series("row", hasher.rows(parts, table.height))
    if _is(table, "polars", "LazyFrame"):
        raise TypeError("a LazyFrame takes an expression: keylane.polars.hash_rows")
    if isinstance(table, Mapping):
        names = list(table) if columns is None else list(columns)
        return _rows_of_columns([(str(name), table[name]) for name in names], hasher)
    if isinstance(table, (list, tuple)):
        if columns is not None:
            raise TypeError("columns in a list have no names to choose by")
        return _rows_of_columns([(None, values) for values in table], hasher)
    if not _is_arrow(table):
        raise TypeError(f"rows are those of a table, or of a dict or list of columns, not {type(table).__name__}")
    whole = Column.from_arrow(table)
    parts = whole.fields()
    if columns is not None:
        parts = [_named(parts, name) for name in columns]
    return _arrow_output(hasher.rows(parts, len(whole)), table)


def _named(parts: list[Column], name: str) -> Column:
    found = [part for part in parts if part.name == name]
    if not found:
        raise KeyError(f"there is no column {name}")
    if len(found) > 1:
        raise ValueError(f"there are several columns {name}")
    return found[0]


def _rows_of_columns(columns: list[tuple[str | None, Any]], hasher: Hasher) -> Any:
    if not columns:
        raise ValueError("rows have at least one column")
    parts = [_column(values, name) for name, values in columns]
    rows = len(parts[0])
    first = columns[0][1]
    if _is(first, "pandas", "Series", "Index") or _is_extension(first):
        values = first if _is(first, "pandas", "Series") else sys.modules["pandas"].Series(first)
        tags = _pandas_rows(parts, values.index, hasher)
        for _, other in columns:
            if _is(other, "pandas", "Series") and not other.index.equals(values.index):
                raise ValueError("the columns have different indexes; align them first")
        return tags
    if _is(first, "numpy", "ndarray"):
        return _numpy_values(hasher.rows_memory(parts, rows), hasher)
    tags = hasher.rows(parts, rows)
    if _is(first, "polars", "Series"):
        return sys.modules["polars"].Series("row", tags)
    if not isinstance(first, Column) and _is_arrow(first):
        return _arrow_output(tags, first)
    return tags if isinstance(first, Column) else tags.to_list()


# Packets


def packets(nonces: Any, data: Any, associated_data: Any) -> tuple[Column, Column, Column | None]:
    """The columns of a call that seals or opens: nonces, data, and associated data if each packet has its own."""
    if isinstance(data, (list, tuple)):
        raise TypeError("data are a column of Arrow or Polars; seal_many and open_many take lists")
    if not _is(data, "pyarrow", "Array", "ChunkedArray") and (_is_of_pandas(data) or not _is_arrow(data)):
        known = "an Arrow array, a series of Polars, or any object with Arrow's PyCapsules"
        raise TypeError(f"data are {known}, not {type(data).__name__}")
    for values, what in ((nonces, "nonces are"), (associated_data, "associated data are bytes,")):
        if isinstance(values, (str, bytes, bytearray)):
            raise TypeError(f"{what} a column or a list of bytes, not {type(values).__name__}")
    return _column(nonces), _column(data), None if associated_data is None else _column(associated_data)


def _is_of_pandas(values: object) -> bool:
    return _is(values, "pandas", "Series", "Index", "DataFrame") or _is_extension(values)


def packets_output(found: Column, data: Any) -> Any:
    """Packets that were sealed or opened, as a column of the same kind as the data."""
    if _is(data, "polars", "Series"):
        # The name that Polars reads from Arrow has no zero bytes.
        return sys.modules["polars"].Series(data.name, found).alias(data.name)
    return _arrow_output(found, data)
