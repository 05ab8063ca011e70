"""The parts of the server that need no socket: offsets, options, JSON, LanguageTool, metrics."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families
from pydantic import ValidationError

from respell.cli.main import main
from respell.formats.languages import FORMATS
from respell.options import CorrectorOptions
from respell.server import languagetool
from respell.server.languagetool import NON_WORD, REAL_WORD
from respell.server.metrics import Metrics
from respell.server.offsets import Utf16Offsets
from respell.server.options import ServerOptions
from respell.server.results import text_results, token_results
from respell.server.schemas import CorrectRequest, CorrectResponse
from respell.types import Correction, CorrectionKind, Error, Suggestion

TEXTS = st.text(st.sampled_from("a😀é𝒳\n \ud800\udc00"))


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(TEXTS)
def test_offsets_count_utf16_units(text: str) -> None:
    utf16 = Utf16Offsets(text)
    for offset in range(len(text) + 1):
        assert utf16.to_utf16(offset) == units(text[:offset])
        assert utf16.to_code_points(utf16.to_utf16(offset)) == offset


def test_both_units_of_a_pair_belong_to_one_code_point() -> None:
    assert [Utf16Offsets("a😀b").to_code_points(i) for i in range(5)] == [0, 1, 1, 2, 3]


@pytest.mark.parametrize(
    "options",
    [
        ServerOptions(),
        ServerOptions(
            host="::1",
            workers=3,
            cors=("http://a.example", "*"),
            corrector=CorrectorOptions(
                model=Path("some/model"),
                preset="careful",
                threshold=0.25,
                dictionary=frozenset(("Straße", "\ud800")),
                max_suggestions=2,
            ),
        ),
    ],
)
def test_options_survive_the_way_to_a_worker(options: ServerOptions) -> None:
    assert ServerOptions.from_json(options.to_json()) == options


def correction(start: int, original: str, kind: CorrectionKind = "nonword") -> Correction:
    return Correction(start, original, (Suggestion("right", 0.75),), 0.75, 0.875, kind)


def test_json_of_corrections_in_texts() -> None:
    text = "😀 teh there"
    found = [[correction(2, "teh"), correction(6, "there", "realword")]]
    for units, starts in (("codepoint", (2, 6)), ("utf16", (3, 7))):
        (result,) = json.loads(text_results([text], found, units))["results"]  # type: ignore[arg-type]
        assert result["text"] == "😀 right right"
        first, second = result["corrections"]
        assert first == {
            "start": starts[0],
            "end": starts[0] + 3,
            "original": "teh",
            "replacement": "right",
            "suggestions": [{"text": "right", "probability": 0.75}],
            "kind": "nonword",
            "error_probability": 0.875,
            "score": 0.75,
            "automatic": True,
        }
        assert (second["start"], second["kind"]) == (starts[1], "realword")


def test_json_of_corrections_in_tokens() -> None:
    tokens = ["", "(😀teh", "there"]
    found = [[correction(3, "teh"), correction(7, "there", "realword")]]
    body = token_results([tokens], found, "utf16")
    (result,) = json.loads(body)["results"]
    assert result["tokens"] == ["", "(😀right", "right"]
    assert [(c["token"], c["start"], c["end"], c["kind"]) for c in result["corrections"]] == [
        (1, 3, 6, "nonword"),
        (2, 0, 5, "realword"),
    ]
    assert result["corrections"][1]["original"] == "there"


def test_the_json_matches_its_schema() -> None:
    found = [[correction(0, "teh")]]
    for body in (
        text_results(["teh"], found, "codepoint"),
        token_results([["teh"]], found, "utf16"),
    ):
        written = json.loads(body)
        read = CorrectResponse.model_validate(written, extra="forbid")
        assert read.model_dump(exclude_none=True) == written


def test_every_format_is_accepted() -> None:
    for name in FORMATS:
        assert CorrectRequest.model_validate({"text": "x", "format": name}).format == name
    assert CorrectRequest.model_validate({"text": "x"}).format == "plain"


@pytest.mark.parametrize("name", ["md", "Markdown", "", None, 1, ["plain"]])
def test_an_unknown_format_is_an_error(name: object) -> None:
    with pytest.raises(ValidationError, match=r"must be one of plain, markdown, html, .*haskell"):
        CorrectRequest.model_validate({"text": "x", "format": name})


def test_tokens_have_no_format() -> None:
    with pytest.raises(ValidationError, match="format works only with text"):
        CorrectRequest.model_validate({"tokens": ["x"], "format": "plain"})


def test_a_document_is_made_of_texts() -> None:
    assert CorrectRequest.model_validate({"text": ["x", "y"], "document": True}).document
    assert not CorrectRequest.model_validate({"text": "x"}).document
    with pytest.raises(ValidationError, match="document works only with text"):
        CorrectRequest.model_validate({"tokens": ["x"], "document": True})


def test_variant_is_an_option_of_a_request() -> None:
    request = CorrectRequest.model_validate({"text": "x", "variant": "en-GB"})
    assert request.options() == CorrectorOptions(variant="en-GB")
    with pytest.raises(ValidationError, match="'auto', 'en-GB' or 'en-US'"):
        CorrectRequest.model_validate({"text": "x", "variant": "en-AU"})


def test_thresholds_are_options_of_a_request() -> None:
    request = CorrectRequest.model_validate({"text": "x", "threshold": 0.2, "fix_threshold": 0.9})
    assert request.options() == CorrectorOptions(threshold=0.2, fix_threshold=0.9)


def test_blanks_are_checked_only_in_texts() -> None:
    def spacing(**request: object) -> object:
        return CorrectRequest.model_validate(request).options().for_reading().spacing

    assert [spacing(text="x"), spacing(text="x", spacing=False)] == ["auto", False]
    assert [spacing(tokens=["x"]), spacing(text="x", spacing=True)] == [False, True]
    with pytest.raises(ValidationError, match="spacing works only with text, not with tokens"):
        spacing(tokens=["x"], spacing=True)
    with pytest.raises(ValidationError, match="should be a valid boolean"):
        spacing(text="x", spacing="yes")


@pytest.mark.parametrize(
    ("kind", "rule"), [("split", "RESPELL_TWO_WORDS"), ("join", "RESPELL_ONE_WORD")]
)
def test_languagetool_has_rules_for_blanks(kind: CorrectionKind, rule: str) -> None:
    check = ask(text="we were to gether then")
    (match,) = json.loads(languagetool.response(check, [correction(8, "to gether", kind)]))[
        "matches"
    ]
    assert (match["offset"], match["length"], match["rule"]["id"]) == (8, 9, rule)
    assert match["rule"]["category"]["id"] == "TYPOS"


def ask(**form: str) -> languagetool.Check:
    return languagetool.parse({"language": "en-US", **form})


def annotated(*parts: dict[str, str]) -> languagetool.Check:
    return ask(data=json.dumps({"annotation": list(parts)}))


def respond(check: languagetool.Check, *words: str) -> dict[str, Any]:
    """The response if each of these words is wrong once; those in capitals are real words."""
    corrections = [
        correction(check.plain.index(word), word, "realword" if word.isupper() else "nonword")
        for word in words
    ]
    value: dict[str, Any] = json.loads(languagetool.response(check, corrections))
    return value


def cut(text: str, match: dict[str, Any]) -> str:
    """The slice that a client that counts UTF-16 units would replace."""
    data = text.encode("utf-16-le")
    start, end = match["offset"], match["offset"] + match["length"]
    return data[2 * start : 2 * end].decode("utf-16-le")


def test_contents_of_a_match() -> None:
    text = "All is well.  😀 He saw teh\ncat. " + "Xy " * 50
    found = respond(ask(text=text), "teh")
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


def test_offsets_include_the_markup() -> None:
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
    matches = respond(check, "teh", "wrng", "Anothr")["matches"]
    assert [cut(check.original, match) for match in matches] == ["teh", "wr<i>ng", "Anothr"]


def test_words_that_stand_for_markup_are_not_reported() -> None:
    check = annotated(
        {"text": "See "}, {"markup": "\\ref{x}", "interpretAs": "dumy"}, {"text": "!"}
    )
    found = respond(check, "dumy")
    assert found["matches"] == []
    assert found["sentenceRanges"] == [[0, 12]]


@given(st.lists(st.tuples(st.booleans(), TEXTS, st.sampled_from(["", "\n", "word"]))))
def test_spans_are_slices_of_the_original(
    parts: list[tuple[bool, str, str]],
) -> None:
    check = annotated(
        *(
            {"markup": t, "interpretAs": plain} if markup else {"text": t}
            for markup, t, plain in parts
        )
    )
    for i in range(len(check.plain)):
        first, last = check.place(i, i + 1)
        assert 0 <= first <= last <= len(check.original)
        if not check.within(i, i + 1)[0].markup:
            assert check.original[first:last] == check.plain[i]


def test_real_words_have_their_own_rule() -> None:
    check = ask(text="teh THERE")
    assert [m["rule"]["id"] for m in respond(check, "teh", "THERE")["matches"]] == [
        NON_WORD,
        REAL_WORD,
    ]


@pytest.mark.parametrize(
    ("form", "enabled"),
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
def test_rules_can_be_disabled(form: dict[str, str], enabled: set[str]) -> None:
    found = respond(ask(text="teh THERE", **form), "teh", "THERE")["matches"]
    assert {match["rule"]["id"] for match in found} == enabled


@pytest.mark.parametrize("code", ["en", "en-US", "en-GB", "EN_us", "auto"])
def test_varieties_of_english_are_accepted(code: str) -> None:
    assert languagetool.parse({"language": code, "text": "x"}).language.startswith("en")


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"text": "x"}, "Missing 'language'"),
        ({"language": "de-DE", "text": "x"}, "'de-DE' is not a supported language code"),
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
def test_an_invalid_form_is_an_error(form: dict[str, str], reason: str) -> None:
    with pytest.raises(Error, match=reason):
        languagetool.parse(form)


def test_data_may_be_plain_text() -> None:
    assert ask(data='{"text": "teh"}').plain == "teh"


def test_a_long_sentence_is_not_repeated_in_every_match() -> None:
    text = "teh " * 2000
    corrections = [correction(i, "teh") for i in range(0, len(text), 4)]
    assert len(languagetool.response(ask(text=text), corrections)) < 4_000_000


def samples(metrics: Metrics) -> dict[tuple[str, ...], float]:
    """The value of each series, by its name and the values of its labels, sorted by label."""
    families = text_string_to_metric_families(metrics.render().decode())
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_metrics_by_route_and_status() -> None:
    metrics = Metrics()
    metrics.count_request("/v1/correct", 200, 0.1)
    metrics.count_request("/v1/correct", 200, 0.5)
    metrics.count_request("/v1/correct", 0, 99)
    metrics.count_batch(2, 40)
    found = samples(metrics)
    assert found["respell_requests_total", "/v1/correct", "200"] == 2
    assert found["respell_requests_total", "/v1/correct", "0"] == 1
    assert found["respell_words_total",] == 40
    assert found["respell_batch_requests_bucket", "1.0"] == 0
    assert found["respell_batch_requests_bucket", "2.0"] == 1
    assert found["respell_batch_words_sum",] == 40
    bucket = "respell_request_seconds_bucket"
    assert [found[bucket, le, "/v1/correct"] for le in ("0.05", "0.1", "0.5", "+Inf")] == [
        *(0, 1, 2, 3)
    ]
    assert found["respell_request_seconds_sum", "/v1/correct"] == pytest.approx(99.6)
    assert found["respell_request_seconds_count", "/v1/correct"] == 3


def test_metrics_have_only_their_own_series() -> None:
    metrics = Metrics()
    metrics.count_request("/", 200, 0.1)
    histograms = ("respell_request_seconds", "respell_batch_requests", "respell_batch_words")
    assert {name for name, *_ in samples(metrics)} == {
        "respell_requests_total",
        "respell_words_total",
        *(f"{name}_{part}" for name in histograms for part in ("bucket", "sum", "count")),
    }


def test_two_applications_count_separately() -> None:
    one, other = Metrics(), Metrics()
    one.count_batch(1, 10)
    assert samples(one)["respell_words_total",] == 10
    assert samples(other)["respell_words_total",] == 0


def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in ("respell.server.run", "respell.server.app"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["serve", "--no-config"]) == 2
    assert "serve needs uvicorn: pip install '.[server]' in a checkout" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--workers=0", "--max-body=x", "--timeout=0", "--port=a"])
def test_invalid_options_are_errors(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", option]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err
