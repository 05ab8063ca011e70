from dataclasses import replace

import numpy as np
import pytest

from fakes import PLAIN, Fake, Ranking, fake_bundle, window
from respell.decision.decode import decode
from respell.decision.policy import NEGLIGIBLE, Policy
from respell.model.encode import Casing, Encoder
from respell.model.forward import TopK
from respell.model.lexicon import Lexicon
from respell.text.case import LOWER, MIXED, TITLE, UPPER, case_shape
from respell.text.tokenize import tokenize
from respell.types import Correction, Error, Suggestion, Token


def _decode(
    text: str,
    *ranking: tuple[str, float],
    threshold: float = 0.5,
    noisy: bool = False,
    max_suggestions: int = 5,
    dictionary: frozenset[str] = frozenset(),
    casing: Casing = "lower",
    case: int = LOWER,
    oov_threshold: float = 1.0,
    name_threshold: float = 0.0,
    min_probability: float = 0.0,
) -> list[Correction]:
    """What becomes of a text when the model ranks words like this for all its tokens."""
    policy = Policy(
        threshold=threshold,
        oov_threshold=oov_threshold,
        name_threshold=name_threshold,
        mode="noisy" if noisy else "light",
        max_suggestions=max_suggestions,
        dictionary=dictionary,
        casing=casing,
        min_probability=min_probability,
    )
    bundle = fake_bundle(casing=casing)
    tokens = tokenize(text) if casing == "lower" else [Token(0, text)]
    forward = Fake(otherwise=ranking, case=case)
    topk = forward(bundle.encoder.encode([tokens]), 0.0)
    return decode([window(tokens)], topk, bundle.lexicon, policy)[0]


def _written(text: str, word: str, *, noisy: bool = False, case: int = LOWER) -> str:
    found = _decode(text, (word, 0.9), noisy=noisy, case=case)
    return found[0].replacement if found else text


RANKED: Ranking = (("receive", 0.75), ("zebra", 0.125), ("apple", 0.0625))


def test_a_correction_says_where_what_and_how_sure() -> None:
    (found,) = _decode("recieve", *RANKED)
    assert (found.start, found.end, found.original, found.score) == (0, 7, "recieve", 0.75)
    ranked = [(s.text, s.probability) for s in found.suggestions]
    assert ranked == list(RANKED)


@pytest.mark.parametrize(
    ("text", "oov_threshold", "count"),
    [
        ("recieve", 0.75, 1),
        ("recieve", 0.7501, 0),
        ("recieve", 1.0, 0),
        ("Recieve", 0.1, 0),  # perhaps a name
        ("their", 0.1, 0),  # of the lexicon
    ],
)
def test_words_that_the_lexicon_lacks_may_need_less(
    text: str, oov_threshold: float, count: int
) -> None:
    assert len(_decode(text, *RANKED, threshold=0.8, oov_threshold=oov_threshold)) == count
    assert len(_decode(text, *RANKED, threshold=0.7, oov_threshold=oov_threshold)) == 1


@pytest.mark.parametrize(
    ("text", "name_threshold", "count"),
    [
        ("Recieve", 0.75, 1),
        ("Recieve", 0.7501, 0),
        ("reCieve", 0.7501, 0),
        ("recieve", 0.9, 1),  # no capital
        ("Their", 0.9, 1),  # of the lexicon
        ("Recieve", 0.1, 1),  # lower than the threshold
    ],
)
def test_words_that_may_be_names_may_need_more(
    text: str, name_threshold: float, count: int
) -> None:
    assert len(_decode(text, *RANKED, threshold=0.7, name_threshold=name_threshold)) == count


@pytest.mark.parametrize(("threshold", "count"), [(0.0, 1), (0.75, 1), (0.7501, 0), (1.0, 0)])
def test_threshold(threshold: float, count: int) -> None:
    assert len(_decode("recieve", *RANKED, threshold=threshold)) == count


@pytest.mark.parametrize(
    ("original", "case", "written"),
    [("THe", LOWER, "the"), ("THe", TITLE, "The"), ("THe", MIXED, "The")],
)
def test_a_word_whose_capitals_slipped_takes_the_case_it_should_have(
    original: str, case: int, written: str
) -> None:
    assert _written(original, "the", case=case) == written


CONTRACTED = Lexicon(
    "zebra can can't must mustn't cannot would would've wouldn't could couldn't have".split()
)


