"""Correct a column of a Ray dataset on a pool of actors, each with a model of its own."""

from typing import Any, Unpack

from respell.integrations import Options, open_corrector, settle
from respell.integrations.frames import correct_series
from respell.types import Error

try:
    import ray.data
except ImportError as error:
    raise Error(f"Ray Data is missing ({error}): pip install 'respell[ray]'") from error

BATCH_ROWS = 1024
"""Rows an actor takes at a time; if it dies, that much is done again."""


def correct(
    dataset: ray.data.Dataset,
    *,
    column: str = "text",
    output: str | None = None,
    concurrency: int | tuple[int, int] = 1,
    batch_size: int = BATCH_ROWS,
    **options: Unpack[Options],
) -> ray.data.Dataset:
    """The dataset with `column` corrected, in place or in a new column `output`; lazily.

    `concurrency` is the number of actors, or the least and the most. Each takes one CPU; leave one
    to those who read and write, or all wait for each other.
    """
    least, most = (concurrency, concurrency) if isinstance(concurrency, int) else concurrency
    # A task is a block, which may hold an hour of work: small ones spread better over the actors,
    # and cost less if one dies. Ray Data starts that one again and repeats its task.
    return dataset.repartition(target_num_rows_per_block=batch_size).map_batches(
        _Respell,
        fn_constructor_kwargs={
            "column": column,
            "output": column if output is None else output,
            "options": settle(**options),
        },
        batch_size=None,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        num_cpus=1,
    )


class _Respell:
    """What an actor runs: tables of Arrow in, tables of Arrow out."""

    def __init__(self, column: str, output: str, options: Options) -> None:
        self._column = column
        self._output = output
        # Actors share the machine: each takes the one core that Ray gave it.
        self._corrector = open_corrector(threads=1, **options)

    def __call__(self, table: Any) -> Any:
        if self._column not in table.column_names:
            known = ", ".join(table.column_names)
            raise Error(f"the dataset has no column {self._column!r}; it has {known}")
        corrected = correct_series(table.column(self._column), self._corrector)
        if self._output in table.column_names:
            place = table.column_names.index(self._output)
            return table.set_column(place, self._output, corrected)
        return table.append_column(self._output, corrected)
