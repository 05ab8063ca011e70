"""AsciiDoc, Org, manual pages, notebooks and MDX: what is hidden, and that no offset moves."""

import itertools
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import eager
from respell.cli import files
from respell.cli.main import main
from respell.formats.languages import SEARCHED, language_in_editor, language_named, language_of
from respell.formats.masker import Masker, mask
from respell.formats.scanner import FILLER
from respell.text.apply import apply

FORMATS = ("asciidoc", "org", "man", "notebook", "mdx")


def shown(format: str, text: str) -> list[str]:
    """The words that stay visible."""
    return mask(text, format).replace(FILLER, " ").split()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("a.adoc", "asciidoc"), ("a.ASCIIDOC", "asciidoc"), ("a.asc", "asciidoc")),
        *(("a.org", "org"), ("a.ipynb", "notebook"), ("a.mdx", "mdx")),
        *(("git.1", "man"), ("a.8", "man"), ("a.9", "man"), ("a.man", "man"), ("a.roff", "man")),
        *(("a::b.3pm", "man"), ("openssl.1ssl", "man"), ("a.3p", "man"), ("a.h264", "plain")),
        *(
            ("a.troff", "man"),
            ("a.10", "plain"),
            ("a.10b", "plain"),
            ("1", "plain"),
            ("man", "plain"),
        ),
    ],
)
def test_language_of_a_file(path: str, name: str) -> None:
    assert language_of(path).name == name


@pytest.mark.parametrize(
    ("editor_id", "name"),
    [
        *(("asciidoc", "asciidoc"), ("org", "org"), ("jupyter", "notebook")),
        *(("ipynb", "notebook"), ("groff", "man"), ("nroff", "man"), ("troff", "man")),
    ],
)
def test_language_in_an_editor(editor_id: str, name: str) -> None:
    assert language_in_editor(editor_id, "file").name == name


def test_folders_are_searched_for_documents_but_not_for_manual_pages() -> None:
    assert {"adoc", "asciidoc", "org", "ipynb", "mdx"} < set(SEARCHED)
    assert not {"1", "man", "roff"} & set(SEARCHED)


