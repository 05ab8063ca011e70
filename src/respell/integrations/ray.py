"""Correct a column of a Ray dataset on a pool of actors. Each actor opens its own model."""

from typing import Any, Unpack

from respell.integrations import Options, check_options, open_corrector
from respell.integrations.frames import correct_series
from respell.types import Error

try:
    import ray.data
except ImportError as error:
    raise Error(f"Ray Data is missing ({error}): pip install '.[ray]' in a checkout") from error

BATCH_ROWS = 1024
"""Rows that an actor takes at a time. If it dies, they are processed again."""


def correct(
    dataset: ray.data.Dataset,
    *,
    column: str = "text",
    output: str | None = None,
    concurrency: int | tuple[int, int] = 1,
    batch_size: int = BATCH_ROWS,
    **options: Unpack[Options],
) -> ray.data.Dataset:
    """The dataset with `column` corrected, in place or in a new column `output`. It is lazy.

    `concurrency` is the number of actors, or the least and the most. Each actor takes one CPU.
    Leave at least one CPU for reading and writing; otherwise the pipeline cannot make progress.
    """
    least, most = (concurrency, concurrency) if isinstance(concurrency, int) else concurrency
    # A task is a block, which may take an hour. Small blocks spread better over the actors, and
    # less is lost if an actor dies: Ray Data restarts it and repeats its task.
    return dataset.repartition(target_num_rows_per_block=batch_size).map_batches(
        _Respell,
        fn_constructor_kwargs={
            "column": column,
            "output": column if output is None else output,
            "options": check_options(**options),
        },
        batch_size=None,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        num_cpus=1,
    )


class _Respell:
    """The actor: corrects Arrow tables."""

    def __init__(self, column: str, output: str, options: Options) -> None:
        self._column = column
        self._output = output
        # Ray gives each actor one core.
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
