"""The `average` command: weights between those of two checkpoints."""

from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file

from respell.lab.__main__ import main
from respell.lab.train.checkpoint import LEXICON, WEIGHTS, Checkpoint, save_tensors
from respell.model.encode import WORD_OFFSET


@pytest.fixture(params=["word_char_keep", "word_char_suspects"])
def two(base: Path, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    first = tiny.checkpoint(base, request.param).path
    second = tmp_path / "second"
    second.mkdir()
    for file in first.iterdir():
        (second / file.name).write_bytes(file.read_bytes())
    weights = {name: tensor + 1 for name, tensor in load_file(first / WEIGHTS).items()}
    save_tensors(weights, second / WEIGHTS)
    return first, second


def test_weights_are_averaged(two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    out = tmp_path / "out"
    assert main(["average", str(first), str(second), "--share", "0.25", "--out", str(out)]) == 0
    before, after = load_file(first / WEIGHTS), load_file(out / WEIGHTS)
    assert all(torch.allclose(after[name], before[name] + 0.25) for name in before)
    Checkpoint.read(out).model()


@pytest.mark.parametrize("share", ["-0.1", "1.5", "nan"])
def test_an_invalid_share_is_an_error(
    two: tuple[Path, Path], tmp_path: Path, share: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["average", *map(str, two), f"--share={share}", "--out", str(tmp_path / "out")]
    assert main(arguments) == 2
    assert "from 0 to 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_lexicons_may_have_a_different_order(two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    saved = Checkpoint.read(first)
    words = list(saved.lexicon.words)
    swapped = [words[1], words[0], *words[2:]]
    (second / LEXICON).write_text("".join(word + "\n" for word in swapped))
    out = tmp_path / "out"
    assert main(["average", str(first), str(second), "--share", "0", "--out", str(out)]) == 0
    before, after = load_file(first / WEIGHTS)["words.weight"], load_file(out / WEIGHTS)
    place = WORD_OFFSET
    assert torch.equal(after["words.weight"][place], before[place + 1])
    assert torch.equal(after["words.weight"][place + 1], before[place])
    assert torch.equal(after["words.weight"][place + 2 :], before[place + 2 :])
    bias = load_file(first / WEIGHTS)["head.words.bias"]
    assert torch.equal(after["head.words.bias"], bias[[1, 0, *range(2, len(bias))]])
    assert Checkpoint.read(out).lexicon.words[:2] == tuple(swapped[:2])


def test_an_existing_checkpoint_is_not_overwritten(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = two
    before = (second / WEIGHTS).read_bytes()
    assert main(["average", str(first), str(second), "--out", str(second)]) == 2
    assert "holds a checkpoint" in capsys.readouterr().err
    assert (second / WEIGHTS).read_bytes() == before