def test_comments_at_line_ends() -> None:
    assert language_named("man").ignore_comment == '\\" respell: ignore'
    for name in ("asciidoc", "org", "notebook"):
        assert language_named(name).ignore_comment is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n\n----\nteh\n\nteh\n----\nb", "a b"),
        ("....\nteh\n----\n....\na\n\n++++\nteh\n++++\nb\n\n```ruby\nteh\n```\nc", "a b c"),
        ("////\nteh\n////\na\n// teh\nb /// c", "a b /// c"),
        ("-----\nteh\n----\n-----\na", "a"),
        ("[source,ruby]\nteh\nteh\n\na", "a"),
        ("[source]\n--\nteh\n\nteh\n--\na\n\n[,ruby]\n----\nteh\n----\nb", "a b"),
        ("[NOTE]\n====\na\n\n--\nb\n--\n====\n\n****\nc\n****", "a b c"),
        ("[quote, teh]\n____\na\n____\n\n[verse]\nb", "a b"),
        ("a\n\n  teh\n  teh\n\nb\n\n teh\n+\nc", "a b c"),
        ("* a\n  b\n\n  - c\n\n  . d\n\n1. e\n   f", "* a b - c . d 1. e f"),
        ("A b\n---\nc\n\nNAME\n----\nteh-teh, teh - b\n\nd", "A b c NAME b d"),
        ("Run:\n----\nteh\n----\na [b] c\n[d] e [f]", "Run: a [b] c [d] e [f]"),
        ("== Synopsis\na", "== Synopsis a"),
        ("SYNOPSIS\n--------\nteh\n\n== A b\nc", "SYNOPSIS == A b c"),
        ("== SYNOPSIS\n\n[verse]\nteh [teh]\n\nteh\n\n== A\nb", "== SYNOPSIS == A b"),
        (":teh: teh \\\nteh\n:!teh:\na :b: c", "a :b: c"),
        ("[[teh]]\n[.teh#teh]\n.A b\nc [[teh]]d", ".A b c d"),
        ("include::teh.adoc[teh]\nimage::teh.png[teh]\na\nifdef::teh[]\nb\nendif::[]\n", "a b"),
        ("ifndef::teh[a b]", "a b]"),
        ("--teh=<teh>::\n-t::\n\ta\n\nteh.teh::\n\tb\n\nteh::\n\n\tc\n\nA b:: d", "a b c A b:: d"),
        ("|===\n|a |b\na|c\n2+^.>s|d\n\n  |e\n|===\n\n  teh", "a b c d e"),
        ("a `teh` b ``teh ` x`` c", "a b c"),
        ("a `teh\nteh` b `teh\n\nc", "a b `teh c"),
        ("a +teh+ b ++teh++ +++<u>teh</u>+++ $$teh$$ C++ and C++ 1 + 2 + 3", "abC++andC++1+2+3"),
        ("\"`a b`\" '`c d`' \"`teh`\" \"`$teh = teh`\"", 'a b c d " " " "'),
        ("``a b'' and ``c''", "``a b'' and ``c''"),
        ("'git teh' '--teh teh' '<teh>' 'teh' 'two words' don't dogs' cats'",
         "'two words' don't dogs' cats'"),
        ("a {teh}s {set:teh:teh} b {c d}", "a b"),
        ("link:teh.html[a b] https://teh.org/teh[c^], xref:teh#teh[d,window=_blank]",
         "a b] c ], d ]"),
        ("linkgit:git-teh[1] image:teh.png[teh] kbd:[Teh] stem:[teh] a footnote:[b c] d:e",
         "a b c] d:e"),
        ("<<teh>> a <<teh,b c>> (((teh,teh))) ((d))", "a b c>> ((d))"),
        ("<teh> <teh-teh>s a < b > c <1> d", "a < b > c d"),
        ("[.teh]#a b# [teh]*c* #d# C# 1# issue #5", "a b c d C# 1 issue #5"),
        ("*a* _b_ **c**d e__f__ *g h* H~2~O", "a b g h"),
        ("git-teh(1) a caf&eacute; b&nbsp;c (1)", "a b c (1)"),
        ("--[no-]teh a", "a"),
        (r"\`a` \{b}", r"\`a` \{b}"),
        ("'''\n<<<\na\n***\nb", "a b"),
    ],
)  # fmt: skip
def test_asciidoc(text: str, words: str) -> None:
    assert "".join(shown("asciidoc", text)) == words.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#+begin_src py\nteh\n\nteh\n#+end_src\na", "a"),
        ("a\n  #+BEGIN_EXAMPLE\n  teh\n  #+end_src\n  #+END_EXAMPLE\nb", "a b"),
        ("#+begin_export html\nteh\n#+end_export\n#+begin_quote\na\n#+end_quote", "a"),
        ("#+TITLE: a b\n#+Caption: c\n #+subtitle: d\n#+AUTHOR: teh\n#+teh: teh\ne", "a b c d e"),
        ("* a\n:PROPERTIES:\n:teh: teh\nteh\n:END:\nb\n:teh:\n", "* a b"),
        ("* a\n:LOGBOOK:\nteh\n* b", "* a * b"),
        ("# teh\n#teh\na # b\n: teh\n:\nc", "#teh a # b c"),
        ("** TODO [#A] a :teh:teh:\nb :c:\nSCHEDULED: <2024-01-01 teh>", "** TODO a b :c:"),
        ("a <2024-01-01 Mon 10:00>--<2024-01-02 teh> [2024-01-01 teh] b", "a -- b"),
        ("| a | b |\n|---+---|\n| c | d |\n-----\n", "| a | b | | c | d |"),
        ("a =teh= ~teh teh~, (=teh=). b=c=d 1 = 2 = 3 = b", "a , ( ). b=c=d 1 = 2 = 3 = b"),
        ("a =teh\nteh= b =teh\n\nc=", "a b =teh c="),
        ("[[teh][a b]] [[teh]] c", "a b]] c"),
        ("a[fn:1] [fn:: b c] [fn:teh] [cite:@teh] {{{teh(teh)}}} @@html:<b>@@ d", "a b c] d"),
        (r"a $teh$ b \(teh\) \[teh" "\n" r"teh\] \alpha \nbsp{} c costs $5 and $6",
         "a b c costs $5 and $6"),
        (r"a \(b" "\n\n" r"c\) d", r"a \(b c\) d"),
        ("\\begin{align*}\nteh\n\\end{align*}\na", "a"),
        ("<<teh>> <<<teh>>> a src_python{teh} call_teh(teh) b", "a b"),
        ("- [ ] a [1/3] [50%]\n- [X] b", "- [ ] a - [X] b"),
        ("*a* /b c/ _d e_ +f+ **g** /usr/ _h_ *D*\u200befinition", "a b c/ d e_ f **g** /usr/ _h_"),
        ("- Function: teh teh ::\n  a\n- b c :: d", "a - b c :: d"),
    ],
)  # fmt: skip
def test_org(text: str, words: str) -> None:
    assert "".join(shown("org", text)) == words.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('.TH TEH 1 "teh"\n.SH NAME\nteh\\-teh \\- a b\n.SS "c d"\ne', 'NAME a b "c d" e'),
        (".SH SYNOPSIS\nteh\n.SH A\nb", "SYNOPSIS A b"),
        (".Dd teh\n.Sh NAME\n.Nm teh\n.Nd a b\n.Sh C", "NAME a b C"),
        ("See\n.B teh teh\nor\n.BR teh (1),\n.I\nteh\na\n.SM\n.IR teh .", "See or , a"),
        (".SH NAME\nteh, teh,\nteh \\-\na b\n.SH C\nteh, d", "NAME a b C teh, d"),
        (".SH NAME\n.B teh \\- teh\na\n.TP\n.BR teh ,\nb\n.nf\n.B teh,\n.fi\nc", "NAME a b c"),
        (".B teh ...\n.I teh \\(bu\na", "a"),
        (".TP\n.B teh\na\n.TP\n\\fB\\-t\\fR, teh\nb\n.IP teh 4\nc", "a b c"),
        (".TP 4\n.\\\" teh\nteh\na", "a"),
        (".nf\nteh\n.B teh\n.fi\na\n.EX\nteh\n.EE\nb\n.nf\nteh\n.SH C\nd", "a b C d"),
        (".de XX\nteh\n.SH teh\n..\na\n.ig\nteh\n..\nb\n.TS\nteh\n.TE\nc", "a b c"),
        (".Bd -literal\nteh\n.Ed\na\n.Bd -filled\nb\n.Ed\nc", "a b c"),
        ("'\\\" t\n'br\n'tis a\n.\\\" teh\nb \\\" teh\n.\n.if teh teh", "'tis a b"),
        ("a \\fBteh teh\\fR \\fIteh\\fPs \\f(CWteh\\fP \\f[B]teh\\f[R] b", "a b"),
        ("a \\fBteh\nteh\\fR b \\fBc\n\n\\fRd", "a b c d"),
        (r"a \-\-teh=teh \-t, (\-x) -y --teh \-\-[no\-]teh b\-c", "a , ( ) b - c"),
        (r"don\(cqt caf\('e na\[u00EF]ve e\*'tude hy\%phen \(lqa\(rq b", "a b"),
        (r"git\-teh(1) teh(3pm) <teh> a", "a"),
        (r"a\&. e\&.g\&. b\ c \s-1TEH\s0 \*(teh \n(teh \e \h'teh'd", "a . b c TEH h h d"),
    ],
)  # fmt: skip
def test_manual_pages(text: str, words: str) -> None:
    assert "".join(shown("man", text)) == words.replace(" ", "")


