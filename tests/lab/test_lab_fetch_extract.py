"""Formats of corpora: small files in each of them, written for these tests."""

import csv
import io
import json
import time
from collections.abc import Sequence

import pytest

from respell.lab.data.fetch.extract import decode, extract
from respell.lab.data.fetch.prose import HOLE
from respell.types import Error


def blocks(text: str, *steps: str) -> list[str]:
    return [" ".join(block.split()) for block in extract(text, steps)]


MARKDOWN = """\
---
title: "The front matter"
---
# A heading

The kettle is *very* old, and
[the lid](https://example.org/lid_(2)) has __not__ been found.

- Fill it with `cold` water.
- Wait for the **whistle**.
  1. Pour the tea.

> The cat drinks milk.
> So does the dog.

| cup | size |
|-----|------|

```sh
boil --now
```

![a picture](cup.png) It costs \\$5.[^1]

A second heading
----------------

<div class="note">
Tea is {{ temperature }} enough.<!-- hidden -->
</div>

    indented code

[^1]: A note about the price.
"""


def test_markdown_keeps_paragraphs_and_list_items() -> None:
    assert blocks(MARKDOWN, "markdown") == [
        "The kettle is very old, and the lid has not been found.",
        f"Fill it with {HOLE} water.",
        "Wait for the whistle.",
        "Pour the tea.",
        "The cat drinks milk. So does the dog.",
        "It costs $5.",
        f"Tea is {HOLE} enough.",
        ": A note about the price.",
    ]


def test_html_blocks_without_hidden_elements() -> None:
    page = """<html><head><title>No</title></head><body><nav>Home</nav>
        <h1>Weather</h1><p>It rained <b>all</b> day&nbsp;long.<br>The sun came out.
        <p>Run <code>sun</code> now.</p><table><tr><td>7</td></tr></table>
        <pre>code</pre><ul><li>Rain<li>Snow</ul><script>if (a < b) {}</script></body></html>"""
    assert blocks(page, "html") == [
        "Weather",
        "It rained all day long.",
        "The sun came out.",
        f"Run {HOLE} now.",
        "Rain",
        "Snow",
    ]


def test_html_of_selected_elements() -> None:
    page = """<div>menu</div><div class="big answer">First line.
        <div>Inner.</div>Second line.</div><div>More menu.</div><p class="answer">Last.</p>"""
    assert blocks(page, "html:.answer") == ["First line.", "Inner.", "Second line.", "Last."]
    assert blocks(page, "html:p") == ["Last."]


def test_cnxml_and_other_xml() -> None:
    module = """<document xmlns="http://cnx.rice.edu/cnxml"><title>Birds</title>
        <metadata><md:title>Birds</md:title></metadata><content>
        <para id="a">A <term>wren</term> is small, and <m:math><m:mi>x</m:mi></m:math>
        is not.</para>
        <figure><caption>Not this.</caption></figure><para id="b"/>
        <list><item>It sings.</item></list></content></document>"""
    expected = [f"A wren is small, and {HOLE} is not.", "It sings."]
    assert blocks(module, "html:para,item") == expected


def test_posts_of_stack_exchange() -> None:
    posts = (
        '<?xml version="1.0"?>\n<posts>\n'
        '  <row Id="1" Body="&lt;p&gt;Is tea &lt;em&gt;better&lt;/em&gt; hot?&lt;/p&gt;" />\n'
        '  <row Id="2" Body="&lt;p&gt;Yes.&lt;/p&gt;&lt;pre&gt;x&lt;/pre&gt;" Title="x" />\n'
        "</posts>\n"
    )
    assert blocks(posts, "attribute:row,Body", "html") == ["Is tea better hot?", "Yes."]


def test_wikiextractor_drops_titles_and_lists() -> None:
    shard = (
        '<doc id="1" url="u" title="Wren">\nWren\n\nThe wren is a bird.\nSection::::Diet.\n'
        'BULLET::::- insects\nIt eats insects.\n\n</doc>\n<doc id="2" title="Tit">\nTit\n\n'
        "The tit is another.\n</doc>\n"
    )
    assert blocks(shard, "wikiextractor") == [
        "The wren is a bird.",
        "It eats insects.",
        "The tit is another.",
    ]