@pytest.mark.parametrize(
    ("original", "ranking", "said"),
    [
        ("cant", [("can", 0.6), ("can't", 0.2)], [("can't", 0.6), ("can", 0.2)]),
        (
            "Cant",
            [("can", 0.9), ("cannot", 0.05), ("can't", 0.02)],
            [("Can't", 0.9), ("Cannot", 0.05), ("Can", 0.02)],
        ),
        ("mustnt", [("must", 0.5), ("mustn't", 0.3)], [("mustn't", 0.5), ("must", 0.3)]),
        ("cantt", [("can", 0.6), ("can't", 0.2)], [("can", 0.6), ("can't", 0.2)]),
        ("cant", [("can", 0.6), ("zebra", 0.2)], [("zebra", 0.2)]),
        ("haven", [("have", 0.6), ("zebra", 0.2)], [("have", 0.6), ("zebra", 0.2)]),
        ("couldn", [("could", 0.6), ("couldn't", 0.2)], [("couldn't", 0.6), ("could", 0.2)]),
        ("wouldnt've", [("would've", 0.6), ("would", 0.2), ("zebra", 0.1)], [("zebra", 0.1)]),
        ("wouldn’t’ve", [("would've", 0.6), ("zebra", 0.1)], [("zebra", 0.1)]),
        ("can", [("could", 0.6), ("can't", 0.2)], [("could", 0.6), ("can't", 0.2)]),
        ("cant", [("zebra", 0.6), ("can't", 0.2)], [("zebra", 0.6), ("can't", 0.2)]),
    ],
)
def test_a_negation_without_its_apostrophe_remains_one(
    original: str, ranking: Ranking, said: Ranking
) -> None:
    tokens = tokenize(original)
    ids = np.array([[CONTRACTED.words.index(word) for word, _ in ranking]])
    topk = TopK(
        keep=np.zeros((1, 1), np.float32),
        positions=np.array([0]),
        ids=ids,
        probabilities=np.array([[p for _, p in ranking]], np.float32),
        cases=np.array([LOWER]),
    )
    ((found,),) = decode([window(tokens)], topk, CONTRACTED, replace(PLAIN, threshold=0.1))
    shown = [(s.text, round(s.probability, 6)) for s in found.suggestions]
    assert shown[: len(said)] == list(said)


def test_a_word_is_as_likely_wrong_as_its_best_suggestion_is_right() -> None:
    bundle = fake_bundle()
    tokens = tokenize("recieve")
    topk = Fake(otherwise=RANKED)(bundle.encoder.encode([tokens]), 0.0)
    certain = replace(topk, keep=np.ones_like(topk.keep))
    policy = replace(PLAIN, threshold=0.1)
    ((found,),) = decode([window(tokens)], certain, bundle.lexicon, policy)
    assert found.error_probability == found.score == 0.75


def test_negligible_suggestions_are_dropped_but_never_the_first() -> None:
    ranking: Ranking = (("receive", 0.004), ("zebra", 0.003))
    (found,) = _decode("recieve", *ranking, threshold=0.0, min_probability=NEGLIGIBLE)
    assert [s.text for s in found.suggestions] == ["receive"]
    ranking = (("receive", 0.9), ("zebra", 0.02), ("apple", 0.009))
    (found,) = _decode("recieve", *ranking, min_probability=NEGLIGIBLE)
    assert [s.text for s in found.suggestions] == ["receive", "zebra"]


@pytest.mark.parametrize(("text", "kind"), [("recieve", "nonword"), ("Their", "realword")])
def test_the_kind_tells_unknown_words_from_known_ones(text: str, kind: str) -> None:
    (found,) = _decode(text, ("zebra", 0.9))
    assert found.kind == kind


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_max_suggestions(most: int) -> None:
    (found,) = _decode("recieve", *RANKED, max_suggestions=most)
    assert [s.text for s in found.suggestions] == [word for word, _ in RANKED[:most]]


@pytest.mark.parametrize(
    ("original", "word", "written"),
    [
        ("recieve", "receive", "receive"),
        ("Recieve", "receive", "Receive"),
        ("RECIEVE", "receive", "RECEIVE"),
        ("im", "i'm", "I'm"),
        ("Im", "i'm", "I'm"),
        ("IMMMMM", "i'm", "I'M"),
        ("i", "i", "I"),
        ("dont’t", "don't", "don’t"),
        ("dont't", "don't", "don't"),
        ("strase", "straße", "straße"),
        ("Cafe", "café", "Café"),
    ],
)
def test_case_and_apostrophe_follow_the_original(original: str, word: str, written: str) -> None:
    assert _written(original, word) == written


@pytest.mark.parametrize(
    ("original", "case", "written"),
    [
        ("recieve", TITLE, "Receive"),
        ("recieve", UPPER, "RECEIVE"),
        ("Recieve", LOWER, "receive"),
        ("Recieve", TITLE, "Receive"),
        ("receive", TITLE, "Receive"),
        ("receive", LOWER, "receive"),
        ("Recieve", MIXED, "receive"),
    ],
)
def test_a_preset_may_let_the_model_choose_the_case(original: str, case: int, written: str) -> None:
    assert _written(original, "receive", noisy=True, case=case) == written


def test_the_case_head_is_not_asked_by_default() -> None:
    assert _written("Recieve", "receive", case=UPPER) == "Receive"