def test_macros_of_fonts_are_words_of_the_sentence() -> None:
    assert (
        mask("During an\n.BR execve (2),\nit", "man")
        == "During an\n    \ufffc\ufffc\ufffc\ufffc\ufffc\ufffc \ufffc\ufffc\ufffc,\nit"
    )


def test_mark_of_no_width_becomes_white_space() -> None:
    assert mask(r"the end\&. It", "man") == "the end  . It"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import Teh from 'teh'\nimport {\n  teh\n} from 'teh'\n\na", "a"),
        ("---\nteh: teh\n---\nimport 'teh'\n\na", "a"),
        ("export const teh = {\n  a: 'teh',\n\n  b: `teh`\n}\n\na", "a"),
        ("export default teh\nteh\n\na\nimport 'b'", "a import 'b'"),
        ("import taxes\n\nexport your data", "import taxes export your data"),
        ("a {teh} b {teh}s re{teh}ed {{teh: 'teh}'}} c", "a b c"),
        ("{/* teh\n\nteh */} a {/* teh */}", "a"),
        ("a {\n  teh /* } */\n  // }\n} b", "a b"),
        ("{teh.map(x => (\n  <b>{x}</b>\n\n  teh\n))}\n\na", "a"),
        ("a { b\n\nc", "a c"),
        ("<Teh a={() => teh > 1} b='teh'>a</Teh>\n<Teh.Teh\n  a={{b: 1}}\n/> b", "a b"),
        (r"a \{b\} `{` c", r"a \{b\} c"),
        ("```\n{\n```\na\n\n<b>D</b>efinition", "a"),
    ],
)
def test_mdx(text: str, words: str) -> None:
    assert "".join(shown("mdx", text)) == words.replace(" ", "")