def test_json_and_lines_of_json() -> None:
    value = {"turns": [{"text": "Hello.", "who": "a"}, {"text": "Bye.", "n": 2}], "text": None}
    assert blocks(json.dumps(value), "json:text") == ["Hello.", "Bye."]
    assert blocks(json.dumps(value), "json") == ["Hello.", "a", "Bye."]
    lines = '{"q": "One?"}\n\n{"q": "Two?", "a": ["No."]}\n'
    assert blocks(lines, "json:q,a") == ["One?", "Two?", "No."]
    with pytest.raises(Error, match="line 2 is not JSON"):
        blocks('{"q": 1}\n{"q"\n', "json:q")


def test_csv_columns() -> None:
    stream = io.StringIO()
    rows = [["id", "body"], ["1", 'He said "no".\n\nThen yes.'], ["2", ""]]
    csv.writer(stream).writerows(rows)
    assert blocks(stream.getvalue(), "csv:body", "text") == ['He said "no".', "Then yes."]
    with pytest.raises(Error, match="no column 'text', but id, body"):
        blocks(stream.getvalue(), "csv:text")


def test_one_language_of_translations() -> None:
    lines = "deu\teng\tJa.\tYes.\neng\tfra\tNo.\tNon.\ndeu\tfra\tJa.\tOui.\nbroken\n"
    assert blocks(lines, "translations:eng") == ["Yes.", "No."]


def test_tagged_and_tokenized_text() -> None:
    assert blocks("\tThe/at cat/nn and/or/cc\n\n./.\n", "tagged:/") == ["The cat and/or", "."]
    chat = "It ’ s late , is n't it ? __eou__ Yes . __eou__"
    assert blocks(chat, "split:__eou__", "detokenize") == ["It's late, isn't it?", "Yes."]


def test_ebook_without_licence_and_line_ends() -> None:
    book = (
        "Licence text\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\nCHAPTER ONE\n\n"
        "The ship had left the harbour, and nobody on the quay could say\nwhere it went.\n"
        "Nobody cared much, either, because it was raining and all of them\nwere wet.\n\n"
        '[Illustration: a ship]\n\n"Come in," she said.\n*** END OF THE PROJECT GUTENBERG EBOOK X\n'
        "more licence\n"
    )
    found = [block for block in blocks(book, "ebook") if block]
    assert found == [
        "The ship had left the harbour, and nobody on the quay could say where it went.",
        "Nobody cared much, either, because it was raining and all of them were wet.",
        '"Come in," she said.',
    ]


def test_mail_without_headers_and_quotations() -> None:
    mail = (
        "From: a@example.org\nSubject: lunch\n\nShall we meet at noon?\n\n> At one?\nNo, at noon.\n"
        "\n-----Original Message-----\nFrom: b\nOld text.\n"
    )
    assert blocks(mail, "mail") == ["Shall we meet at noon?", "No, at noon."]


@pytest.mark.parametrize(
    ("data", "steps", "text"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", ("lines",), "café"),
        (b"it\x92s a caf\xe9", ("lines",), "it’s a café"),
        (b"\xff\xfe\x00", ("rda",), "\xff\xfe\x00"),
    ],
)
def test_encodings(data: bytes, steps: Sequence[str], text: str) -> None:
    assert decode(data, steps) == text


def test_r_data() -> None:
    rdata = pytest.importorskip("rdata", reason="rdata is not installed")
    stream = io.BytesIO()
    rdata.unparser.unparse_file(
        stream,
        rdata.conversion.convert_python_to_r_data(
            {"x": ["One text.\n\nTwo paragraphs."]}, file_type="rda"
        ),
        file_type="rda",
    )
    found = blocks(decode(stream.getvalue(), ("rda",)), "rda")
    assert "One text." in found
    assert "Two paragraphs." in found


@pytest.mark.parametrize(
    "mark", ["*a ", "`a ", "``a ", "[a ", "[a](", "![a](b ", "<a ", "{{ ", "$a "]
)
def test_strange_markdown_takes_little_time(mark: str) -> None:
    began = time.process_time()
    blocks(mark * 20_000, "markdown")
    assert time.process_time() - began < 10
