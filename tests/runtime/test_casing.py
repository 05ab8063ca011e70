"""Words with capitals of their own: how they are read, when they are written, and when not."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import respell
from fakes import PLAIN, Fake, fake_bundle, hashed_config, window
from respell.corrector import Corrector
from respell.decision.casing import restore_truecase
from respell.decision.decode import decode
from respell.model.bundle import CONFIG, LEXICON, MODEL, TRUECASE, Bundle, default_path, digest
from respell.model.forward import TopK
from respell.model.lexicon import Lexicon
from respell.model.truecase import read_truecase
from respell.text.case import LOWER, MIXED, TITLE, UPPER
from respell.text.tokenize import tokenize
from respell.types import Correction, Error, Token

USUAL = {"youtube": "YouTube", "o'neill": "O'Neill", "ebay": "eBay", "nasa": "NASA", "tvs": "TVs"}
USUAL |= {"monday": "Monday"}
LEXICON_OF_USUAL = Lexicon([*USUAL, "zebra"])


def _decode(
    original: str, *words: str, case: int, noisy: bool = False, usual: bool = True
) -> list[Correction]:
    truecase = USUAL if usual else {}
    policy = replace(PLAIN, threshold=0.0, mode="noisy" if noisy else "light", truecase=truecase)
    topk = TopK(
        keep=np.zeros((1, 1), np.float32),
        positions=np.zeros(1, np.int64),
        ids=np.array([[LEXICON_OF_USUAL.words.index(word) for word in words]]),
        probabilities=np.array([[0.9**i for i, _ in enumerate(words, 1)]], np.float32),
        cases=np.array([case]),
    )
    return decode([window([Token(0, original)])], topk, LEXICON_OF_USUAL, policy)[0]


@pytest.mark.parametrize(
    ("original", "word", "case", "written"),
    [
        ("Youtub", "youtube", TITLE, "YouTube"),
        ("Youtub", "youtube", LOWER, "YouTube"),
        ("youtub", "youtube", LOWER, "youtube"),
        ("youtub", "youtube", TITLE, "YouTube"),
        ("youtub", "youtube", MIXED, "YouTube"),
        ("YOUTUB", "youtube", LOWER, "YOUTUBE"),
        ("O'Niel", "o'neill", TITLE, "O'Neill"),
        ("o'Niel", "o'neill", LOWER, "O'Neill"),
        ("O’Niel", "o'neill", TITLE, "O’Neill"),
        ("o'niel", "o'neill", LOWER, "o'neill"),
        ("O'NIEL", "o'neill", UPPER, "O'NEILL"),
        ("Ebayy", "ebay", TITLE, "eBay"),
        ("Nasaa", "nasa", TITLE, "NASA"),
        ("nasaa", "nasa", UPPER, "NASA"),
        ("nasaa", "nasa", LOWER, "nasa"),
        ("Tsv", "tvs", TITLE, "TVs"),
        ("Zebbra", "zebra", TITLE, "Zebra"),
        ("munday", "monday", TITLE, "monday"),  # there is no other word with a capital
        ("munday", "monday", LOWER, "monday"),
        ("Munday", "monday", LOWER, "Monday"),
        ("MUNDAY", "monday", LOWER, "MONDAY"),
    ],
)
def test_when_they_are_written(original: str, word: str, case: int, written: str) -> None:
    (found,) = _decode(original, word, case=case)
    assert found.suggestions[0].text == written


@pytest.mark.parametrize(
    ("original", "case", "written"),
    [
        ("ebayy", LOWER, "ebay"),
        ("ebayy", TITLE, "eBay"),
        ("ebayy", MIXED, "eBay"),
        ("ebayy", UPPER, "EBAY"),
        ("Ebayy", LOWER, "eBay"),
        ("Ebayy", UPPER, "EBAY"),
        ("EBAYY", TITLE, "eBay"),
        ("EBAYY", MIXED, "eBay"),
        ("EBAYY", UPPER, "EBAY"),
    ],
)
def test_when_the_model_chooses_the_case(original: str, case: int, written: str) -> None:
    (found,) = _decode(original, "ebay", case=case, noisy=True)
    assert found.suggestions[0].text == written


@pytest.mark.parametrize(
    ("before", "written"), [("We", "Zebra"), ("we", "zebra"), ("WE", "Zebra"), (".", "zebra")]
)
def test_names_have_capitals_where_others_have(before: str, written: str) -> None:
    bundle = replace(fake_bundle(), truecase={"zebra": "Zebra"})
    corrector = Corrector(bundle, Fake({"zebbra": (("zebra", 0.9),)}))
    assert corrector.correct_tokens([before, "zebbra"]) == [before, written]
    assert corrector.correct_tokens([before, "zebra"]) == [before, "zebra"]


@pytest.mark.parametrize("original", ["Youtube", "youtube", "YOUTUBE", "O'neill", "O’neill"])
@pytest.mark.parametrize("case", [LOWER, TITLE, UPPER, MIXED])
def test_a_word_is_not_corrected_for_its_capitals_alone(original: str, case: int) -> None:
    word = original.lower().replace("’", "'")
    assert _decode(original, word, "zebra", case=case) == []
    (found,) = _decode(original, "zebra", word, case=case)
    assert [s.text.lower() for s in found.suggestions] == ["zebra"]


def test_a_word_as_people_write_it_is_left_alone() -> None:
    assert _decode("O'Neill", "o'neill", case=TITLE, usual=False) != []
    assert _decode("O'Neill", "o'neill", case=TITLE) == []
    assert _decode("O’Neill", "o'neill", case=TITLE, noisy=True) == []


spellings = st.sampled_from(
    [*USUAL, *USUAL.values(), "zebra", "Youtub", "o'niel", "O’neill", "NASAA"]
)


@given(
    spellings.flatmap(lambda s: st.sampled_from([s, s.lower(), s.upper(), s.title()])),
    st.permutations([*USUAL, "zebra"]),
    st.sampled_from([LOWER, TITLE, UPPER, MIXED]),
    st.booleans(),
)
def test_they_never_cause_a_correction(
    original: str, words: list[str], case: int, noisy: bool
) -> None:
    found = _decode(original, *words, case=case, noisy=noisy)
    without = _decode(original, *words, case=case, noisy=noisy, usual=False)
    assert len(found) <= len(without)
    for one, other in zip(found, without, strict=False):
        assert one.score <= other.score
        said = {s.text.lower() for s in one.suggestions}
        assert said <= {w.replace("'", "’") if "’" in original else w for w in words}


@given(st.text(max_size=8), st.sampled_from([LOWER, TITLE, UPPER, MIXED]))
def test_only_capitals_are_chosen(original: str, case: int) -> None:
    for plain in ("ebay", "Ebay", "EBAY"):
        for uncased in (False, True):
            assert restore_truecase(original, plain, "eBay", shape=case, uncased=uncased) in (
                plain,
                "eBay",
            )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle without capitals, complete but for its model, which is no ONNX file."""
    (tmp_path / LEXICON).write_text("the\nyoutube\nnasa\n", encoding="utf-8")
    (tmp_path / MODEL).write_bytes(b"not a model")
    (tmp_path / CONFIG).write_text(hashed_config(tmp_path, threshold=0.5).to_json())
    return tmp_path


