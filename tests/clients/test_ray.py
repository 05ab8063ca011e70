"""Ray Data on a real cluster of one machine, with Parquet files and an actor that is killed."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import respell
from golden_answers import golden

pytestmark = [
    pytest.mark.clients,
    pytest.mark.filterwarnings("ignore"),  # from Ray, about its own calls and small datasets
]

pytest.importorskip("ray.data")
ray: Any = pytest.importorskip("ray")
parquet = pytest.importorskip("pyarrow.parquet")
pyarrow = pytest.importorskip("pyarrow")
psutil = pytest.importorskip("psutil")
respell_ray = pytest.importorskip("respell.integrations.ray")

ROWS, FILES = 1600, 8


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    source = str(Path(respell.__file__).parents[1])
    before = {name: os.environ.get(name) for name in ("RAY_USAGE_STATS_ENABLED", "PYTHONPATH")}
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = source  # workers import the same respell
    ray.init(
        num_cpus=4,  # two for the actors, two to read and write
        include_dashboard=False,
        object_store_memory=200_000_000,
        logging_level="warning",
        log_to_driver=False,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="module")
def answers() -> list[tuple[str, str]]:
    """The golden texts and their corrected versions."""
    pairs = []
    for row in golden():
        text, done = "", 0
        for c in row["corrections"]:
            text += row["text"][done : c["start"]] + c["replacement"]
            done = c["end"]
        pairs.append((row["text"], text + row["text"][done:]))
    return pairs


@pytest.fixture(scope="module")
def rows(answers: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files whose rows repeat the golden texts."""
    folder = tmp_path_factory.mktemp("in")
    for number in range(FILES):
        ids = range(number, ROWS, FILES)
        texts = [answers[i % len(answers)][0] for i in ids]
        table = pyarrow.table({"id": list(ids), "text": texts})
        parquet.write_table(table, folder / f"{number}.parquet")
    return folder


def _read(folder: Path) -> list[dict[str, Any]]:
    return sorted(parquet.read_table(folder).to_pylist(), key=lambda row: int(row["id"]))


def _wanted(answers: list[tuple[str, str]]) -> list[dict[str, Any]]:
    rows = [answers[i % len(answers)] for i in range(ROWS)]
    return [{"id": i, "text": old, "fixed": new} for i, (old, new) in enumerate(rows)]


def _actors() -> list[Any]:
    """The actor processes of this test: its descendants that run the component."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            title = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if title.startswith("ray::") and "_Respell" in title:
            found.append(process)
    return found


def test_parquet_in_and_out_on_two_actors(
    rows: Path, answers: list[tuple[str, str]], tmp_path: Path
) -> None:
    dataset = ray.data.read_parquet(str(rows))
    done = respell_ray.correct(dataset, column="text", output="fixed", concurrency=2, batch_size=64)
    done.write_parquet(str(tmp_path / "out"))
    assert _read(tmp_path / "out") == _wanted(answers)


def test_killed_actor_is_restarted_and_no_row_is_lost_or_repeated(
    rows: Path, answers: list[tuple[str, str]], tmp_path: Path
) -> None:
    first: list[int] = []
    after: set[int] = set()
    over = threading.Event()
    out = tmp_path / "out"

    def kill_one() -> None:
        while not over.wait(0.05):
            pids = [process.pid for process in _actors()]
            if first:
                after.update(pids)
            elif len(pids) == 2 and any(out.glob("*.parquet")):
                os.kill(pids[0], signal.SIGKILL)
                first.extend(pids)

    dataset = ray.data.read_parquet(str(rows))
    done = respell_ray.correct(dataset, column="text", output="fixed", concurrency=2, batch_size=64)
    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        done.write_parquet(str(out))
    finally:
        over.set()
        killer.join()
    assert len(first) == 2, "the run ended before an actor could be killed"
    assert not psutil.pid_exists(first[0])
    assert after - set(first), "the killed actor was not replaced"
    written = _read(out)
    assert max(Counter(row["id"] for row in written).values()) == 1
    assert written == _wanted(answers)


def test_column_is_replaced_and_missing_values_stay() -> None:
    table = pyarrow.table({"text": ["teh freind", None, ""], "more": [1, 2, 3]})
    done = respell_ray.correct(ray.data.from_arrow(table), dictionary=["teh"])
    assert sorted(done.take_all(), key=lambda row: row["more"]) == [
        {"text": "teh friend", "more": 1},
        {"text": None, "more": 2},
        {"text": "", "more": 3},
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 2.0}, "threshold must be a number between 0 and 1"),
        ({"preset": "bold"}, "no preset 'bold'"),
        ({"model": "nowhere"}, "no such model folder"),
        ({"treshold": 0.5}, "no option 'treshold'"),
    ],
)
def test_invalid_option_is_an_error_before_any_actor_starts(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(respell.Error, match=message):
        respell_ray.correct(ray.data.range(1), **options)


def test_missing_column_is_an_error() -> None:
    table = pyarrow.table({"a": ["teh"]})
    dataset = respell_ray.correct(ray.data.from_arrow(table), column="b")
    with pytest.raises(Exception, match="no column 'b'; it has a"):
        dataset.take_all()


def test_missing_ray_is_reported_with_the_extra() -> None:
    code = "import sys; sys.modules['ray'] = None; import respell.integrations.ray"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "respell.types.Error: " in done.stderr
    assert "pip install '.[ray]'" in done.stderr.splitlines()[-1]
