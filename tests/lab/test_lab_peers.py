import json
import os
import shutil
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from respell.lab.__main__ import main
from respell.lab.evaluate.peers import process, speed
from respell.lab.evaluate.peers.install import disk_bytes, hashes, install, versions, why_absent
from respell.lab.evaluate.peers.measure import measure, shuffled
from respell.lab.evaluate.peers.registry import Peer, choose, read_peers
from respell.lab.evaluate.peers.results import known_absent, read_records, save
from respell.lab.evaluate.peers.sets import Set, pair, read_sets
from respell.lab.evaluate.peers.usage import MemoryWatch, cpu_seconds, process_tree
from respell.types import Error

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "benchmarks" / "peers"
FIXES = """
print("output at the start")

def correct(tokens):
    print("output that is not an answer")
    return ["the" if token == "teh" else token for token in tokens]
"""
MANY = """
def correct_many(sentences):
    return [[str(len(sentences))] * len(tokens) for tokens in sentences]
"""
SHORT = """
def correct(tokens):
    return tokens[:1]
"""
NO_STRINGS = """
def correct(tokens):
    return [0 for _ in tokens]
"""
BROKEN = """
def correct(tokens):
    raise RuntimeError("no weights in /opt/models/here/model.bin")
"""
BUSY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "while True: pass"])

def correct(tokens):
    time.sleep(0.4 if len(tokens) > 2 else 0)
    return tokens
"""
TRAINS = """
import os
from pathlib import Path

def train(text, folder):
    (folder / "model.txt").write_text(text.read_text().upper())

def correct(tokens):
    return (Path(os.environ["PEER_FOLDER"]) / "model.txt").read_text().split()[: len(tokens)]
