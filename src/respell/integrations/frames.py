"""Correct a column of pandas, polars or Arrow; everything but the text stays the same."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, Unpack

from respell.integrations import Options, open_corrector
from respell.text.apply import apply, automatic
from respell.types import Correction, Error, TextChecker

Series = TypeVar("Series")
"""A pandas.Series, polars.Series, pyarrow.Array or pyarrow.ChunkedArray of strings."""


_Checker = TextChecker[list[Correction]]


def correct_series(
    series: Series, corrector: _Checker | None = None, **options: Unpack[Options]
) -> Series:
    """The column with every text corrected. Missing values (None, NaN, NA) stay as they are.

    Pass a corrector, or options to open one. Its model stays open for the next call.
    """
    if corrector is not None and options:
        raise Error(f"pass a corrector or options, not both: {', '.join(sorted(options))}")
    correct = _handler(series)
    result: Series = correct(series, corrector or open_corrector(**options))
    return result


def corrected(values: Iterable[str | None], corrector: _Checker) -> Iterator[str | None]:
    """Correct texts lazily, in order, as one stream so that batches are full. None stays None."""
    waiting: deque[str | None] = deque()

    def texts() -> Iterator[str]:
        for value in values:
            waiting.append(value)
            yield value or ""

    for corrections in corrector.check_many(texts()):
        value = waiting.popleft()
        yield None if value is None else apply(value, automatic(corrections))


def _handler(series: object) -> Callable[[Any, _Checker], Any]:
    """The function for this type of column. Whoever has a column has imported its library."""
    kinds = (
        ("pandas", ("Series",), _correct_pandas),
        ("polars", ("Series",), _correct_polars),
        ("pyarrow", ("Array", "ChunkedArray"), _correct_arrow),
    )
    for module, names, handler in kinds:
        library = sys.modules.get(module)
        if library and isinstance(series, tuple(getattr(library, name) for name in names)):
            return handler
    raise Error(
        "correct_series takes a pandas.Series, polars.Series, pyarrow.Array or "
        f"pyarrow.ChunkedArray, not {type(series).__module__}.{type(series).__name__}"
    )


def _correct_pandas(series: Any, corrector: _Checker) -> Any:
    import pandas

    if isinstance(series.dtype, pandas.CategoricalDtype):
        raise _wrong_type(series.dtype, "astype(str)")
    old = series.tolist()
    missing = series.isna().tolist()
    for value, is_missing in zip(old, missing, strict=True):
        if not (is_missing or isinstance(value, str)):
            raise _wrong_type(f"{type(value).__name__} ({series.dtype})", "astype(str)")
    texts = (None if skip else value for value, skip in zip(old, missing, strict=True))
    # Missing values are copied as they are: a column of objects may contain both None and NaN.
    new = [o if n is None else n for o, n in zip(old, corrected(texts, corrector), strict=True)]
    result = pandas.Series(new, index=series.index, dtype=series.dtype, name=series.name)
    result.attrs = dict(series.attrs)
    return result


def _correct_polars(series: Any, corrector: _Checker) -> Any:
    import polars

    if series.dtype == polars.Null:
        return series
    if series.dtype != polars.String:
        raise _wrong_type(series.dtype, "cast(polars.String)")
    return polars.Series(series.name, list(corrected(series, corrector)), dtype=polars.String)


def _correct_arrow(array: Any, corrector: _Checker) -> Any:
    import pyarrow

    kind = array.type
    if pyarrow.types.is_null(kind):
        return array
    if kind not in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        raise _wrong_type(kind, "cast(pyarrow.string())")
    whole = not isinstance(array, pyarrow.ChunkedArray)
    chunks = [array] if whole else array.chunks
    values = corrected((value.as_py() for chunk in chunks for value in chunk), corrector)
    done = [pyarrow.array(islice(values, len(chunk)), type=kind) for chunk in chunks]
    return done[0] if whole else pyarrow.chunked_array(done, type=kind)


def _wrong_type(kind: object, cast: str) -> Error:
    return Error(f"the column must contain strings, not {kind}; convert it with {cast}")