def notebook(*cells: tuple[str, list[str] | str], indent: int | None = 1, **more: object) -> str:
    """A notebook file with cells of these types and sources."""
    written = [
        {"cell_type": type_, "id": "teh", "metadata": {"source": ["teh"]}, "source": source}
        for type_, source in cells
    ]
    return json.dumps({"cells": written, "metadata": {"teh": "teh"}, **more}, indent=indent)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("source", "words"),
    [
        (["# a\n", "\n", "b `teh` c\n", "d"], "# a b c d"),
        ("# a\n\nb `teh` c\nd", "# a b c d"),
        (["a\n", "\n", "```\n", "teh\n", "```\n", "b [c](teh)"], "a b [c]( )"),
        (["$$\\alpha teh$$ a \\\\ \\begin{align}\n", "teh\n", "\\end{align}\n", "b"], "a \\\\ b"),
        (['say "a" and \\"b\\"\tc/d'], 'say "a" and \\ "b \\ " c/d'),
        (["caf\u00e9s na\u00efve don\u2019t \u201ca\u201d b\u00a0c \ud83d\ude00d"], "a b c d"),
        (["spl", "it wo", "rd\n", "", "b"], "spl it wo rd b"),
        (["a <!-- respell: ignore -->\n", "b\n", "<!-- respell: ignore-next-line -->\n", "c"], "b"),
        ([], ""),
        ("", ""),
    ],
)
def test_notebooks(source: list[str] | str, words: str, indent: int | None) -> None:
    text = notebook(("code", "teh"), ("markdown", source), ("raw", ["teh"]), indent=indent)
    masked = mask(text, "notebook")
    assert "".join(masked.replace(FILLER, " ").split()) == words.replace(" ", "")
    assert len(masked) == len(text)


