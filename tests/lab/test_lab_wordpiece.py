"""WordPiece agrees with the `tokenizers` library, and the `wordpiece` command."""

import argparse
from pathlib import Path
from string import ascii_letters

import pytest
import tiny
import torch
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.train.models.wordpiece import (
    ALONE,
    BLANK,
    DROPPED,
    LETTER,
    Tables,
    WordPiece,
    is_lower,
    normalized,
    read_vocabulary,
)
from respell.lab.train.wordpiece import configure, learn, run
from respell.model.encode import (
    CHAR_MASK,
    CHAR_PAD,
    CHAR_START,
    CHAR_UNKNOWN,
    FIRST_CHARACTER,
    LONGEST,
    WIDTH,
    Encoder,
)
from respell.model.lexicon import Lexicon
from respell.types import Error

tokenizers = pytest.importorskip("tokenizers")

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Pieces that overlap or lead to dead ends, and letters without a piece.
LOWER = (
    *SPECIAL,
    *"a b c d e n o s t u 1 2 ' - . £ – 漢".split(),
    *"##a ##b ##c ##d ##e ##n ##s ##t ##1 un una unab able ##able ##ables ##ab ##bles".split(),
    *"the ##the cafe ##fe don ##' naive ##ive 19 ##84 [ ] ## # < s ##ness".split(),
)
CASED = (*LOWER, "A", "The", "É", "##É", "Une", "##N", "é", "##é")
ALPHABET = ascii_letters + "12489'-.#[]<>éÉïñßŒ£–’漢Σ½\u00ad\u200b\u00a0\u0301가"
LONG = "unablesablesunablesthenablesunables"


def module(vocabulary: tuple[str, ...], alphabet: str = ALPHABET) -> WordPiece:
    made = WordPiece(len(alphabet) + FIRST_CHARACTER)
    made.fill(Tables.build(vocabulary, alphabet))
    return made


def pieces(made: WordPiece, words: list[str], alphabet: str = ALPHABET) -> list[list[int]]:
    rows = torch.from_numpy(Encoder(Lexicon(("a",)), alphabet, "exact").spell(words))
    ids, counts = made(rows)
    assert ids.shape == (len(words), LONGEST)
    return [row[:count].tolist() for row, count in zip(ids, counts.tolist(), strict=True)]


def expected(vocabulary: tuple[str, ...], words: list[str]) -> list[list[int]]:
    numbers = {piece: i for i, piece in enumerate(vocabulary)}
    lower = is_lower(vocabulary)
    tokenizer = tokenizers.BertWordPieceTokenizer(numbers, lowercase=lower)
    return [tokenizer.encode(word[:LONGEST], add_special_tokens=False).ids for word in words]


MODULES = {vocabulary: module(vocabulary) for vocabulary in (LOWER, CASED)}
FRAGMENTS = [piece.removeprefix("##") for piece in CASED[len(SPECIAL) :]]