def _add(folder: Path, content: bytes) -> None:
    """Add capitals with the right hash."""
    (folder / TRUECASE).write_bytes(content)
    raw = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    raw["sha256"][TRUECASE] = digest(folder / TRUECASE)
    (folder / CONFIG).write_text(json.dumps(raw), encoding="utf-8")


def _complaint(folder: Path) -> str:
    with pytest.raises(Error) as caught:
        Bundle.read(folder)
    message = str(caught.value)
    assert message.isprintable()
    assert str(folder) in message
    return message


def test_a_bundle_may_hold_them_or_not(folder: Path) -> None:
    assert Bundle.read(folder).truecase == {}
    _add(folder, b"NASA\nYouTube\n")
    assert Bundle.read(folder).truecase == {"nasa": "NASA", "youtube": "YouTube"}
    _add(folder, b"")
    assert Bundle.read(folder).truecase == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"YouTube\nNASA\nYoutube\n", "truecase.txt:3: the word is listed twice"),
        (b"YouTube\nNASA\nNASA\n", "truecase.txt:3: the word is listed twice"),
        (b"YouTube\nGitHub\n", "truecase.txt:2: in lower case, the word is not in the lexicon"),
        (b"YouTube\nnasa\n", "truecase.txt:2: the word has no capitals"),
        (b"YouTube\n\nNASA\n", "truecase.txt:2: in lower case"),
        (b"YouTube \n", "truecase.txt:1: in lower case"),
        (b"You Tube\n", "truecase.txt:1: in lower case"),
        (b"YouTube\x1b[31m\n", "truecase.txt:1: in lower case"),
        (b"\xef\xbb\xbfYouTube\n", "truecase.txt:1: in lower case"),
        (b"YouTube\n\xff\n", "truecase.txt: not UTF-8 (byte 8)"),
    ],
)
def test_capitals_that_do_harm(content: bytes, message: str, folder: Path) -> None:
    _add(folder, content)
    assert message in _complaint(folder)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / TRUECASE
    path.write_bytes(content)
    try:
        found = read_truecase(path, LEXICON_OF_USUAL)
    except Error:
        return
    assert all(word.lower() == small for small, word in found.items())