def test_other_strings_of_a_notebook_are_hidden() -> None:
    output = {"cell_type": "markdown", "source": ["teh"], "cells": [{"source": "teh"}]}
    text = json.dumps(
        {
            "source": "teh",
            "cell_type": "markdown",
            "cells": [
                {"cell_type": "code", "outputs": [output], "source": "teh"},
                {"cell_type": "markdown", "attachments": output, "source": "a", "teh": "teh"},
                {"source": "teh"},
                "teh",
            ],
            "metadata": {"cells": [output]},
        }
    )
    assert shown("notebook", text) == ["a"]


def test_pragmas_of_a_notebook_work_across_cells() -> None:
    off, on = "<!-- respell: off -->", "<!-- respell: on -->"
    cells = [("markdown", f"a\n\n{off}"), ("markdown", "teh"), ("markdown", f"{on}\n\nb")]
    assert shown("notebook", notebook(*cells)) == ["a", "b"]
    assert shown("notebook", notebook(*cells, indent=None)) == ["a", "b"]


def test_sentences_of_a_notebook_go_on_from_line_to_line() -> None:
    lines = mask(notebook(("markdown", ["A b\n", "c.\n", "\n", "D"])), "notebook").split("\n")
    assert [line.strip() for line in lines if FILLER not in line] == ["A b", "c.", "", "D"]
    masked = mask(notebook(("markdown", "A b\nc.\n\nD"), indent=None), "notebook")
    assert masked.strip(FILLER + " ").split("\n") == ["A b ", "c. ", " ", "D"]


def test_corrected_notebook_is_valid_json() -> None:
    source = ['Teh "dog"\n', "\n", "- re\\ad `teh`,\tcaf\u00e9\n", "it's \U0001f600 teh"]
    cells: list[tuple[str, list[str] | str]] = [
        ("code", ["teh"]),
        ("markdown", source),
        ("markdown", 'teh\nteh "teh"\n\nteh'),
    ]
    for indent in (None, 1):
        text = notebook(*cells, indent=indent)
        corrected = json.loads(apply(text, eager().check(text, format="notebook")))
        sources = [cell["source"] for cell in corrected["cells"]]
        assert sources == [
            ["teh"],
            [
                'Zebra "zebra"\n',
                "\n",
                "- re\\ad `teh`,\tcaf\u00e9\n",
                "zebra \U0001f600 zebra",
            ],
            'zebra\nzebra "zebra"\n\nzebra',
        ]
        corrected["cells"] = json.loads(text)["cells"]
        assert corrected == json.loads(text)


@pytest.mark.parametrize("indent", [None, 1])
def test_large_notebook_is_fixed_in_its_file(tmp_path: Path, indent: int | None) -> None:
    source = [f"Teh {'wrd ' * 9}`teh` caf\u00e9.\n" for _ in range(1000)]
    image = {"image/png": "wrd+teh/" * 200_000}
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(("code", source), ("markdown", source), indent=indent, image=image))
    before = json.loads(path.read_text())
    assert path.stat().st_size > files.LINE
    main(
        ["fix", "--write", "--no-config", "--no-evidence", str(path)], load=lambda *_, **__: eager()
    )
    after = json.loads(path.read_text())
    for line in after["cells"][1]["source"]:
        assert line == f"Zebra {'zebra ' * 9}`teh` caf\u00e9.\n"
    after["cells"][1]["source"] = source
    assert after == before


@pytest.mark.parametrize(
    ("format", "text", "corrected"),
    [
        ("asciidoc", "teh `teh`\n\n----\nteh\n----\n", "zebra `teh`\n\n----\nteh\n----\n"),
        ("org", "# teh\n: teh\nteh =teh=\n", "# teh\n: teh\nzebra =teh=\n"),
        ("man", ".B teh\nteh \\fIteh\\fR\n", ".B teh\nzebra \\fIteh\\fR\n"),
        ("mdx", "import 'teh'\n\nteh {teh}\n", "import 'teh'\n\nzebra {teh}\n"),
    ],
)  # fmt: skip
def test_only_prose_is_corrected(format: str, text: str, corrected: str) -> None:
    assert eager().correct(text, format=format) == corrected


