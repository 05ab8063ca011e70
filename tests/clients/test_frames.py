"""Columns of pandas, polars and Arrow, corrected with the shipped model."""

import math
from collections.abc import Callable
from typing import Any

import pytest

import respell
from golden_answers import golden
from respell.integrations.frames import correct_series
from respell.types import PRESETS

pytestmark = pytest.mark.clients

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

TEXTS = ["I recieve teh mail.", None, "", "All is well.", "😀 My freind."]
CORRECTED = ["I receive the mail.", None, "", "All is well.", "😀 My friend."]


@pytest.fixture(scope="module")
def corrector() -> respell.Corrector:
    return respell.load()


def _chunked(values: list[str | None]) -> Any:
    half = len(values) // 2
    return pyarrow.chunked_array([values[:half], [], values[half:]], type=pyarrow.string())


MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": pandas.Series,
    "pandas object": lambda values: pandas.Series(values, dtype=object),
    "pandas string": lambda values: pandas.Series(values, dtype="string[python]"),
    "pandas arrow": lambda values: pandas.Series(
        values, dtype=pandas.ArrowDtype(pyarrow.large_string())
    ),
    "polars": lambda values: polars.Series("column", values, dtype=polars.String),
    "array": lambda values: pyarrow.array(values, type=pyarrow.string()),
    "large array": lambda values: pyarrow.array(values, type=pyarrow.large_string()),
    "view": lambda values: pyarrow.array(values, type=pyarrow.string_view()),
    "chunked": _chunked,
}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Callable[[list[Any]], Any]:
    return MAKERS[request.param]


def _values(series: Any) -> list[Any]:
    """The values as Python objects, with None for every missing value."""
    values = series.to_list() if hasattr(series, "to_list") else series.to_pylist()
    return [value if isinstance(value, str) else None for value in values]


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_answers(make: Callable[[list[Any]], Any], preset: str) -> None:
    rows = golden(preset)
    wanted = []
    for row in rows:
        text, done = "", 0
        for c in row["corrections"]:
            text += row["text"][done : c["start"]] + c["replacement"]
            done = c["end"]
        wanted.append(text + row["text"][done:])
    assert _values(correct_series(make([row["text"] for row in rows]), preset=preset)) == wanted


def test_order_type_and_missing_values_stay(
    make: Callable[[list[Any]], Any], corrector: respell.Corrector
) -> None:
    series = make(TEXTS)
    result = correct_series(series, corrector)
    assert type(result) is type(series)
    assert getattr(result, "dtype", None) == getattr(series, "dtype", None)
    assert getattr(result, "type", None) == getattr(series, "type", None)
    assert _values(result) == CORRECTED
    assert _values(series) == TEXTS  # unchanged


@pytest.mark.parametrize("values", [[], [None, None]])
def test_empty_column(
    make: Callable[[list[Any]], Any], corrector: respell.Corrector, values: list[None]
) -> None:
    series = make(values)
    result = correct_series(series, corrector)
    assert _values(result) == values
    assert getattr(result, "dtype", None) == getattr(series, "dtype", None)


def test_pandas_keeps_index_name_attributes_and_every_kind_of_missing_value(
    corrector: respell.Corrector,
) -> None:
    index = pandas.MultiIndex.from_tuples(
        [("a", 1), ("a", 1), ("b", 2), ("c", 3)], names=["x", "y"]
    )
    missing = [None, math.nan, pandas.NA]
    series = pandas.Series(["teh end", *missing], index=index, name="notes", dtype=object)
    series.attrs["source"] = "mail"
    result = correct_series(series, corrector)
    wanted = pandas.Series(["the end", *missing], index=index, name="notes", dtype=object)
    pandas.testing.assert_series_equal(result, wanted)
    assert all(new is old for new, old in zip(result.iloc[1:], missing, strict=True))
    assert result.attrs == {"source": "mail"}


def test_polars_keeps_the_name_of_the_column(corrector: respell.Corrector) -> None:
    frame = polars.DataFrame({"id": [1, 2], "text": ["teh end", None]})
    done = frame.with_columns(correct_series(frame["text"], corrector))
    assert done.to_dicts() == [{"id": 1, "text": "the end"}, {"id": 2, "text": None}]


def test_lazy_polars_query() -> None:
    frame = polars.DataFrame({"text": ["teh end", None]}).lazy()
    corrected = polars.col("text").map_batches(
        lambda column: correct_series(column), return_dtype=polars.String
    )
    assert frame.with_columns(corrected).collect()["text"].to_list() == ["the end", None]


def test_chunks_keep_their_lengths(corrector: respell.Corrector) -> None:
    result = correct_series(_chunked(TEXTS), corrector)
    assert [len(chunk) for chunk in result.chunks] == [2, 0, 3]
    sliced = correct_series(_chunked(TEXTS).slice(1), corrector)
    assert sliced.to_pylist() == CORRECTED[1:]


def test_columns_of_type_null_stay(corrector: respell.Corrector) -> None:
    assert correct_series(pyarrow.nulls(2), corrector).type == pyarrow.null()
    assert correct_series(polars.Series([None, None]), corrector).dtype == polars.Null


def test_chunks_share_batches(corrector: respell.Corrector) -> None:
    asked: list[int] = []

    class Counting:
        def check_many(self, texts: Any) -> Any:
            asked.append(1)
            return corrector.check_many(texts)

    assert correct_series(_chunked(TEXTS), Counting()).to_pylist() == CORRECTED
    assert len(asked) == 1


def test_options_without_a_corrector() -> None:
    series = pandas.Series(["teh freind"])
    assert correct_series(series).tolist() == ["the friend"]
    assert correct_series(series, dictionary=["teh"]).tolist() == ["teh friend"]
    assert correct_series(series, threshold=1.0).tolist() == ["teh freind"]


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (pandas.Series(["a"], dtype="category"), "must contain strings, not category"),
        (pandas.Series([1, 2]), "must contain strings, not int"),
        (pandas.Series(["a", 2], dtype=object), r"strings, not int \(object\)"),
        (polars.Series([1, 2]), "strings, not Int64"),
        (polars.Series(["a"], dtype=polars.Categorical), "strings, not Categorical"),
        (pyarrow.array([1]), r"strings, not int64; convert it with cast\(pyarrow.string"),
        (pandas.DataFrame({"a": ["teh"]}), "takes a pandas.Series.*not pandas"),
        (["teh"], "not builtins.list"),
    ],
)
def test_other_columns_are_an_error(
    series: Any, message: str, corrector: respell.Corrector
) -> None:
    with pytest.raises(respell.Error, match=message):
        correct_series(series, corrector)


def test_corrector_and_options_together_are_an_error(corrector: respell.Corrector) -> None:
    with pytest.raises(respell.Error, match="not both: threshold"):
        correct_series(pandas.Series(["teh"]), corrector, threshold=0.5)


def test_unknown_option_is_an_error() -> None:
    with pytest.raises(respell.Error, match="no option 'treshold'; known are model, preset"):
        correct_series(pandas.Series(["teh"]), treshold=0.5)  # type: ignore[call-arg]


def test_huggingface_datasets(corrector: respell.Corrector) -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"text": TEXTS}).with_format("arrow")

    def correct(table: Any) -> Any:
        column = correct_series(table["text"])
        return table.set_column(table.schema.get_field_index("text"), "text", column)

    assert (
        dataset.map(correct, batched=True, batch_size=2).with_format(None)["text"][:] == CORRECTED
    )
