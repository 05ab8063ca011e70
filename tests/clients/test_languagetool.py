"""The LanguageTool API with real clients against a real server."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from live import Live, serving

from golden_answers import golden

pytest.importorskip("fastapi", reason="needs the server extra")
pytest.importorskip("uvicorn", reason="needs the server extra")
pytestmark = pytest.mark.clients


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving() as server:
        yield server


def units(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le")) // 2


def test_golden_corrections(live: Live) -> None:
    for line in golden():
        text = line["text"]
        matches = live.form(language="en-US", text=text).json["matches"]
        assert [
            (m["offset"], m["length"], [r["value"] for r in m["replacements"]]) for m in matches
        ] == [
            (
                units(text, c["start"]),
                units(text, c["end"]) - units(text, c["start"]),
                [s["text"] for s in c["suggestions"]],
            )
            for c in line["corrections"]
        ], text


def test_unknown_and_real_words_have_different_rules(live: Live) -> None:
    reply = live.form(language="auto", text="I recieve it. We are going too the store.")
    rules = [match["rule"]["id"] for match in reply.json["matches"]]
    assert rules == ["RESPELL_NON_WORD", "RESPELL_REAL_WORD"]
    assert reply.json["language"]["code"] == "en-US"


def test_a_python_client(live: Live) -> None:
    tools: Any = pytest.importorskip("language_tool_python")
    text = "😀 I recieve teh mail. 😀 All is wel here."
    with tools.LanguageTool("en-US", remote_server=live.url) as tool:
        matches = tool.check(text)
        assert [text[m.offset : m.offset + m.error_length] for m in matches] == [
            "recieve",
            "teh",
            "wel",
        ]
        assert tools.utils.correct(text, matches) == "😀 I receive the mail. 😀 All is well here."
        tool.disabled_rules = {"RESPELL_NON_WORD"}
        assert tool.check(text) == []


def test_annotated_text_of_ltex(live: Live) -> None:
    parts = [
        {"markup": "\\section{"},
        {"text": "A 😀 Titel"},
        {"markup": "}\n", "interpretAs": "\n\n"},
        {"text": "We "},
        {"markup": "\\emph{"},
        {"text": "recieve"},
        {"markup": "}"},
        {"text": " teh mail, see "},
        {"markup": "\\ref{fig:teh}", "interpretAs": "Dummy0"},
        {"text": ".\n"},
    ]
    original = "".join(part.get("markup", "") + part.get("text", "") for part in parts)
    data = json.dumps({"annotation": parts})
    reply = live.form(language="en-GB", data=data, level="picky", motherTongue="de-DE")
    assert reply.status == 200
    encoded = original.encode("utf-16-le")
    words = [
        encoded[2 * m["offset"] : 2 * (m["offset"] + m["length"])].decode("utf-16-le")
        for m in reply.json["matches"]
    ]
    assert words[-2:] == ["recieve", "teh"]
    assert reply.json["language"]["code"] == "en-GB"


def test_a_query_instead_of_a_form(live: Live) -> None:
    reply = live.get(f"/v2/check?language=en&text={quote('I recieve teh mail')}")
    assert [m["offset"] for m in reply.json["matches"]] == [2, 10]


@pytest.mark.parametrize(
    ("asked", "code"), [("en-IE", "en"), ("en_gb", "en-GB"), ("EN-IN", "en"), ("auto", "en-US")]
)
def test_any_variety_of_english_is_accepted(live: Live, asked: str, code: str) -> None:
    reply = live.form(language=asked, text="I recieve teh mail")
    assert (reply.status, reply.json["language"]["code"]) == (200, code)


def test_languages(live: Live) -> None:
    codes = {language["longCode"] for language in live.get("/v2/languages").json}
    assert {"en", "en-US", "en-GB"} <= codes


@pytest.mark.parametrize(
    "form", [{"language": "de-DE", "text": "x"}, {"text": "x"}, {"language": "en"}]
)
def test_errors_are_plain_text(live: Live, form: dict[str, str]) -> None:
    reply = live.form(**form)
    assert reply.status == 400
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.body.startswith(b"Error: ")