@pytest.mark.parametrize("format", ["asciidoc", "org", "man", "mdx"])
def test_pragmas(format: str) -> None:
    text = "one\nx respell: ignore\ntwo\nx respell: off\nx\nx respell: on\nthree\n"
    assert shown(format, text) == ["one", "two", "three"]


markup = st.lists(
    st.sampled_from(
        "` `` ``` ' ''' + ++ ++++ ---- -- .... //// // == ==== |=== | [source] [[ ]] [ ] << >> < > "
        "{ } {{{ }}} :a: a:: link:x[ :: # * ** _ ~ ^ = #+begin_src #+end_src #+a: :PROPERTIES: "
        ":END: <2024-01-01> [fn: $ \\( \\) \\[ .nf .fi .SH .TP .B .de .. '\\\" \\fB \\fR \\- \\& "
        '\\(cq \\" (1) import export {/* */} /* // "cells" : , "cell_type" "markdown" "source" '
        '"a\\n" "\\u00e9" " \\ \\u \ufeff é 😀 word \ufffc respell: ignore off on'.split()
    )
    | st.sampled_from(['{"cells":[{"cell_type":"markdown","source":["', "import 'a'\n", "{a}"])
    | st.sampled_from([" ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\x0c", "\u00a0", "\u2028"]),
    max_size=40,
).map("".join)


@settings(deadline=None, max_examples=500)
@given(markup, st.sampled_from(FORMATS))
def test_length_and_white_space_stay(text: str, format: str) -> None:
    masked = mask(text, format)
    assert len(masked) == len(text)
    for old, new in zip(text, masked, strict=True):
        assert new == old or (new in (FILLER, " ") and not old.isspace()) or format == "notebook"
        assert not (old.isspace() and new != old)


@settings(deadline=None, max_examples=300)
@given(markup, st.lists(st.integers(0, 200), max_size=4))
def test_notebook_may_be_cut_anywhere(text: str, cuts: list[int]) -> None:
    masker = Masker("notebook")
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(places)]
    assert [len(masker.mask(piece)) for piece in pieces] == [len(piece) for piece in pieces]


def test_notebook_in_one_line_may_be_cut_between_words() -> None:
    source = ["one two `teh` three\n", "\n", 'say "four" caf\u00e9 five']
    text = notebook(("markdown", source), ("code", source), ("markdown", "six"), indent=None)
    masker = Masker("notebook")
    masked = "".join(masker.mask(piece) for piece in re.findall(r"\S+\s*", text))
    words = masked.replace(FILLER, " ").replace('"', " ").split()
    assert words == "one two three say four five six".split()


@settings(deadline=None)
@given(
    st.lists(st.text() | st.lists(st.text(), max_size=3), max_size=4), st.sampled_from([None, 1])
)
def test_every_notebook_is_corrected_in_place(
    sources: list[str | list[str]], indent: int | None
) -> None:
    text = notebook(*(("markdown", source) for source in sources), indent=indent)
    corrected = json.loads(apply(text, eager().check(text, format="notebook")))
    for source, cell in zip(sources, corrected["cells"], strict=True):
        assert len("".join(cell["source"]).split("\n")) == len("".join(source).split("\n"))