@pytest.mark.parametrize("casing", ["lower", "exact"])
def test_naming_the_word_itself_leaves_it_alone(casing: Casing) -> None:
    ranking: Ranking = (("receive", 0.5), ("zebra", 0.4))
    assert _decode("receive", *ranking, threshold=0.0, casing=casing) == []


def test_the_word_itself_is_no_suggestion() -> None:
    (found,) = _decode("receive", ("zebra", 0.6), ("receive", 0.3), ("apple", 0.1))
    assert [s.text for s in found.suggestions] == ["zebra", "apple"]


def test_a_single_letter_is_doubted_in_noisy_text_alone() -> None:
    assert _decode("i", ("its", 0.9)) == []
    (found,) = _decode("i", ("its", 0.9), noisy=True)
    assert found.suggestions[0].text == "its"
    assert _decode("i", ("its", 0.9), casing="exact")


@pytest.mark.parametrize("word", ["1990", "."])
def test_marks_and_numbers_are_not_suggested(word: str) -> None:
    (found,) = _decode("recieve", (word, 0.9), ("zebra", 0.6))
    assert [s.text for s in found.suggestions] == ["zebra"]
    assert found.score == pytest.approx(0.6)
    assert _decode("recieve", (word, 0.9)) == []


def test_exact_words_are_said_as_they_are() -> None:
    (found,) = _decode("Recieve", ("1990", 0.9), ("receive", 0.6), casing="exact")
    assert [s.text for s in found.suggestions] == ["1990", "receive"]


@pytest.mark.parametrize("text", ["recieve", "Recieve", "RECIEVE"])
def test_dictionary_words_are_right_in_any_case(text: str) -> None:
    assert _decode(text, *RANKED, dictionary=frozenset(["recieve"])) == []


def test_only_words_are_corrected_and_in_order() -> None:
    found = _decode("wrd, NASA wrd 3rd https://x.y/wrd wrd!", ("zebra", 0.9))
    assert [c.start for c in found] == [0, 10, 34]


def test_padding_is_not_judged() -> None:
    encoder = Encoder(fake_bundle().lexicon, "abc")
    sentences = [tokenize("one two three"), tokenize("four")]
    topk = Fake(otherwise=(("zebra", 0.9),))(encoder.encode(sentences), 0.0)
    topk.positions[:] = [0, 3, 4, 5]  # the last two are the padding of the second sentence
    found = decode(list(map(window, sentences)), topk, fake_bundle().lexicon, PLAIN)
    assert [[c.original for c in corrections] for corrections in found] == [["one"], ["four"]]


NEW = {"kubernetes": "Kubernetes", "github": "GitHub", "frobnicate": "frobnicate"}


@pytest.mark.parametrize(
    ("original", "word", "written"),
    [
        ("kubernets", "kubernetes", "Kubernetes"),
        ("Kubernets", "kubernetes", "Kubernetes"),
        ("KUBERNETS", "kubernetes", "KUBERNETES"),
        ("githb", "github", "GitHub"),
        ("frobnicat", "frobnicate", "frobnicate"),
        ("Frobnicat", "frobnicate", "Frobnicate"),
    ],
)
@pytest.mark.parametrize("noisy", [False, True])
def test_new_words_keep_the_capitals_they_are_listed_with(
    original: str, word: str, written: str, noisy: bool
) -> None:
    policy = replace(
        PLAIN, mode="noisy" if noisy else "light", dictionary=frozenset(NEW), user_words=NEW
    )
    lexicon = fake_bundle().lexicon
    topk = TopK(
        keep=np.zeros((1, 1), np.float32),
        positions=np.zeros(1, np.int64),
        ids=np.array([[len(lexicon) + list(NEW).index(word), 0]]),
        probabilities=np.array([[0.75, 0.125]], np.float32),
        cases=np.array([case_shape(original)]),
    )
    ((found,),) = decode([window([Token(0, original)])], topk, lexicon, policy)
    assert found.suggestions[0] == Suggestion(written, 0.75)
    with pytest.raises(Error, match="outside its lexicon"):
        decode([window([Token(0, original)])], topk, lexicon, replace(policy, user_words={}))


@pytest.mark.parametrize(("threshold", "count"), [(0.8, 1), (0.97, 1), (0.98, 0)])
def test_a_preset_may_list_words_by_their_error_probability(threshold: float, count: int) -> None:
    topk = TopK(
        keep=np.array([[0.025]], np.float32),
        positions=np.array([0]),
        ids=np.array([[0, 1]]),
        probabilities=np.array([[0.5, 0.45]], np.float32),
        cases=np.zeros(1, np.int64),
    )
    lexicon = Lexicon(("receive", "received"))
    policy = replace(PLAIN, threshold=threshold, fix_threshold=0.6)
    tokens = [Token(0, "recieve")]
    assert decode([window(tokens)], topk, lexicon, policy) == [[]]
    policy = replace(policy, threshold_on="error_probability")
    (found,) = decode([window(tokens)], topk, lexicon, policy)
    assert len(found) == count
    assert not any(correction.automatic for correction in found)
