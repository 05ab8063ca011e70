"""What needs no socket: UTF-16 offsets, LanguageTool's form and answer, the counters."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.cli.main import main
from respell.server import languagetool
from respell.server.languagetool import NON_WORD, REAL_WORD
from respell.server.metrics import Histogram, Metrics
from respell.server.offsets import Utf16
from respell.types import Correction, Error, Suggestion

TEXTS = st.text(st.sampled_from("a😀é𝒳\n \ud800\udc00"))


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(TEXTS)
def test_offsets_count_as_utf16_does(text: str) -> None:
    utf16 = Utf16(text)
    for offset in range(len(text) + 1):
        assert utf16.units(offset) == units(text[:offset])
        assert utf16.offset(utf16.units(offset)) == offset


def test_the_second_half_of_a_pair_counts_as_the_first() -> None:
    assert [Utf16("a😀b").offset(i) for i in range(5)] == [0, 1, 1, 2, 3]


def ask(**form: str) -> languagetool.Check:
    return languagetool.parse({"language": "en-US", **form})


def annotated(*parts: dict[str, str]) -> languagetool.Check:
    return ask(data=json.dumps({"annotation": list(parts)}))


def answer(check: languagetool.Check, *words: str) -> dict[str, Any]:
    """The answer where each of these words is wrong, once; those in capitals are real words."""
    corrections = [
        Correction(check.plain.index(word), word, (Suggestion("right", 0.9),), 0.9)
        for word in words
    ]
    value: dict[str, Any] = json.loads(languagetool.answer(check, corrections, str.isupper))
    return value


def cut(text: str, match: dict[str, Any]) -> str:
    """The slice a client that counts UTF-16 units would replace."""
    data = text.encode("utf-16-le")
    start, end = match["offset"], match["offset"] + match["length"]
    return data[2 * start : 2 * end].decode("utf-16-le")


def test_a_match_says_where_and_what() -> None:
    text = "All is well.  😀 He saw teh\ncat. " + "Xy " * 50
    found = answer(ask(text=text), "teh")
    (match,) = found["matches"]
    assert cut(text, match) == "teh"
    assert match["replacements"] == [{"value": "right"}]
    assert match["sentence"] == "😀 He saw teh\ncat."
    assert match["rule"]["id"] == NON_WORD
    assert match["rule"]["category"] == {"id": "TYPOS", "name": "Possible Typo"}
    context = match["context"]
    assert cut(context["text"], context) == "teh"
    assert "\n" not in context["text"]
    assert context["text"].endswith("...")
    assert found["sentenceRanges"][:2] == [[0, 12], [14, units(text[: text.index("Xy ")]) - 1]]
    assert found["language"]["detectedLanguage"]["code"] == "en-US"


def test_offsets_count_the_markup() -> None:
    check = annotated(
        {"markup": "<p>😀"},
        {"text": "I saw 😀 "},
        {"markup": "<b>"},
        {"text": "teh"},
        {"markup": "</b>"},
        {"text": " cat, wr"},
        {"markup": "<i>"},
        {"text": "ng"},
        {"markup": "<br/>", "interpretAs": "\n\n"},
        {"text": "Anothr."},
    )
    assert check.plain == "I saw 😀 teh cat, wrng\n\nAnothr."
    matches = answer(check, "teh", "wrng", "Anothr")["matches"]
    assert [cut(check.original, match) for match in matches] == ["teh", "wr<i>ng", "Anothr"]


def test_what_markup_is_read_as_is_not_reported() -> None:
    check = annotated(
        {"text": "See "}, {"markup": "\\ref{x}", "interpretAs": "dumy"}, {"text": "!"}
    )
    found = answer(check, "dumy")
    assert found["matches"] == []
    assert found["sentenceRanges"] == [[0, 12]]


@given(st.lists(st.tuples(st.booleans(), TEXTS, st.sampled_from(["", "\n", "word"]))))
def test_places_in_text_are_slices_of_the_original(parts: list[tuple[bool, str, str]]) -> None:
    check = annotated(
        *(
            {"markup": t, "interpretAs": read} if markup else {"text": t}
            for markup, t, read in parts
        )
    )
    for i in range(len(check.plain)):
        first, last = check.place(i, i + 1)
        assert 0 <= first <= last <= len(check.original)
        if not check.within(i, i + 1)[0].markup:
            assert check.original[first:last] == check.plain[i]


def test_real_words_are_another_rule() -> None:
    check = ask(text="teh THERE")
    assert [m["rule"]["id"] for m in answer(check, "teh", "THERE")["matches"]] == [
        NON_WORD,
        REAL_WORD,
    ]


@pytest.mark.parametrize(
    ("form", "left"),
    [
        ({"disabledRules": f"X,{REAL_WORD}"}, {NON_WORD}),
        ({"enabledRules": REAL_WORD}, {NON_WORD, REAL_WORD}),
        ({"enabledRules": REAL_WORD, "enabledOnly": "true"}, {REAL_WORD}),
        ({"enabledRules": "EN_A_VS_AN", "enabledOnly": "true"}, set()),
        ({"enabledCategories": "TYPOS", "enabledOnly": "true"}, {NON_WORD, REAL_WORD}),
        ({"disabledCategories": "STYLE, TYPOS"}, set()),
        (
            {"disabledCategories": "STYLE", "motherTongue": "de", "level": "picky"},
            {NON_WORD, REAL_WORD},
        ),
    ],
)
def test_rules_can_be_switched(form: dict[str, str], left: set[str]) -> None:
    found = answer(ask(text="teh THERE", **form), "teh", "THERE")["matches"]
    assert {match["rule"]["id"] for match in found} == left


@pytest.mark.parametrize("code", ["en", "en-US", "en-GB", "EN_us", "auto"])
def test_english_is_known(code: str) -> None:
    assert languagetool.parse({"language": code, "text": "x"}).language.startswith("en")


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"text": "x"}, "Missing 'language'"),
        ({"language": "de-DE", "text": "x"}, "'de-DE' is not a language code"),
        ({"language": "en"}, "either the 'text' or the 'data'"),
        ({"language": "en", "text": "x", "data": "{}"}, "either the 'text' or the 'data'"),
        ({"language": "en", "data": "{"}, "not valid JSON"),
        ({"language": "en", "data": "[" * 100_000}, "not valid JSON"),
        ({"language": "en", "data": "[]"}, "must be an object"),
        ({"language": "en", "data": "{}"}, "must be a list"),
        ({"language": "en", "data": '{"annotation": [1]}'}, "either 'text' or 'markup'"),
        ({"language": "en", "data": '{"annotation": [{"text": 1}]}'}, "either 'text' or 'markup'"),
        ({"language": "en", "data": '{"annotation": [{}]}'}, "either 'text' or 'markup'"),
    ],
)
def test_a_wrong_form_is_refused(form: dict[str, str], reason: str) -> None:
    with pytest.raises(Error, match=reason):
        languagetool.parse(form)


def test_data_may_hold_plain_text() -> None:
    assert ask(data='{"text": "teh"}').plain == "teh"


def test_a_text_without_full_stops_does_not_come_back_for_every_match() -> None:
    text = "teh " * 2000
    corrections = [
        Correction(i, "teh", (Suggestion("the", 0.9),), 0.9) for i in range(0, len(text), 4)
    ]
    assert len(languagetool.answer(ask(text=text), corrections, str.isupper)) < 4_000_000


def test_histograms_are_cumulative() -> None:
    histogram = Histogram((1, 2))
    for value in (0.5, 1, 1.5, 99):
        histogram.add(value)
    assert list(histogram.lines("h", 'a="b"')) == [
        'h_bucket{a="b",le="1"} 2',
        'h_bucket{a="b",le="2"} 3',
        'h_bucket{a="b",le="+Inf"} 4',
        'h_sum{a="b"} 102.000000',
        'h_count{a="b"} 4',
    ]


def test_metrics_are_written_by_route_and_status() -> None:
    metrics = Metrics()
    metrics.answered("/v1/correct", 200, 0.1)
    metrics.answered("/v1/correct", 200, 0.1)
    metrics.batched(2, 40)
    text = metrics.render()
    assert 'respell_requests_total{route="/v1/correct",status="200"} 2\n' in text
    assert "respell_words_total 40\n" in text
    assert 'respell_batch_requests_bucket{le="2"} 1\n' in text


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in ("respell.server.run", "respell.server.app"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["serve", "--no-config"]) == 2
    assert "pip install 'respell[server]'" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--workers=0", "--max-body=x", "--timeout=0", "--port=a"])
def test_wrong_options_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", option]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err