def test_they_are_hashed_like_the_other_files(folder: Path) -> None:
    (folder / TRUECASE).write_text("NASA\n", encoding="utf-8")
    assert "truecase.txt: damaged" in _complaint(folder)  # there, but not in config.json
    _add(folder, b"NASA\n")
    (folder / TRUECASE).write_text("Nasa\n", encoding="utf-8")
    assert "truecase.txt: damaged" in _complaint(folder)
    (folder / TRUECASE).unlink()
    assert "truecase.txt is missing" in _complaint(folder)
    (folder / TRUECASE).symlink_to("/dev/zero")
    assert "truecase.txt is missing" in _complaint(folder)


def test_a_corrector_writes_what_its_bundle_holds() -> None:
    bundle = fake_bundle()
    usual = replace(bundle, truecase={"zebra": "zeBra"})
    fake = Fake({"zebbra": (("zebra", 0.9),)})
    text = "Zebbra zebbra ZEBBRA Zebra"
    assert Corrector(bundle, fake).correct(text) == "Zebra zebra ZEBRA Zebra"
    assert Corrector(usual, fake).correct(text) == "zeBra zebra ZEBRA Zebra"
    listed = Corrector(usual, fake, dictionary=["ZEbra"])
    assert listed.correct(text) == "ZEbra ZEbra ZEBRA Zebra"
    assert Corrector(usual, fake, dictionary=["zebra"]).correct("Zebbra") == "zeBra"


def test_the_shipped_bundle_has_some() -> None:
    truecase = Bundle.read(default_path()).truecase
    some = "YouTube O'Neill eBay iPhone JavaScript GitHub NASA BBC TVs JPMorgan".split()
    assert [truecase[word.lower()] for word in some] == some
    assert not {"will", "us", "it", "spa", "march"} & truecase.keys()
    for word in truecase.values():
        assert len(tokenize(word)) == 1


def test_the_shipped_model_writes_them() -> None:
    corrector = respell.load()
    text = "I watched it on {}."
    assert corrector.correct(text.format("Yotube")) == text.format("YouTube")
    clean = "Youtube, youtube and YouTube; O'neill and O'Neill; Nasa and NASA; Ebay and ebay."
    assert corrector.check(clean) == []


def test_a_listed_word_wins_over_the_lexicon() -> None:
    text = "we keep a record of every {} and {} in the garden."
    given = text.format("elefant", "elephant")
    assert respell.load().correct(given) == text.format("elephant", "elephant")
    assert respell.load(dictionary=["ElePhant"]).correct(given) == text.format(
        "ElePhant", "elephant"
    )


def test_names_of_the_shipped_lexicon_have_their_capital() -> None:
    given = "We met jhon on munday in Febuary, and Monday is not march."
    assert (
        respell.load().correct(given)
        == "We met John on Monday in February, and Monday is not march."
    )
