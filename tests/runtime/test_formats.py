"""What is hidden from the corrector, and that no offset moves."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.formats.languages import language_of
from respell.formats.masker import Masker
from respell.formats.scanner import FILLER

KINDS = ("md", "html", "tex", "rst", "txt", "")


def masker_of(extension: str) -> Masker:
    return Masker(language_of(f"file.{extension}").name)


def shown(extension: str, text: str) -> list[str]:
    """The words that stay visible."""
    return masker_of(extension).mask(text).replace(FILLER, " ").split()


def test_case_and_unknown_extensions() -> None:
    assert shown("MD", "`teh` b") == ["b"]
    assert shown("xyz", "`teh` b") == ["`teh`", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a `teh` b", "a b"),
        ("a ``teh ` x`` b", "a b"),
        ("`Foo`s re`teh`ed a `x`-ed the $n$th", "a -ed the"),
        ("a `teh\nx` b", "a b"),
        ("a ``teh` b", "a ``teh` b"),
        ("a `teh\n\nx` b", "a `teh x` b"),
        (r"a \`teh\` b", r"a \`teh\` b"),
        ("```\nteh\n``\n```\nb", "b"),
        ("~~~ py\nteh\n```\n~~~~\nb", "b"),
        ("- ```\n  teh\n  ```\n- b", "- b"),
        ("> ```\n> teh\nb", "> > b"),
        ("> ```\n> teh\n> ```\n> b\n> - ~~~\n>   teh", "> > > > b > >"),
        ("> a\n>\n>     teh\n> b\n>     c", "> a > > > b > c"),
        ("a\n> > b\n> >\n> >\tteh\n\n> - c\n>\n>     d", "a > > b > > > > > - c > > d"),
        ("- > a\n  >\n  >     teh\n\n  b\n\n      teh", "- > a > > b"),
        ("a\n\n    teh\n\n\tteh\nb", "a b"),
        ("a\n    b", "a b"),
        ("- a\n\n    b\n\n      teh\n\nc\n\n    teh", "- a b c"),
        ("1. a\n\n   b\n\n    c", "1. a b c"),
        ("---\ntitle: teh\n---\nb", "b"),
        ("\ufeff+++\nteh = 1\n+++\nb", "b"),
        ("---\n\na\n\n---\n", "--- a ---"),
        ("---\na: never closed\n", "--- a: never closed"),
        ('[a](http://teh "b")', '[a]( "b")'),
        ("[a](<teh x> 'b') c", "[a]( 'b') c"),
        ("![a](x_(y).png)b", "![a]( )b"),
        ("[a][teh] b", "[a][ b"),
        ("[teh]: http://teh 'b'", "'b'"),
        ("[^teh]: b[^x]", "b"),
        ("<https://teh> a <b class='teh'>b</b>", "a b"),
        ("1 <2 and 3> 2", "1 <2 and 3> 2"),
        ("a <!-- teh\n\nteh --> b", "a b"),
        ("`<!--` a", "a"),
        ("a <pre>\n\nteh</pre> b <pre-commit> c", "a b c"),
        ("na&iuml;ve don&rsquo;t a&nbsp;b &lt;c&gt;", "a b c"),
        ("a $x^2$ b $$y\nz$$ costs $5 and $6", "a b costs $5 and $6"),
        ("# a {#teh .teh} {{ teh }} {% teh %}", "# a"),
        ("**D**efinition a un*believ*able *F*ile ~~D~~efinition ==D==efinition", "a~~=="),
        ("<b>D</b>efinition ***<u>F</u>***ile a govern<wbr>ment 1<sup>st</sup> b", "*** a 1b"),
        ("[Goo](x)gle a [Goo][x]gle {{ x }}ing {% if x %}b{% endif %}", "[ a [ b"),
        ("**b** *b*, ***b*** ~~b~~ b\\*c **b.** **b**:", "b b, b ~~b~~ b\\*c b. b:"),
        ("a * b\n* c ./**/d* e", "a * b * c ./**/d e"),
        ("<b>b</b>, b<br>c", "b, b c"),
        ("_b_ _b c,_ __b *c* d.__ ___b c___", "b b c, b c d. b c"),
        ("_don't_ _b!_ (_b\nc_) _b-c_", "don't b! (b c) b-c"),
        ("_a b_c d_ _pri __pri__ _pri_vate_ a_b_c", "a b_c d _pri __pri _pri_vate a_b_c"),
        ("./_a b_c/_d a_ __init__.py", "./_a b_c/_d a __init__.py"),
        ("[teh guide][] a [teh `guide`] ![teh guide], b", "a ! , b"),
        ("- [ ] a [b c.] list[b]", "- [ ] a [b c.] list[b]"),
        ("\\[b\\] [b]: [b\n\nc]", "\\[b\\] [b]: [b c]"),
        (f"[{'b ' * 31}] [[teh]] [b](c)", f"[{'b' * 31}] [ ] [b]( )"),
        ("<svg a='b'/> a <svg\nb='c' /> b <svg a='/>'>teh</svg>", "a b"),
    ],
)
def test_markdown(text: str, words: str) -> None:
    assert "".join(shown("md", text)) == words.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE html><p class='a>teh'>b</p>", "b"),
        ("<a\nhref=teh>b</a>", "b"),
        ("<p don't>b", "b"),
        ("<SCRIPT>teh < teh</script>b<style>teh</style>", "b"),
        ("<pre>teh\n\nteh</pre>a<code>teh</code> b", "b"),
        ("<span class='x>y'>O</span>nce <b>D</b>efi<i>n</i>ition <b>R</b><u>a</u>ndom a", "a"),
        ("govern<wbr>ment govern<WBR />ment the <var>n</var>th re<code>x</code>ed a", "the a"),
        ("the 1<sup>st</sup> H<sub>2</sub>O <span>a</span><a\nhref=x>b</a> c", "the 1 H 2 c"),
        ("<b>a</b> b<sup>1</sup> <i>c</i>, d<br>e <td>f</td><td>g</td>", "a b 1 c , d e f g"),
        ("<svg a='b'/>a<math/>b <svg a=b>teh<path d='x'/>teh</svg> c <code /> d", "a b c d"),
        ("a<button>b</button>c<big-thing>d</big-thing>", "a b c d"),
        ("a<!-- <p> -- teh\n -->b", "a b"),
        ("a<?php teh > ?>b", "a b"),
        ("a < b &amp; c &eacute;t&eacute; x&#39;y", "a < b c"),
    ],
)
def test_html(text: str, words: str) -> None:
    assert shown("html", text) == words.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"\section{a}\label{teh} b \ref{teh} \cite[teh][p.~2]{teh} c", "{a} b c"),
        (r"\begin{tabular}[t]{|teh|} a \\ \end{tabular} b", "a b"),
        (r"a $teh$ b \(teh\) c \[teh" "\n\n" r"x\] d $$teh$$ e \$5", "a b c d e 5"),
        ("a % teh\nb 5\\% c", "a b 5 c"),
        ("\\begin{verbatim}\nteh $\n\n\\end{verbatim} a", "a"),
        ("\\begin{align*}\nteh\n\n\\end{align*} a", "a"),
        (r"\verb|teh $| a \textbf{b} \emph{c}", "a {b} {c}"),
        (r"na\"ive \'etude caf\'{e} Stra{\ss}e spell\-ing {\"o}l a", "a"),
        (r"\texttt{teh} \lstinline[x]{teh} \mintinline{x}{teh} the $n$th a", "the a"),
        (r"\href{http://teh}{a} \textcolor{teh}{b}", "{a} {b}"),
        (r"\ac{teh} \Acp{teh} \acrshort{teh} \acute a", "a"),
        (r"\SI[x]{3}{\teh teh} \si{teh} \qty{3}{teh} a", "a"),
        (r"a\index{teh!teh@\textbf{teh}} b \Gls{teh} \emph{c}", "a b {c}"),
        (r"\newcommand{\x}[1][teh]{\emph{teh {teh} \} teh}} \newcommand\y{\emph{teh}} a", "a"),
        (r"\def\x{teh} \def\y#1 by #2{a {teh} b} \gdef\z{{{teh}}} \define{a}", "{a}"),
        ("\\renewcommand*{\\x}{%\n  \\textbf{teh}\n} a {b}", "a {b}"),
        (r"\usepackage[teh]{teh}\includegraphics[width=2teh]{teh} a", "a"),
    ],
)
def test_latex(text: str, words: str) -> None:
    assert shown("tex", text) == words.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a::\n\n  teh\n\n    teh\n\nb", "a:: b"),
        ("::\n\n  teh\nb", ":: b"),
        ("a ``teh ` x`` b :ref:`teh` `teh` c", "a b c"),
        ("`a <teh>`_ `b`_ |teh| [1]_ c", "`a `b`_ c"),
        (".. code-block:: teh\n   :teh: x\n\n   teh\n\n   teh\n\nb", "b"),
        (".. note:: a\n   :class: teh\n\n   b", "a b"),
        (".. figure:: teh.png\n   :teh: x\n\n   b", "b"),
        (".. teh\n   teh\n\nb", "b"),
        (">>> teh(1)\nteh\n... teh\n\na\n\n  >>> teh\n  teh\n \n  b", "a b"),
        (".. note::\n\n   >>> teh\n   teh\n\n   a >>> b", "a >>> b"),
        (".. [1] a\n.. _teh: http://teh\n:param teh: b", "a b"),
        ("| a | b |", "| a | b |"),
        ("a recieve_ and teh-2__, snake_cse b.", "a and , snake_cse b."),
    ],
)
def test_rst(text: str, words: str) -> None:
    assert shown("rst", text) == words.split()


@pytest.mark.parametrize("extension", KINDS)
def test_pragmas_in_every_kind(extension: str) -> None:
    text = (
        "one\nx respell: ignore x\ntwo respell: ignored\nx respell:ignore-next-line\nx\nthree\n"
        "x respell: off\nx\n\nx\nx respell: on\nfour\n"
    )
    words = [word for word in shown(extension, text) if word in {"one", "two", "three", "four"}]
    hidden = masker_of(extension).mask(text).splitlines()
    assert words == ["one", "two", "three", "four"]
    assert [bool(set(line) - {FILLER, " "}) for line in hidden] == [
        *(True, False, True, True, False, True),
        *(False, False, False, False, False, True),
    ]


def test_a_pragma_block_spans_blocks() -> None:
    masker = Masker("plain")
    blocks = [
        "respell: off\n",
        "x\n",
        "respell: on\n",
        "y respell: ignore-next-line\n",
        "x\n",
        "z\n",
    ]
    masked = [masker.mask(block) for block in blocks]
    assert [FILLER in block for block in masked] == [True, True, True, False, True, False]


markup = st.lists(
    st.sampled_from(
        "` `` ``` ~~~ $ $$ < > </ <a <!-- --> <pre> </pre> <? ?> & &amp; &eacute; [ ]( ][ ]: ) [^ "
        "{ } {{ }} {% %} \\ \\( \\) \\[ \\] \\begin{verbatim} \\end{verbatim} \\cite{ \\'e "
        "\\verb| % .. :: a:: :a: | _ - 1. > --- +++ \ufeff é 😀 word \ufffc "
        "respell: ignore off on".split()
    )
    | st.sampled_from([" ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\x0c", "\u00a0", "\u2028"]),
    max_size=40,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(markup, st.sampled_from(KINDS))
def test_length_and_white_space_stay(text: str, extension: str) -> None:
    masked = masker_of(extension).mask(text)
    assert len(masked) == len(text)
    for old, new in zip(text, masked, strict=True):
        assert new in (old, FILLER) or (old, new) == ("\ufeff", " ")
        assert not (old.isspace() and new != old)


CONSTRUCTS = {
    "md": [
        "```\nteh\n\nteh\n```\n",
        "~~~~\n```\n~~~~\n",
        "- a\n\n  b\n\n      teh\n",
        "a\n\n    teh\n\n    teh\n",
        "a <!-- teh\n\nteh --> b\n",
        "<pre>\nteh\n</pre>\n",
        "[x]: http://y\n",
        "a `teh` [b](teh) $x$\n",
        "_a b_ [teh] __c d__ [teh][]\n",
        "> a\n>\n>     teh\n> ```\n> teh\n",
    ],
    "html": ["<script>\nteh\n</script>\n", "<p\nclass=x>a\n", "<!--\n\n-->b\n", "a &eacute; b\n"],
    "tex": [
        "\\begin{align}\nteh\n\\end{align}\n",
        "\\[\nx\n\\]\n",
        "a $x$ % teh\n",
        "$$\nx\n$$ b\n",
    ],
    "rst": [
        "a::\n\n  teh\n\n  teh\n",
        ".. code::\n   :x: y\n\n   teh\n",
        ".. teh\n   teh\n",
        "a ``b``\n",
        ">>> teh\nteh\n",
    ],
    "txt": ["a\n"],
}
COMMON = ["\n", "plain text\n", "respell: off\n", "respell: on\n", "respell: ignore-next-line\n"]


@settings(deadline=None)
@given(st.data())
def test_blocks_one_by_one_equal_all_at_once(data: st.DataObject) -> None:
    extension = data.draw(st.sampled_from(sorted(CONSTRUCTS)))
    parts = data.draw(st.lists(st.sampled_from(CONSTRUCTS[extension] + COMMON), max_size=8))
    text = "".join(parts)
    masker = masker_of(extension)
    assert "".join(map(masker.mask, text.splitlines(keepends=True))) == masker_of(extension).mask(
        text
    )


@pytest.mark.parametrize("extension", KINDS)
def test_hostile_text_takes_no_time(extension: str) -> None:
    started = time.process_time()
    pieces = ["<a ", "](", "[^", "{{", "`", "$", "\\cite[", "\\begin{", "a&b", ":a:`", '<a "']
    pieces += ["x<b>", "x*", '<svg "', "<svg ", "\\cite{", "\\cite{}{", "\\def\\x", "\\def{{}"]
    pieces += ["_a ", "_a_a ", "_a b_c", "a_ ", "a-a_", "[a", "[a ]", "[", "[a][", "a__"]
    for piece in pieces:
        masker_of(extension).mask(piece * (16_384 // len(piece)))
    assert time.process_time() - started < 5
