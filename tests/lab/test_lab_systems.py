import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from fakes import fake_bundle
from respell.corrector import Corrector
from respell.lab.common.provenance import commit_of, hash_bundle, provenance, write_json
from respell.lab.common.storage import replacing
from respell.lab.evaluate import systems
from respell.model.forward import Features, TopK
from respell.model.presets import Preset
from respell.types import Error


class Fake:
    """Corrects by a dictionary; `lose` drops the last token of every sentence."""

    def __init__(self, answers: dict[str, str], *, lose: bool = False) -> None:
        self.answers = answers
        self.lose = lose

    def correct_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        for tokens in sentences:
            corrected = [self.answers.get(token, token) for token in tokens]
            yield corrected[:-1] if self.lose else corrected


def test_keep_returns_a_copy() -> None:
    sentences = [["teh", "", "cat"], []]
    kept = systems.keep(sentences)
    assert kept == sentences
    kept[0][0] = "the"
    assert sentences[0][0] == "teh"


def test_from_corrector() -> None:
    system = systems.from_corrector(Fake({"teh": "the"}))
    assert system([["teh", "cat"], ["a"]]) == [["the", "cat"], ["a"]]


def test_corrector_that_loses_a_token_is_an_error() -> None:
    system = systems.from_corrector(Fake({}, lose=True))
    with pytest.raises(Error, match="the corrector:1: 1 tokens where 2 were expected"):
        system([["teh", "cat"]])


def test_predictions_keep_empty_tokens(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    path.write_bytes("the  sat\r\n\u2028 x\n\n".encode())
    system = systems.from_predictions(path)
    noisy = [["teh", "cat", "sat"], ["y", "x"], ["z"]]
    assert system(noisy) == [["the", "", "sat"], ["\u2028", "x"], [""]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\nc d\n", r"answers\.txt:2: 2 tokens where 1 were expected"),
        ("a b\n", r"answers\.txt: 1 lines where 2 were expected"),
        ("a b\nc\nd\n", r"answers\.txt: 3 lines where 2 were expected"),
    ],
)
def test_misaligned_predictions_are_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "answers.txt"
    path.write_text(text)
    with pytest.raises(Error, match=message):
        systems.from_predictions(path)([["a", "b"], ["c"]])


def test_words_of_a_cased_list(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("the\nThe\nLondon\n")
    is_word = systems.words_of(path)
    assert [is_word(w) for w in ("the", "The", "THE", "london")] == [True, True, False, False]


def test_words_of_a_lower_case_list(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("the\nlondon\n")
    is_word = systems.words_of(path)
    assert [is_word(w) for w in ("The", "THE", "London", "teh")] == [True, True, True, False]


def test_words_of_a_lower_case_bundle() -> None:
    is_word = systems.words_of_bundle(
        fake_bundle(words=["bob", "'s", "well", "-", "known"], casing="lower")
    )
    tokens = ("Bob's", "well-known", "wel-known", "Bob", "bbo")
    assert [is_word(token) for token in tokens] == [True, True, False, True, False]


def test_words_of_an_exact_bundle() -> None:
    is_word = systems.words_of_bundle(fake_bundle(words=["The"], casing="exact"))
    assert is_word("The")
    assert not is_word("the")


def test_hash_of_a_bundle_depends_only_on_its_config(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    before = hash_bundle(tmp_path)
    (tmp_path / "README.md").write_text("a card")
    assert hash_bundle(tmp_path) == before
    (tmp_path / "config.json").write_text('{"a": 1}')
    assert hash_bundle(tmp_path) != before


def test_provenance_has_no_path_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("RESPELL_DATA", str(data))
    arguments = [
        "evaluate",
        "--noisy",
        str(data / "set" / "a.noisy"),
        f"--gold={data / 'a b'}",
        str(here / "results" / "x.json"),
        "/elsewhere/else.txt",
        "it's",
    ]
    monkeypatch.setattr(sys, "argv", ["prog", *arguments])
    record = provenance("python -m respell.lab")
    assert record["command"] == (
        'python -m respell.lab evaluate --noisy "$RESPELL_DATA/set/a.noisy" '
        "--gold=\"$RESPELL_DATA/a b\" results/x.json else.txt 'it'\"'\"'s'"
    )
    assert record["machine"]["cores"] == os.cpu_count()
    assert set(record) == {"respell", "commit", "machine", "date", "command"}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_commit_is_dirty_only_after_changes_of_code(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        author = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
        command = ["git", *author, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    def write(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    source = tmp_path / "src"
    no_effect = ("results/x.json", "docs/page.md", "README.md", "src/card.md")
    for name in (*no_effect, "src/code.py"):
        write(name, "old")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    head = git("rev-parse", "HEAD")
    for name in (*no_effect, "results/new/y.json", "NEW.md"):
        write(name, "new")
    assert commit_of(source) == head
    for name in ("src/code.py", "recipes/new.toml"):
        write(name, "new")
        assert commit_of(source) == f"{head}-dirty", name
        git("stash", "--quiet", "--include-untracked")
        assert commit_of(source) == head


def test_old_file_is_kept_if_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "file"
    write_json(path, {"a": 1})

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 (raised two lines above)
        fail()
    assert path.read_text() == '{\n "a": 1\n}\n'
    assert list(path.parent.iterdir()) == [path]


def test_missing_bundle_is_an_error(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    systems.add_model_arguments(parser)
    with pytest.raises(Error, match="no such model folder"):
        systems.load_model(parser.parse_args(["--bundle", str(tmp_path / "none")]))


def test_description_of_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fake_load(path: Path) -> Corrector:
        return Corrector(fake_bundle(words=["the"], casing="lower"), no_forward)

    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr(systems, "load", fake_load)
    parser = argparse.ArgumentParser()
    systems.add_model_arguments(parser)
    model = systems.load_model(parser.parse_args(["--bundle", str(tmp_path)]))
    assert model.description == {
        "kind": "bundle",
        "name": "fake",
        "sha256": hash_bundle(tmp_path),
        "device": "cpu",
        "preset": "default",
        "threshold": 0.5,
    }


def test_presets_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = fake_bundle(words=["the"], casing="lower")
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr(systems, "load", lambda path: Corrector(bundle, no_forward))
    preset = Preset(threshold=0.9, threshold_on="error_probability", fix_threshold=0.2)
    presets = tmp_path / "presets.json"
    presets.write_text(json.dumps({"presets": {"default": asdict(preset)}}))
    parser = argparse.ArgumentParser()
    systems.add_model_arguments(parser)
    options = ["--bundle", str(tmp_path), "--presets", str(presets)]
    model = systems.load_model(parser.parse_args(options))
    assert model.corrector.bundle.preset("default") == preset
    policy = model.corrector.policy
    assert (policy.threshold, policy.threshold_on) == (0.9, "error_probability")
    assert model.description["threshold"] == 0.9


def no_forward(features: Features, gate: float) -> TopK:
    raise AssertionError("nothing is corrected here")