"""


def make(folder: Path, code: str, line: str = "") -> Peer:
    """Write a list with one peer, with the real serve.py."""
    (folder / "adapters").mkdir(exist_ok=True)
    for name in ("serve.py", "words.py"):
        shutil.copy(PEERS / name, folder / name)
    (folder / "adapters" / "fake.py").write_text(code)
    listed = f'[peers]\nfake = {{ adapter = "fake.py", about = "a fake"{line} }}\n'
    (folder / "peers.toml").write_text(listed)
    (peer,) = read_peers(folder / "peers.toml", homes=folder / "homes")
    return peer


def small_set(*, clean: bool = False) -> Set:
    noisy = [["Teh", "teh", "cat"], ["a", "form", "teh"]]
    gold = noisy if clean else [["The", "the", "cat"], ["a", "from", "the"]]
    return Set("clean" if clean else "noisy", clean, noisy, gold, {"file": "hash"})


def test_peer_runs_in_its_own_process(tmp_path: Path) -> None:
    with process.start(make(tmp_path, FIXES)) as running:
        assert running.pid != os.getpid()
        assert running.load_seconds > 0
        assert running.ask([["teh", "“é"], [], ["cat"]]) == [["the", "“é"], [], ["cat"]]
        assert running.ask([["teh"]]) == [["the"]]
        pid = running.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_correct_many_gets_all_sentences(tmp_path: Path) -> None:
    with process.start(make(tmp_path, MANY)) as running:
        assert running.ask([["a", "b"], ["c"]]) == [["2", "2"], ["2"]]


@pytest.mark.parametrize("code", [SHORT, NO_STRINGS])
def test_answers_must_have_the_right_shape(tmp_path: Path, code: str) -> None:
    peer = make(tmp_path, code)
    with pytest.raises(Error, match="fake"), process.start(peer) as running:
        running.ask([["a", "b"]])


def test_error_of_a_peer_is_reported_without_paths(tmp_path: Path) -> None:
    with pytest.raises(Error) as caught, process.start(make(tmp_path, BROKEN)):
        pass
    assert str(caught.value) == "fake: RuntimeError: no weights in model.bin"


def test_peer_that_does_not_answer_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "TIMEOUT", 1.0)
    code = "import time\n\ndef correct(tokens):\n    time.sleep(60)\n"
    began = time.perf_counter()
    with pytest.raises(Error, match="no answer in 1 seconds"), process.start(make(tmp_path, code)):
        pass
    assert time.perf_counter() - began < 30


def test_slow_peer_gets_only_the_first_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "MIN_GROUP", 1)
    with process.start(make(tmp_path, BUSY)) as running:
        answers = running.ask_all([["a", "b", "c"]] * 50, limit_seconds=0.1)
    assert answers.sentences == [["a", "b", "c"]]
    assert answers.words == 3


def test_child_processes_are_measured(tmp_path: Path) -> None:
    with process.start(make(tmp_path, BUSY)) as running, MemoryWatch(running.pid) as watch:
        assert len(process_tree(running.pid)) == 2
        before = cpu_seconds(running.pid)
        answers = running.ask_all([["a", "b", "c"]], limit_seconds=60)
        assert answers.cpu_seconds > 0.05  # of the child; the peer itself sleeps
        assert cpu_seconds(running.pid) > before
    assert watch.peak > 1e6


def test_peer_is_scored(tmp_path: Path) -> None:
    peer = make(tmp_path, FIXES)
    sets = [small_set(), small_set(clean=True)]
    answers = tmp_path / "answers"
    record = measure(
        peer, sets, is_word={"form", "cat", "a"}.__contains__, limit_seconds=60, answers=answers
    )
    json.dumps(record)
    assert record["absent"] is None
    noisy, clean = record["sets"]["noisy"], record["sets"]["clean"]
    assert (noisy["sentences"], noisy["of"]) == (2, 2)
    assert noisy["scores"]["all"]["table"]["tp"] == 2
    assert noisy["scores"]["real_words"]["errors"] == 1
    assert clean["words"] == 6
    assert clean["alarms"] == 2
    written = sorted((answers / "noisy.tsv").read_text().splitlines())
    assert written[0] == "Teh teh cat\tThe the cat\tTeh the cat"
    assert record["peak_rss_bytes"] > 1e6


def test_sentences_are_shuffled() -> None:
    noisy, gold = ([[f"{side}{i}"] for i in range(100)] for side in "ng")
    made = shuffled(Set("x", False, noisy, gold, {}))
    assert sorted(made.noisy) == sorted(noisy)
    assert made.noisy != noisy
    assert [n[0][1:] for n in made.noisy] == [g[0][1:] for g in made.gold]
    assert made == shuffled(Set("x", False, noisy, gold, {}))


def test_broken_peer_is_recorded_as_not_available(tmp_path: Path) -> None:
    record = measure(
        make(tmp_path, BROKEN), [small_set()], is_word=bool, limit_seconds=9, answers=None
    )
    assert record["absent"] == "RuntimeError: no weights in model.bin"
    save(record, tmp_path / "results")
    assert read_records(tmp_path / "results") == [record]
    (tmp_path / "results/speed.json").write_text('{"absent": {"fake": "why"}}', encoding="utf-8")
    absent = known_absent(tmp_path / "results")
    assert absent == {"fake": record["absent"]}
    assert speed.measure([], [], rounds=1, seconds=0, skip=absent)["absent"] == absent


def test_peer_that_is_not_installed_is_not_available(tmp_path: Path) -> None:
    peer = make(tmp_path, FIXES, line=', pip = [["nothing"]]')
    record = measure(peer, [], is_word=bool, limit_seconds=9)
    assert "peers install" in record["absent"]


def test_install_trains_the_peer(tmp_path: Path) -> None:
    peer = make(tmp_path, TRAINS, line=", trains = true")
    with pytest.raises(Error, match="peers text"):
        install(peer)
    assert "peers text" in str(why_absent(peer))
    (tmp_path / "homes" / "text.txt").write_text("some text")
    install(peer)
    assert why_absent(peer) is None
    with process.start(peer) as running:
        assert running.ask([["a", "b"]]) == [["SOME", "TEXT"]]
    assert hashes(peer).keys() == {"model.txt"}
    assert disk_bytes(peer) == len("SOME TEXT")
    assert versions(peer) == {}


def test_speed_ratios_are_taken_within_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "BASE", "fake")
    peer = make(tmp_path, FIXES)
    sentences = [["a", "b"]] * speed.WARM_UP + [["c"], ["d"]]
    record = speed.measure([peer], sentences, rounds=2, seconds=0)
    assert record["words"] == 2 * speed.WARM_UP + 2
    summary = record["peers"]["fake"]
    assert summary["words"]["most"] == 1  # at least one sentence, even without time
    assert summary["ratio"] == {"median": 1, "least": 1, "most": 1}
    assert summary["words_per_cpu_second"]["median"] > 0
    assert "fake" in speed.summary(record)


def test_speed_lists_peers_that_are_not_available(tmp_path: Path) -> None:
    record = speed.measure([make(tmp_path, BROKEN)], [["a"]], rounds=2, seconds=0)
    assert record["peers"] == {}
    assert "no weights" in record["absent"]["fake"]
    assert "not available" in speed.summary(record)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "not a TOML file"),
        ("", "lists no peers"),
        ("[peers]\na = {}", "needs adapter"),
        ('[peers]\na = { adapter = "a.py", about = "x", wheel = 1 }', "unknown key 'wheel'"),
        ('[peers]\na = { adapter = "a.py", about = "x" }', "a.py is missing"),
    ],
)
def test_invalid_lists_are_errors(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "peers.toml").write_text(text)
    with pytest.raises(Error, match=message):
        read_peers(tmp_path / "peers.toml")


def test_our_list_of_peers() -> None:
    peers = read_peers(PEERS / "peers.toml")
    assert {"respell", "keep", "symspellpy", "jamspell", "neuspell"} <= {p.name for p in peers}
    (chosen,) = choose(peers, ["respell"])
    assert chosen.set == (("PRESET", "default"),)
    with pytest.raises(Error, match="no peer 'x'"):
        choose(peers, ["x"])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, FIXES)
    common = ["--peers", str(tmp_path / "peers.toml"), "--homes", str(tmp_path / "homes")]
    assert main(["peers", "install", *common]) == 0
    assert main(["peers", "list", *common]) == 0
    assert capsys.readouterr().out.startswith("fake: installed\nfake ")
    assert main(["peers", "run", *common, "--data", str(tmp_path / "none")]) == 2
    assert main(["peers", "render", *common, "--results", str(tmp_path / "none")]) == 2
    assert "peers run" in capsys.readouterr().err


def test_sets_are_aligned(tmp_path: Path) -> None:
    (tmp_path / "noisy").write_text("a teh\n")
    (tmp_path / "gold").write_text("a the\n")
    given = pair("x", tmp_path / "noisy", tmp_path / "gold")
    assert given.noisy == [["a", "teh"]]
    assert set(given.sha256) == {"noisy", "gold"}


@pytest.mark.skipif("RESPELL_DATA" not in os.environ, reason="needs RESPELL_DATA")
def test_sets_can_be_read() -> None:
    # The other clean texts are long, and finding their last tenth takes a while.
    sets = list(islice(read_sets(Path(os.environ["RESPELL_DATA"]), clean_words=50), 6))
    assert [given.clean for given in sets] == [False] * 5 + [True]
    assert all(given.noisy for given in sets)
    assert 50 <= sum(map(len, sets[-1].noisy)) < 200


def test_serve_only_needs_the_standard_library() -> None:
    command = [sys.executable, "-I", str(PEERS / "serve.py"), str(PEERS / "adapters" / "keep.py")]
    done = subprocess.run(command, input='["a"]\n\n', capture_output=True, text=True, check=True)
    assert done.stdout == '["a"]\n'
