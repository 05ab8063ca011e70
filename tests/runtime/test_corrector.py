"""What a corrector promises, whatever the model says."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import respell
from fakes import ALWAYS, NEVER, Fake, Ranking, eager, fake_bundle, place, show_places
from respell.corrector import LOOK_AHEAD_WORDS, Corrector
from respell.model.forward import Features, TopK
from respell.model.presets import Preset
from respell.text.windows import BATCH_WORDS
from respell.types import Error

THE: Ranking = (("the", 0.75), ("their", 0.125))
ANSWERS = {"teh": THE, "recieve": (("receive", 0.9),), "dont": (("don't", 0.9),)}
PIECES = st.sampled_from(
    ["teh", "Recieve", "ok", "NASA", "3rd", ",", ". ", "\r\n", " ", "\n\n", "x_y"]
)
TEXTS = st.lists(PIECES).map("".join)


def _corrector(fake: Fake | None = None, *, length: int = 64) -> tuple[Corrector, Fake]:
    fake = fake or Fake(ANSWERS)
    return Corrector(fake_bundle(length=length), fake), fake


@pytest.mark.parametrize(
    "text",
    [
        "{}\r\n{}\r\n\r\n{}",
        "\t{}\t\t{}\v{}\f",
        "{}\u00a0{}\u2003{}\u3000",
        "🙂 {} 👩‍👩‍👧‍👦{} 🇩🇪\u200d{}",
        "e\u0301 {} \u0301 {} o\u0308\u0301 {}",
        "\ufeff{} {}\ufeff {}",
        "{}\u2028{}\u2029{}\x85",
        "\x00{}\x00 {} \x1b{}",
        "«{}» „{}“ ‘{}’",
        "  {}   {}  {}   ",
        "…{}—{}–{}!?",
    ],
)
def test_what_stands_between_words_is_kept(text: str) -> None:
    corrector, _ = _corrector()
    assert corrector.correct(text.format("teh", "Teh", "TEHTEH")) == text.format(
        "the", "The", "TEHTEH"
    )
    words = text.format("teh", "Teh", "teh").split(" ")
    assert corrector.correct_tokens(words) == text.format("the", "The", "the").split(" ")


def test_offsets_count_code_points() -> None:
    (found,) = _corrector()[0].check("🙂🙂 e\u0301 teh")
    assert (found.start, found.end, found.original) == (6, 9, "teh")


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("recieve", "receive"),
        ("Recieve", "Receive"),
        ("RECIEVE IT", "RECEIVE IT"),
        ("DONT", "DONT"),
    ],
)
def test_case_is_kept(text: str, corrected: str) -> None:
    assert _corrector()[0].correct(text) == corrected


@pytest.mark.parametrize(
    ("tokens", "corrected"),
    [
        ([], []),
        ([""], [""]),
        (["", "teh", "", "teh", ""], ["", "the", "", "the", ""]),
        (["(teh,", '"Teh"', "teh..."], ["(the,", '"The"', "the..."]),
        (["teh teh", "a\nteh\n", " teh "], ["the the", "a\nthe\n", " the "]),
        (["dont", "didn't", "teh-teh", "teh's"], ["don't", "didn't", "the-the", "the's"]),
        (["x", ",", "teh", "."], ["x", ",", "the", "."]),
        (["`teh", "teh`"], ["`the", "the`"]),
    ],
)
def test_tokens_of_the_caller(tokens: list[str], corrected: list[str]) -> None:
    assert _corrector()[0].correct_tokens(tokens) == corrected


@pytest.mark.parametrize(
    ("tokens", "corrected"),
    [
        (["Bob's", "Bob’s", "it's"], ["Zebra's", "Zebra’s", "zebra"]),
        (["who's", "let’s", "didn't"], ["zebra", "zebra", "zebra"]),
        (["well-knwn", "2nd-gen"], ["zebra-zebra", "2nd-zebra"]),
        (["Bob", "'s", "ca", "n't", "didn", "'t"], ["Zebra", "'s", "ca", "n't", "zebra", "'t"]),
    ],
)
def test_clitics_and_compounds(tokens: list[str], corrected: list[str]) -> None:
    assert eager().correct_tokens(tokens) == corrected


@given(st.lists(st.text() | PIECES | TEXTS))
def test_as_many_tokens_come_back(tokens: list[str]) -> None:
    corrected = eager().correct_tokens(tokens)
    assert len(corrected) == len(tokens)
    assert [c for c, t in zip(corrected, tokens, strict=True) if not t.strip()] == [
        t for t in tokens if not t.strip()
    ]


def test_check_tokens_counts_in_the_joined_text() -> None:
    corrector, _ = _corrector()
    (found,) = corrector.check_tokens_many([["a", "", "(teh,", "b"]])
    assert [(c.start, c.original) for c in found] == [(4, "teh")]


def _names(count: int) -> list[str]:
    letters = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
    return ["x" + "".join(letters[int(digit)] for digit in f"{i:04}") for i in range(count)]


def _assert_windowed(count: int, length: int) -> None:
    """Every word is judged once, with an eighth of the window around it where there are words."""
    corrector = Corrector(fake_bundle(length=length), show_places, threshold=0.0)
    words = _names(count)
    found = corrector.check(" ".join(words))
    assert [c.original for c in found] == words
    margin = length // 8
    for i, correction in enumerate(found):
        before, window = place(correction.score)
        assert window <= length
        assert before >= min(i, margin)
        assert window - 1 - before >= min(count - 1 - i, margin)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 64, 127, 1000])
def test_a_sentence_of_a_thousand_words_is_judged_in_windows(length: int) -> None:
    _assert_windowed(1000, length)


@given(count=st.integers(1, 200), length=st.integers(1, 40))
def test_windows_cover_a_sentence_of_any_length(count: int, length: int) -> None:
    _assert_windowed(count, length)


def test_a_sentence_that_fits_is_read_whole_and_alone() -> None:
    corrector, fake = _corrector(length=8)
    corrector.check("One two three. Four five?\n\nsix seven eight nine ten eleven twelve x")
    assert sorted(fake.seen, key=len) == [
        "four five ?".split(),
        "one two three .".split(),
        "six seven eight nine ten eleven twelve x".split(),
    ]


def _in_carrier_sentence(word: str) -> list[str]:
    return ["the", "word", "?", word, "?", "."]  # the fake cannot read quotation marks


@pytest.mark.parametrize("text", ["teh", "Teh", "teh.", "(Teh)", "- teh!", "\n“teh” …", "TEHTEH"])
def test_a_word_that_stands_alone_is_read_in_a_carrier_sentence(text: str) -> None:
    corrector, fake = _corrector()
    corrector.check(text)
    corrector.check(f"One two.\n\n{text}\n\nThree four.")
    corrector.correct_tokens([text])
    (word,) = "".join(c if c.isalpha() else " " for c in text).lower().split()
    assert fake.seen.count(_in_carrier_sentence(word)) == 3


@pytest.mark.parametrize("text", ["teh cat", "3 teh", "teh's", "x_y teh", "NASA teh", "teh-teh"])
def test_where_there_is_any_context_there_is_no_carrier_sentence(text: str) -> None:
    corrector, fake = _corrector()
    corrector.check(text)
    assert "word" not in fake.seen[0]


def test_the_carrier_sentence_is_never_corrected() -> None:
    for preset in ("default", "noisy"):
        corrector = Corrector(fake_bundle(), Fake(otherwise=ALWAYS), preset=preset)
        corrector.policy = replace(corrector.policy, rewrite_threshold=0.7)
        assert corrector.correct_tokens(["teh", "!"]) == ["zebra", "!"]
        (found,) = corrector.check("  (teh)")
        assert (found.start, found.original) == (3, "teh")


def test_what_is_explained_of_a_lone_word_is_read_in_the_carrier_sentence_too() -> None:
    corrector, fake = _corrector()
    assert corrector.explain("Ok then. Teh!", 9).candidates[0].text == "The"
    assert fake.seen == [_in_carrier_sentence("teh")]


def test_the_capital_of_a_lone_word_is_not_seen_and_not_lost() -> None:
    shapes: list[list[int]] = []

    class Spy(Fake):
        def __call__(self, features: Features, gate: float) -> TopK:
            shapes.extend(features.shapes.tolist())
            return super().__call__(features, gate)

    for preset in ("default", "noisy"):
        for case in (0, 1, 2):
            corrector = Corrector(fake_bundle(), Spy(ANSWERS, case=case), preset=preset)
            assert corrector.correct("Teh.") == "The."
            assert shapes.pop() == [0, 0, 0, 0, 0, 0]
            assert corrector.correct("teh") == "the"
    assert corrector.check("Teh cat")
    assert shapes.pop() == [1, 0]


def test_the_paper_s_models_and_narrow_windows_have_no_carrier_sentence() -> None:
    fake = Fake()
    Corrector(fake_bundle(casing="exact"), fake).correct_tokens(["teh"])
    Corrector(fake_bundle(length=5), fake).check("teh")
    Corrector(fake_bundle(length=6), fake).check("teh")
    assert fake.seen == [["teh"], ["teh"], _in_carrier_sentence("teh")]


def test_a_lone_word_among_many_marks_is_judged_once() -> None:
    corrector, _ = _corrector(length=16)
    for before in range(0, 60, 3):
        text = "? ! " * before + "teh" + " ? !" * 20
        assert [c.start for c in corrector.check(text)] == [4 * before]


def test_the_shipped_model_reads_lone_words() -> None:
    corrector = respell.load()
    wrong = "teh Teh recieve seperate definately. (untill) tommorow - adress".split()
    assert [corrector.correct(word) for word in wrong] == (
        "the The receive separate definitely. (until) tomorrow - address".split()
    )
    right = "the are. of! be: (know) Their know? Our wich".split()  # "wich" may be any of many
    assert [corrector.correct(word) for word in right] == right
    assert [corrector.correct_tokens([word]) for word in right] == [[word] for word in right]


def test_the_shipped_model_lists_no_unlikely_suggestions() -> None:
    (found,) = respell.load().check("We are going home tommorow.")
    assert [suggestion.text for suggestion in found.suggestions] == ["tomorrow"]


def test_batches_are_bounded() -> None:
    sizes: list[int] = []

    class Spy(Fake):
        def __call__(self, features: Features, gate: float) -> TopK:
            sizes.append(features.words.size)
            return super().__call__(features, gate)

    corrector = Corrector(fake_bundle(), Spy(ANSWERS))
    # Long and short ones by turns: only if sorted do they fill batches without padding.
    text = f"{'One teh two. ' * 5}{'Six ' * 40}teh. " * 100
    assert len(corrector.check(text)) == 600
    assert max(sizes) <= BATCH_WORDS
    assert sum(sizes) <= 100 * (5 * 4 + 42) + BATCH_WORDS


@given(st.lists(TEXTS, max_size=6), st.sampled_from((4, 64)))
def test_many_texts_are_checked_as_one_by_one(texts: list[str], length: int) -> None:
    corrector, _ = _corrector(length=length)
    assert list(corrector.check_many(texts)) == [corrector.check(text) for text in texts]
    tokens = [text.split(" ") for text in texts]
    one_by_one = [corrector.correct_tokens(words) for words in tokens]
    assert list(corrector.correct_tokens_many(tokens)) == one_by_one


@pytest.mark.parametrize("text", ["a teh b.", "", "123", "teh " * 50])
def test_many_texts_are_read_lazily(text: str) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        for each in repeat(text):
            taken += 1
            assert taken <= LOOK_AHEAD_WORDS
            yield each

    corrector, _ = _corrector()
    results = corrector.check_many(endless())
    assert taken == 0
    assert next(results) == corrector.check(text)
    assert all(found == corrector.check(text) for found in islice(results, 100))


def test_look_ahead_keeps_the_order() -> None:
    texts = [f"{'x ' * (i % 7)}teh" for i in range(LOOK_AHEAD_WORDS // 2)]
    starts = [found[0].start for found in _corrector()[0].check_many(texts)]
    assert starts == [len(text) - 3 for text in texts]


def test_no_texts_no_answers() -> None:
    assert list(_corrector()[0].check_many([])) == []
    assert list(_corrector()[0].correct_tokens_many([])) == []


@pytest.mark.parametrize(
    "text", ["", " \r\n\t", "... !", "3rd 10:30", "NASA https://x.y x_y", "foo Foo"]
)
def test_the_model_is_not_asked_where_nothing_is_in_question(text: str) -> None:
    fake = Fake(otherwise=ALWAYS)
    corrector = Corrector(fake_bundle(), fake, dictionary=["foo"])
    assert corrector.check(text) == []
    assert corrector.correct(text) == text
    assert corrector.correct_tokens([text]) == [text]
    assert fake.seen == []


def test_dictionary_words_are_left_alone_in_any_case() -> None:
    corrector = Corrector(fake_bundle(), Fake(otherwise=ALWAYS), dictionary=["Kubrnetes", "o’clok"])
    text = "kubrnetes Kubrnetes KUBRNETES Kubrnetes' o'clok O’clok"
    assert corrector.correct(f"{text} teh") == f"{text} zebra"


def test_the_parts_of_dictionary_words_are_known() -> None:
    known = ["wel-knwon", "Nile’s", "New Yrok"]
    corrector = Corrector(fake_bundle(), Fake(otherwise=ALWAYS), dictionary=known)
    text = "wel-knwon knwon Nile's Nile NEW YROK"
    assert corrector.correct(f"{text} teh") == f"{text} zebra"


@pytest.mark.parametrize(("threshold", "corrected"), [(0.0, "the"), (0.75, "the"), (0.76, "teh")])
def test_threshold(threshold: float, corrected: str) -> None:
    fake = Fake(ANSWERS)
    assert Corrector(fake_bundle(), fake, threshold=threshold).correct("teh") == corrected
    assert fake.gates[0] <= threshold


def test_a_threshold_of_ones_own_holds_for_words_the_lexicon_lacks_too() -> None:
    low_oov = Preset(threshold=0.8, oov_threshold=0.7)
    plain = fake_bundle()
    bundle = replace(plain, config=replace(plain.config, presets={"default": low_oov}))
    fake = Fake({**ANSWERS, "their": (("the", 0.75),)})  # "teh" scores as much
    assert Corrector(bundle, fake).correct("teh Teh their") == "the Teh their"
    assert fake.gates[0] <= 0.7
    assert Corrector(bundle, fake, threshold=0.78).correct("teh teh") == "teh teh"
    assert Corrector(bundle, fake).correct("teh") == "teh"  # alone, it is in no corrupted text


@pytest.mark.parametrize(("most", "texts"), [(1, ["the"]), (2, ["the", "their"])])
def test_max_suggestions(most: int, texts: list[str]) -> None:
    (found,) = Corrector(fake_bundle(), Fake(ANSWERS), max_suggestions=most).check("teh")
    assert [s.text for s in found.suggestions] == texts


def test_presets() -> None:
    fake = Fake({"teh": (("the", 0.3),)}, case=1)
    assert Corrector(fake_bundle(), fake).correct("teh it") == "teh it"
    assert Corrector(fake_bundle(), fake, preset="noisy").correct("teh it") == "The it"
    strict = Corrector(fake_bundle(), fake, preset="noisy", threshold=0.4)
    assert strict.correct("teh it") == "teh it"


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(Error, match="no preset 'loud'"):
        Corrector(fake_bundle(), Fake(), preset="loud")


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf"), "0.9", True])
def test_a_threshold_is_a_probability(threshold: Any) -> None:
    with pytest.raises(Error, match="threshold must be a number between 0 and 1"):
        Corrector(fake_bundle(), Fake(), threshold=threshold)


@pytest.mark.parametrize("dictionary", ["Kubernetes", None, 3, [1], [0], [None], [b"word"]])
def test_a_dictionary_is_words(dictionary: Any) -> None:
    with pytest.raises(Error, match="dictionary must be a list of words"):
        Corrector(fake_bundle(), Fake(), dictionary=dictionary)


def test_shorthand_is_right_but_in_heavily_corrupted_text() -> None:
    fake = Fake({"tbh": (("the", 0.9),), "teh": (("the", 0.9),)})
    assert Corrector(fake_bundle(), fake).correct("Tbh teh end") == "Tbh the end"
    assert Corrector(fake_bundle(), fake, preset="noisy").correct("tbh") == "the"
    assert "tbh" not in Corrector(fake_bundle(casing="exact"), fake).policy.dictionary


@pytest.mark.parametrize("word", "omw Ur aight thur Fri JAN sept wk oof".split())
def test_words_of_chats_and_calendars_are_right(word: str) -> None:
    assert eager().correct(f"{word} teh") == f"{word} zebra"


@pytest.mark.parametrize("word", "sooo Nooooo yessss heyyy whaaat hmmm grrr zzz".split())
def test_words_may_be_drawn_out(word: str) -> None:
    fake = Fake({word.lower(): ALWAYS, "teh": ALWAYS})
    assert Corrector(fake_bundle(), fake).correct(f"{word} teh") == f"{word} zebra"
    assert Corrector(fake_bundle(), fake, preset="noisy").correct(word).lower() == "zebra"
    assert Corrector(fake_bundle(), fake).explain(word, 0).candidates[0].text.lower() == "zebra"


@pytest.mark.parametrize("word", "tue thu wed mar willl stilll too illnesss commmittee".split())
def test_slips_of_the_fingers_are_none_of_these(word: str) -> None:
    assert eager().correct(word) == "zebra"


@pytest.mark.parametrize(
    "word",
    "I'd've you'd've he'll've it'd that'd've that'll this'll there're who're what're who've how'd "
    "you\u2019d\u2019ve wouldn't've THERE'LL".split(),
)
def test_regular_contractions_are_right(word: str) -> None:
    assert eager().correct(f"{word} teh") == f"{word} zebra"


@pytest.mark.parametrize("word", ["we're", "he'd", "it're", "he've", "i're", "thered", "who'dve"])
def test_other_contractions_are_for_the_model_to_judge(word: str) -> None:
    assert eager().correct(word).lower() == "zebra"


def test_a_string_is_no_list_of_words() -> None:
    corrector, _ = _corrector()
    with pytest.raises(Error, match="not one string"):
        corrector.correct_tokens("teh end")
    with pytest.raises(Error, match="not one string"):
        list(corrector.check_tokens_many("teh end"))
    with pytest.raises(Error, match="several texts"):
        corrector.check_many("teh end")


def test_tokens_may_come_one_by_one() -> None:
    corrector = Corrector(fake_bundle(), Fake({"teh": (("the", 0.9),)}))
    once: Any = (token for token in ("teh", "zebra"))
    assert corrector.correct_tokens(once) == ["the", "zebra"]


@pytest.mark.parametrize("most", [0, -1, "a", "1", 1.5, True, None])
def test_there_is_at_least_one_suggestion(most: Any) -> None:
    with pytest.raises(Error, match="max_suggestions must be a whole number of at least 1"):
        Corrector(fake_bundle(), Fake(), max_suggestions=most)
    with pytest.raises(Error, match="max_candidates must be a whole number of at least 1"):
        Corrector(fake_bundle(), Fake()).explain("teh", 0, max_candidates=most)


@given(st.text())
def test_a_content_model_changes_nothing(text: str) -> None:
    corrector = Corrector(fake_bundle(), Fake(otherwise=NEVER))
    assert corrector.correct(text) == text


def test_a_model_of_exact_words_takes_tokens_whole() -> None:
    fake = Fake({"a-b.": (("the", 0.9),)}, otherwise=NEVER)
    corrector = Corrector(fake_bundle(casing="exact"), fake)
    assert corrector.correct_tokens(["x", "", "teh", "a-b.", "A"]) == ["x", "", "teh", "the", "A"]
    assert fake.seen == [["x", "teh", "a-b.", "?"]]


def test_explain_tells_what_else_a_word_may_be() -> None:
    corrector, fake = _corrector()
    seen = corrector.explain("It's ok. Give me Teh cat", 18)
    assert (seen.start, seen.original) == (17, "Teh")
    assert [(c.text, c.probability) for c in seen.candidates] == [("The", 0.75), ("Their", 0.125)]
    assert fake.gates == [0.0]
    assert fake.seen == [["give", "me", "teh", "cat"]]
    assert corrector.explain("ok", 0).candidates == ()
    assert len(corrector.explain("teh", 2, max_candidates=1).candidates) == 1


def test_what_is_explained_makes_one_distribution() -> None:
    corrector = respell.load()
    for text in ("I recieve it.", "Their going home.", "The zorblat is new."):
        explained = corrector.explain(text, 4)
        assert explained.keep + sum(c.probability for c in explained.candidates) <= 1.001


def test_explain_knows_no_threshold_and_no_dictionary() -> None:
    corrector = Corrector(fake_bundle(), Fake(ANSWERS), threshold=1, dictionary=["teh"])
    assert corrector.check("teh") == []
    assert corrector.explain("teh", 0).candidates[0].text == "the"
    assert corrector.check("teh") == []


def test_explain_counts_the_word_itself_as_kept() -> None:
    corrector, _ = _corrector(Fake({"the": (("the", 0.75), ("their", 0.125))}))
    seen = corrector.explain("the", 0)
    assert seen.keep == 0.125 + 0.75
    assert [c.text for c in seen.candidates] == ["their"]
    corrector, _ = _corrector(Fake({"the": (("the", 0.75),)}))
    assert corrector.explain("the", 0).candidates == ()


@pytest.mark.parametrize("start", [-1, 3, 4, 9, 12, 99])
def test_explain_needs_a_word(start: int) -> None:
    with pytest.raises(Error, match=f"no word at {start}"):
        _corrector()[0].explain("teh 3rd x_y ", start)


def test_explain_needs_room_for_a_candidate() -> None:
    with pytest.raises(Error, match="max_candidates"):
        _corrector()[0].explain("teh", 0, max_candidates=0)


def test_windows_can_be_checked_apart() -> None:
    corrector = Corrector(fake_bundle(length=16), show_places)
    texts = ["a b. C d.", "w " * 100]
    windows = [w for i, text in enumerate(texts) for w in corrector.split(text, owner=i)]
    apart = [corrector.check_windows([window], 2) for window in windows]
    together = [[c for found in apart for c in found[i]] for i in range(2)]
    assert together == list(corrector.check_many(texts))
    words = ["teh", "", "cat"]
    alone = corrector.check_windows(corrector.split_tokens(words), 1)
    assert alone == list(corrector.check_tokens_many([words]))


def test_corrected_text_has_only_automatic_corrections() -> None:
    presets = {"default": Preset(threshold=0.5, fix_threshold=0.8, write_threshold=0.95)}
    plain = fake_bundle()
    bundle = replace(plain, config=replace(plain.config, presets=presets))
    answers = {"teh": (("the", 0.9),), "zbra": (("zebra", 0.7),), "aple": (("apple", 0.99),)}
    text, tokens = "teh zbra aple", ["teh", "zbra", "aple"]
    corrector = Corrector(bundle, Fake(answers))
    assert [c.automatic for c in corrector.check(text)] == [True, False, True]
    assert corrector.correct(text) == "the zbra apple"
    assert list(corrector.correct_many([text])) == ["the zbra apple"]
    assert corrector.correct_tokens(tokens) == ["the", "zbra", "apple"]
    strict = Corrector(bundle, Fake(answers), strict_fixes=True)
    assert strict.correct(text) == "teh zbra apple"
    assert len(strict.check(text)) == 3
    own = Corrector(bundle, Fake(answers), strict_fixes=True, fix_threshold=0.6)
    assert own.correct(text) == "the zebra apple"