CONSTRUCTS = {
    "asciidoc": [
        "----\nteh\n\nteh\n----\n",
        "[source]\nteh\nteh\n",
        "A b\n---\n",
        "NAME\n----\nteh - a\n",
        "  teh\n  teh\n",
        "-t::\n\ta\n",
        "teh::\n\n\ta\n",
        "* a\n  b\n+\nc\n",
        ":teh: teh \\\nteh\n",
        "|===\n|a |b\n|===\n",
        "a `teh` link:teh[b]\n",
        "== SYNOPSIS\n",
    ],
    "org": [
        "#+begin_src\nteh\n\nteh\n#+end_src\n",
        "* a :teh:\n:PROPERTIES:\n:teh: teh\n:END:\n",
        "# teh\n",
        "a =teh= [[teh][b]]\n",
        "\\begin{align}\nteh\n\\end{align} a\n",
    ],
    "man": [
        ".nf\nteh\n.fi\n",
        ".TP\nteh\na\n",
        ".SH NAME\nteh \\- a\n",
        ".SH SYNOPSIS\nteh\n",
        ".SH A\nb \\fBteh\\fR\n",
        ".B\nteh\n",
        ".de X\nteh\n..\n",
    ],
    "mdx": [
        "import {\n  teh\n} from 'teh'\n",
        "export const a = {\n\n  b: 1\n}\n",
        "{/* teh\n\nteh */}\n",
        "a {teh} {\n  teh\n} b\n",
        "```\n{\n```\n",
        "a { b\n",
    ],
}
COMMON = ["\n", "plain text\n", "respell: off\n", "respell: on\n", "respell: ignore-next-line\n"]


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_blocks_one_by_one_equal_all_at_once(data: st.DataObject) -> None:
    format = data.draw(st.sampled_from(sorted(CONSTRUCTS)))
    parts = data.draw(st.lists(st.sampled_from(CONSTRUCTS[format] + COMMON), max_size=8))
    text = "".join(parts)
    masker = Masker(format)
    assert "".join(map(masker.mask, text.splitlines(keepends=True))) == mask(text, format)


@settings(deadline=None)
@given(st.data(), st.sampled_from([None, 1]))
def test_lines_of_a_notebook_one_by_one_equal_all_at_once(
    data: st.DataObject, indent: int | None
) -> None:
    lines = ["a\n", "\n", "```\n", "teh `x` b\n", "    teh\n", 'say "a"\n', "respell: off\n"]
    sources = st.lists(st.sampled_from(lines), max_size=6).map(lambda source: [*source, "c"])
    cells = st.tuples(st.sampled_from(["markdown", "code"]), sources | sources.map("".join))
    text = notebook(*data.draw(st.lists(cells, max_size=5)), indent=indent)
    masker = Masker("notebook")
    assert "".join(map(masker.mask, text.splitlines(keepends=True))) == mask(text, "notebook")


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_takes_no_time(format: str) -> None:
    started = time.process_time()
    pieces = [
        "`",
        "``a",
        "`a ",
        "'a ",
        "+a ",
        "{",
        "{a",
        "a:[",
        "a:b[",
        "<<a",
        "<a ",
        "[[a",
        "(((a",
    ]
    pieces += [
        "link:a[",
        "a,b=",
        "*a",
        "_a b",
        "#a",
        "~a ",
        "=a ",
        " =a",
        "/a b",
        "[fn:",
        "{{{",
        "@@a:",
    ]
    pieces += [
        "a:: ",
        "a::",
        "\\fB",
        "\\fBa",
        "\\-",
        "\\-a",
        "a\\%",
        "\\(",
        "a(1",
        "\\[",
        "- ",
        "$a",
        "$",
    ]
    pieces += [
        "{/*",
        "{'",
        '"',
        '["',
        '{"',
        "\\u00e9",
        '"a\\n",',
        "\\",
        "|",
        "a|",
        "[",
        "]",
        "src_a[",
    ]
    pieces += [
        "\n",
        ".TP\n",
        "a\n---\n",
        "[source]\n",
        ": a\n",
        "import 'a'\n",
        "{\n",
        "}\n",
        "a - ",
    ]
    for piece in pieces:
        mask(piece * (16_384 // len(piece)), format)
    cell = '{"cells":[{"cell_type":"markdown","source":["'
    for piece in ("\\n", "\\u00e9", "a", "\\\\", '","', "`a "):
        mask(cell + piece * (16_384 // len(piece)), format)
    assert time.process_time() - started < 5