@pytest.mark.parametrize("vocabulary", [LOWER, CASED], ids=["lower", "cased"])
@given(
    words=st.lists(
        st.one_of(
            st.text(ALPHABET.replace("가", ""), max_size=26),
            st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_any_word_has_the_pieces_of_tokenizers(
    vocabulary: tuple[str, ...], words: list[str]
) -> None:
    assert pieces(MODULES[vocabulary], words) == expected(vocabulary, words)


@pytest.mark.parametrize("vocabulary", [LOWER, CASED], ids=["lower", "cased"])
@pytest.mark.parametrize(
    "words",
    [
        ["unable", "unables", "unabl", "Unable", "UNABLES", "thethe"],
        ["don't", "'s", "un-able", "-", "--", "a.b.c", "[s]", "##a", "#", "1984", "19.84"],
        ["café", "CAFÉ", "naïve", "Œ", "ß", "Σ", "£19", "–", "’", "½"],
        ["漢漢", "a漢b", "un\u00adable", "\u00ad", "\u200b\u200b", "un\u00a0able", "e\u0301"],
        [LONG, LONG[:20], LONG[:19], "z" * 30, "a" * 40, ""],
        ["una", "unac", "ablez", "zable", "unz-able", "able-z", "z-z"],
    ],
)
def test_difficult_words_have_the_pieces_of_tokenizers(
    vocabulary: tuple[str, ...], words: list[str]
) -> None:
    assert pieces(MODULES[vocabulary], words) == expected(vocabulary, words)


def test_a_learnt_vocabulary_splits_words_and_misspellings() -> None:
    vocabulary = learn(tiny.sentences(60), size=200)
    wrong = [spelling for spellings in tiny.MISSPELLINGS.values() for spelling in spellings]
    words = [word for line in tiny.sentences(60, seed=5) for word in line.split()] + wrong
    alphabet = "".join(sorted(set("".join(words))))
    made = module(vocabulary, alphabet)
    assert pieces(made, words, alphabet) == expected(vocabulary, words)


@pytest.mark.parametrize(
    ("character", "lower", "result"),
    [
        ("A", True, ("a", LETTER)),
        ("A", False, ("A", LETTER)),
        ("É", True, ("e", LETTER)),
        ("É", False, ("É", LETTER)),
        ("İ", True, ("i", LETTER)),
        ("'", True, ("'", ALONE)),
        ("$", True, ("$", ALONE)),
        ("£", True, ("£", LETTER)),
        ("—", True, ("—", ALONE)),
        ("漢", True, ("漢", ALONE)),
        ("\u0301", True, ("", DROPPED)),
        ("\u0301", False, ("\u0301", LETTER)),
        ("\u00ad", True, ("", DROPPED)),
        ("\ufffd", True, ("", DROPPED)),
        ("\u00a0", True, ("", BLANK)),
    ],
)
def test_characters_are_normalized_as_in_bert(
    character: str, lower: bool, result: tuple[str, int]
) -> None:
    assert normalized(character, lower=lower) == result


def test_words_outside_the_alphabet_are_unknown() -> None:
    rows = torch.full((4, WIDTH), CHAR_PAD)
    rows[:, 0] = CHAR_START
    rows[0, 1] = CHAR_MASK
    rows[1, 1] = CHAR_UNKNOWN
    a = FIRST_CHARACTER + ALPHABET.index("a")
    mark = FIRST_CHARACTER + ALPHABET.index("-")
    rows[2, 1:5] = torch.tensor([a, CHAR_UNKNOWN, mark, a])
    ids, counts = MODULES[LOWER](rows)
    assert counts.tolist() == [1, 1, 3, 0]
    assert ids[0, 0] == LOWER.index("[MASK]")
    assert ids[1, 0] == LOWER.index("[UNK]")
    assert ids[2, :3].tolist() == [LOWER.index(piece) for piece in ("[UNK]", "-", "a")]
    # Unicode decomposes this letter into two; such letters are unknown.
    assert pieces(MODULES[LOWER], ["가"]) == [[LOWER.index("[UNK]")]]


def test_tables_are_saved_with_the_weights() -> None:
    other = WordPiece(len(ALPHABET) + FIRST_CHARACTER)
    with pytest.raises(Error, match="no vocabulary yet"):
        pieces(other, ["unable"])
    other.load_state_dict(MODULES[LOWER].state_dict())
    assert pieces(other, ["unables"]) == pieces(MODULES[LOWER], ["unables"])
    with pytest.raises(Error, match="build them for the alphabet of the model"):
        other.fill(Tables.build(LOWER, "abc"))


def test_the_special_pieces_of_mpnet_are_preferred() -> None:
    vocabulary = ("<s>", "<pad>", "</s>", "<unk>", *LOWER, "<mask>")
    made = module(vocabulary)
    assert [vocabulary[i] for i in made.special] == ["[UNK]", "<s>", "</s>", "<mask>"]
    bare = module(("<unk>", "[CLS]", "[SEP]", "a"))
    assert bare.special.tolist() == [0, 1, 2, 0]


def test_wordpiece_compiles_to_one_graph() -> None:
    compiled = torch.compile(MODULES[LOWER], backend="eager", fullgraph=True)
    rows = torch.from_numpy(Encoder(Lexicon(("a",)), ALPHABET, "exact").spell(["unables", "z"]))
    for left, right in zip(compiled(rows), MODULES[LOWER](rows), strict=True):
        assert torch.equal(left, right)


def test_invalid_vocabularies_are_errors(tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot read the vocabulary"):
        read_vocabulary(tmp_path / "none.txt")
    (tmp_path / "words.txt").write_text("a\nb\n", encoding="utf-8")
    with pytest.raises(Error, match=r"\[UNK\] or <unk> is missing"):
        read_vocabulary(tmp_path / "words.txt")


def test_the_command_writes_a_vocabulary(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(tiny.sentences(30)), encoding="utf-8")
    parser = argparse.ArgumentParser()
    configure(parser)
    for more, lower in (([], True), (["--cased"], False)):
        out = tmp_path / "new" / "vocab.txt"
        arguments = [str(text), "--out", str(out), "--size", "120", *more]
        assert run(parser.parse_args(arguments)) == 0
        vocabulary = read_vocabulary(out)
        assert is_lower(vocabulary) is lower
        assert len(vocabulary) == len(set(vocabulary)) <= 120
    text.write_text("\n \n", encoding="utf-8")
    with pytest.raises(Error, match=r"text\.txt: no text"):
        run(parser.parse_args(arguments))
