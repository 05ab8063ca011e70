"""Generated misspellings: the edit model, the edit network, their coverage and the command."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.lab.__main__ import main
from respell.lab.misspellings import coverage
from respell.lab.misspellings.edit_model import EditModel, edits
from respell.lab.misspellings.edit_network import DROP, FIRST, KEEP, EditNetwork, EditNetworkConfig
from respell.lab.misspellings.word_lists import read_tsv
from respell.types import Error

LETTERS = st.text("abc", max_size=7)


def test_edits_are_the_parts_that_differ() -> None:
    assert edits("receive", "recieve") == [(3, 5, "ie")]
    assert edits("phone", "fone") == [(0, 2, "f")]
    assert edits("occurred", "ocured") == [(1, 2, ""), (4, 5, "")]
    assert edits("the", "teh") == [(1, 3, "eh")]
    assert edits("same", "same") == []


@settings(max_examples=300)
@given(word=LETTERS, spelling=LETTERS)
def test_applying_all_edits_gives_the_spelling(word: str, spelling: str) -> None:
    written = word
    for start, end, new in reversed(edits(word, spelling)):
        written = written[:start] + new + written[end:]
    assert written == spelling


def test_learnt_edits_apply_to_other_words() -> None:
    edit_model = EditModel({"phone": ["fone"], "phrase": ["frase"], "graph": ["graf"]})
    generated = edit_model.misspell("physics", 5, random.Random(1))
    assert "fysics" in generated
    assert "physics" not in generated
    assert edit_model.misspell("bottle", 5, random.Random(1)) == []


def test_an_edit_is_likelier_between_the_same_neighbours() -> None:
    edit_model = EditModel({"believe": ["beleive"] * 9, "niece": ["niesse"], "piece": ["piesse"]})
    rates = {(o.start, o.new): o.rate for o in edit_model.options("relieve")}
    elsewhere = {(o.start, o.new): o.rate for o in edit_model.options("niece")}
    assert rates[3, "ei"] > elsewhere.get((1, "ei"), 0.0)


def test_a_low_temperature_makes_rare_edits_rarer() -> None:
    edit_model = EditModel({"phone": ["fone"] * 9 + ["phome"] * 2, "moan": ["noan", "moan"]})

    def rare(temperature: float) -> int:
        samples = (
            edit_model.misspell("phone", 1, random.Random(i), temperature=temperature)
            for i in range(99)
        )
        return sum("m" in spelling for spellings in samples for spelling in spellings)

    assert rare(0.4) < rare(1.0)


def test_an_edit_model_without_pairs_is_an_error() -> None:
    with pytest.raises(Error, match="no pair"):
        EditModel({"word": ["word"]})


def test_the_command_is_deterministic_and_avoids_held_out_pairs(tmp_path: Path) -> None:
    (tmp_path / "known.tsv").write_text("phone\tfone\nphrase\tfrase\ngraph\tgraf\n")
    (tmp_path / "held.tsv").write_text("Phoenix\tfoenix\n")
    (tmp_path / "lexicon.txt").write_text("phoenix\nphysics\nsphere\n")
    arguments = ["generate", "--lists", str(tmp_path / "known.tsv")]
    arguments += ["--held-out", str(tmp_path / "held.tsv")]
    arguments += ["--lexicon", str(tmp_path / "lexicon.txt"), "--out", str(tmp_path / "new.tsv")]
    assert main(arguments) == 0
    first = (tmp_path / "new.tsv").read_bytes()
    generated = read_tsv(tmp_path / "new.tsv")
    assert generated["physics"] == ["fysics"]
    assert generated["sphere"] == ["sfere"]
    assert "phoenix" not in generated  # its only misspelling is held out
    assert main(arguments) == 0
    assert (tmp_path / "new.tsv").read_bytes() == first
    assert main([*arguments, "--count", "0"]) == 2


TINY = EditNetworkConfig(width=16, depth=1, epochs=40, rows=4, learning_rate=0.01, dropout=0.0)
PHONE = {"phone": ["fone"], "phrase": ["frase"], "graph": ["graf"], "photo": ["foto", "f[oto"]}


@pytest.fixture(scope="module")
def network() -> EditNetwork:
    torch.set_num_threads(1)  # for such a small network, one thread is fastest
    return EditNetwork.learn(PHONE, TINY)


UNTRAINED = EditNetwork("abc", TINY)


@settings(max_examples=300)
@given(word=LETTERS, spelling=LETTERS)
def test_an_edit_sequence_gives_the_spelling(word: str, spelling: str) -> None:
    ids, places, actions = UNTRAINED.edit_sequence(word, spelling)
    written = []
    for place, action in zip(places, actions, strict=True):
        if action >= FIRST:
            written.append(action)
        elif action == KEEP and place < len(word):
            written.append(ids[place])
    assert "".join("abc"[i - FIRST] for i in written) == spelling
    assert places == sorted(places)
    assert ids[-1] == DROP
    assert (places[-1], actions[-1]) == (len(word), KEEP)  # it ends after the last letter


def test_a_network_learns_to_misspell_like_its_list(network: EditNetwork) -> None:
    assert not network.supports("phlox[")
    words = ["phone", "phanor", "zürich"]
    generated = dict(network.misspell(words, 4, seed=1, temperature=0.5))
    assert generated["phone"][0] == "fone"
    assert any(spelling.startswith("f") for spelling in generated["phanor"])
    assert "zürich" not in generated  # ü is not in the training pairs
    pairs = [("phanor", "fanor"), ("phanor", "phonra")]
    assert network.log_likelihood(pairs[:1]) > network.log_likelihood(pairs[1:])


def test_a_network_is_deterministic() -> None:
    config = replace(TINY, epochs=2)
    one, other = (EditNetwork.learn(PHONE, config).misspell(["phone"], 9, seed=1) for _ in range(2))
    assert dict(one) == dict(other)


def test_a_network_generates_only_new_and_different_pairs(network: EditNetwork) -> None:
    for word, generated in network.misspell(["phone", "graph"], 9, seed=2, known=PHONE):
        assert word not in generated
        assert "" not in generated
        assert len(set(generated)) == len(generated) <= 9
        assert not set(generated) & set(PHONE[word])


def test_the_likelihood_of_a_pair_does_not_depend_on_its_batch(network: EditNetwork) -> None:
    both = [("graph", "graf"), ("phone", "fone")]
    one, other = (network.log_likelihood([pair]) for pair in both)
    assert network.log_likelihood(both) == pytest.approx((one + other) / 2)


def test_a_network_without_pairs_is_an_error() -> None:
    with pytest.raises(Error, match="no pair"):
        EditNetwork.learn({"2nd": ["second"]}, TINY)


def test_coverage_ignores_known_pairs() -> None:
    def generate(words: Sequence[str], count: int) -> Iterator[tuple[str, list[str]]]:
        yield from ((word, ["a", "b", "abcd", "ac"][:count]) for word in words)

    held_out = {"ab": ["abcd", "b"], "abc": ["ac", "none"]}
    found = coverage.measure(generate, held_out, known={"ab": ["a"]}, real={"ac"}, among=(1, 2))
    assert found["all"] == {"pairs": 4, "among 1": 0.25, "among 2": 0.5}
    assert found["a word"] == {"pairs": 1, "among 1": 0.0, "among 2": 0.0}
    assert found["distance 1"]["pairs"] == 2
    assert found["distance 2"]["among 2"] == 1.0


def test_the_command_can_learn_implausible_pairs(tmp_path: Path) -> None:
    (tmp_path / "known.tsv").write_text("of\tcift\nif\tcift\nshelf\tshelcift\n")
    (tmp_path / "lexicon.txt").write_text("elf\nof\nef\n")
    arguments = ["generate", "--lists", str(tmp_path / "known.tsv"), "--no-tidy"]
    arguments += ["--lexicon", str(tmp_path / "lexicon.txt"), "--out", str(tmp_path / "new.tsv")]
    assert main(arguments) == 0
    assert read_tsv(tmp_path / "new.tsv")["ef"]
    assert main([*arguments[:3], *arguments[4:]]) == 2  # tidy drops all pairs


def test_the_command_measures_its_coverage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [a + b + "ph" + c for a in "abcd" for b in "aeiou" for c in "eio"]
    pairs = "".join(f"{word.title()}\t{word.replace('ph', 'f')}\n" for word in words)
    case_alone = "".join(f"{word}\t{word.upper()}\n" for word in words)
    (tmp_path / "known.tsv").write_text(pairs + case_alone)
    (tmp_path / "lexicon.txt").write_text("\n".join(words))
    out = tmp_path / "check.json"
    arguments = ["generate", "--lists", str(tmp_path / "known.tsv"), "--out", str(out)]
    arguments += ["--lexicon", str(tmp_path / "lexicon.txt"), "--check", "0.2"]
    assert main(arguments) == 0
    assert main([*arguments, "--no-tidy"]) == 0
    assert main(arguments) == 0  # replaces the first record
    checks = json.loads(out.read_text())["checks"]
    assert [check["tidy"] for check in checks] == [False, True]
    assert checks[0]["covered"]["all"]["among 12"] == 1.0
    assert 2 < checks[0]["covered"]["all"]["pairs"] < 30
    assert set(checks[0]["covered"]) == {"all", "distance 2"}
    assert main([*arguments, "--check", "1"]) == 2
    for temperature in ("0", "nan", "1e-9", "inf"):
        assert main([*arguments, "--temperature", temperature]) == 2
    assert f"--temperature {temperature}: write a number from" in capsys.readouterr().err
    (tmp_path / "lexicon.txt").write_text("")
    assert main(arguments) == 2
    assert "lexicon.txt: no words to misspell" in capsys.readouterr().err
