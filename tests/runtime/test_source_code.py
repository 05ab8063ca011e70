"""Source code: its comments are shown, everything else stays as it is."""

import ast
import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import eager
from respell.cli.main import main
from respell.formats.languages import LANGUAGES, language_of
from respell.formats.masker import Masker
from respell.formats.scanner import FILLER
from respell.lsp.checking import Checker

SOURCE = [language for language in LANGUAGES if language.syntax]
FILENAMES = [name for one in SOURCE for name in one.filenames.split()]
SUFFIXES = [suffix for one in SOURCE for suffix in one.extensions.split()]
MODULES = (
    "abc argparse ast bisect calendar cmd codecs contextlib copy csv datetime difflib functools "
    "heapq inspect re/_parser string tarfile textwrap typing"
).split()


def masker_of(extension: str) -> Masker:
    return Masker(
        (
            language_of(extension)
            if extension.lower() in FILENAMES
            else language_of(f"file.{extension}")
        ).name
    )


def shown(extension: str, text: str) -> list[str]:
    return masker_of(extension).mask(text).replace(FILLER, " ").split()


@pytest.mark.parametrize(
    ("extension", "text", "words"),
    [
        ("py", "import os  # a b\nx = '# teh' + \"\\\"# teh\" #: c", "a b c"),
        ("py", '"""A b.\n\nc\n"""\nx = """teh # teh"""\n# d', "A b. c d"),
        ("py", "def f():\n    r'''a \\''' b'''\n    return f(\n'''teh'''\n)", "a \\''' b"),
        ("py", "x = \\\n'''teh'''\ny = rb'''\nteh # teh'''\n'''a'''", "a"),
        ("py", "#!/usr/bin/env teh\n# -*- coding: teh -*-\n# type: teh\nx  # noqa: teh\n# a", "a"),
        ("py", '"""A\n\n>>> teh\nteh\n\nb::\n\n    teh\n"""', "A b::"),
        ("PYI", "x: teh  # a", "a"),
        ("sh", "x=$# y=${teh#teh} 'teh\n# teh' \"teh\n# teh\" \\' # a\n# b", "a b"),
        ("sh", "cat <<-'END' # teh\n# teh\n  END\n# a\ncat << E\n# teh\nE\n# b", "a b"),
        ("rb", "x = \"#{teh}\" # a\ny << Z\nz = <<~END\n# teh\nEND\n# b", "a b"),
        ("rb", "# a:\n#   teh\n#\n#     teh teh\n# b\n#\n#   teh\n\nteh # c\n  # d", "a: b c d"),
        ("rb", "# a\n#    b\n#\n#    c\n# * d\n#\n#   e\n#\n#     teh\n# f", "a b c * d e f"),
        ("rb", "# a:\n#   * b\n#     c\n# [d]\n#   e\n#\n#   f", "a: * b c [d] e f"),
        ("rb", "# a +teh+, <tt>teh teh</tt> b+c+d <code>teh</code>s <tt>e", "a , b+c+d s <tt>e"),
        ("pl", "# a:\n#   +b+", "a: +b+"),
        ("yaml", "teh: don't # a\nteh: '# teh'\nteh: http://x#teh", "a"),
        ("toml", 'teh = """\n# teh\n""" # a\n[teh]', "a"),
        ("ini", "; a\nteh = teh # teh\n  # b", "a b"),
        ("el", '(f "teh ; teh" ?\\; ?; \'teh) ; a\n#| b\n; c |#\n;;; d', "a b ; c d"),
        ("clj", "(f \\; teh) ; a", "a"),
        ("erl", "teh($%, \"% teh\", 'teh % teh') -> 1. %% a", "a"),
        ("cmake", 'set(TEH "teh # teh") # a', "a"),
        ("ex", '"""\nteh # teh\n""" # a', "a"),
        ("dart", "teh('// teh'); /// a", "a"),
        ("makefile", "teh:\n\tteh # a", "a"),
        ("Dockerfile", "# a\nRUN teh", "a"),
        ("c", '#include <teh>\nx = "// teh"; // a\n/* b\n * c */ y = \'"\'; // d', "a b c d"),
        ("cpp", 'x = R"x(" // teh )" )x"; // a', "a"),
        ("java", 'x = """\n// teh\n""" + "\\"// teh"; /** a\n * b **/ c();', "a b"),
        ("cs", 'x = @"c:\\" + @"\n// teh"; // a', "a"),
        ("js", "x = `// ${teh}\n/* teh`; y = /[/*]'/; // a\n//@ts-ignore teh", "a"),
        ("jsx", "<a>http://teh don't</a> // a", "a"),
        ("ts", "x = a / b; // a\n// eslint-disable teh\nreturn /\\/*\"/; /* b */", "a b"),
        ("go", "x := `\n// teh`; y := '\"' // a\n//go:generate teh", "a"),
        ("rs", "fn f<'a>(x: &'a str) { let y = r#\"// \" teh\"#; let z = '\\''; } // a", "a"),
        ("rs", 'let x = "teh\n// teh"; //! a', "a"),
        ("php", "<?php $x = '// teh\n# teh'; # a\n#[teh]\n// b ?>\nteh // teh <? // c", "a b c"),
        ("php", "<?php\n$x = <<<END\n// teh\nEND; // a\n?> don't // teh <?php // b", "a b"),
        ("css", "a { b: '/* teh */'; c: url(//teh) } /* a */", "a"),
        ("scss", "a { c: url(//teh) } // a", "a"),
        ("sql", "select '-- teh ''\n-- teh' -- a\n/* b */", "a b"),
        ("lua", "x = '-- teh' -- a\n--[==[ b ]] c ]==] y = [[\n-- teh]]", "a b ]] c"),
        ("hs", "{-# TEH #-} f' x = x --> \"-- teh\" -- | a\n{- b\n c -}", "a b c"),
    ],
)  # fmt: skip
def test_comments_alone_are_shown(extension: str, text: str, words: str) -> None:
    assert shown(extension, text) == words.split()


def test_sentences_go_on_from_line_to_line() -> None:
    assert Masker("python").mask("# a\n# b") == "  a\n  b"
    assert Masker("c").mask("/* a\n * b */") == "   a\n   b   "


def test_a_named_file_is_read_as_what_it_is(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name, text, wanted in [
        ("a.py", "import os  # teh\n", "import os  # zebra\n"),
        ("Makefile", "teh: # teh\n", "teh: # zebra\n"),
        ("c", "# teh\n", "# zebra\n"),
    ]:
        (tmp_path / name).write_text(text)
        main(
            ["fix", "--no-config", "--no-evidence", str(tmp_path / name)],
            load=lambda *_, **__: eager(),
        )
        assert capsysbinary.readouterr().out.decode() == wanted


def test_the_editor_shows_the_same() -> None:
    found = Checker(eager()).check("import os  # zebraa\n", format="python")
    assert [correction.original for correction in found] == ["zebraa"]


def test_pragmas_speak_in_comments() -> None:
    assert shown("py", "# a  respell: ignore\n# b") == ["b"]


code = st.lists(
    st.sampled_from(
        '" \' ` """ \'\'\' # // /* */ * -- --[[ ]] {- -} \\ r#" "# R"( )" <<EOF EOF <<<X X ( ) '
        "[ ] { } ?> <? word é : = ; url( /".split()
    )
    | st.sampled_from([" ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\u2028"]),
    max_size=40,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(code, st.sampled_from(SUFFIXES))
def test_length_and_line_ends_stay(text: str, extension: str) -> None:
    masked = masker_of(extension).mask(text)
    assert len(masked) == len(text)
    for old, new in zip(text, masked, strict=True):
        assert new == old if old.isspace() else new in (old, FILLER, " ")


CONSTRUCTS = {
    "py": [
        '"""A\n\nb\n"""\n',
        "x = f(\n'''teh'''\n)\n",
        "y = '''\n# teh\n'''\n",
        "# a\n",
        "x(\n",
    ],
    "sh": ["'\n# teh'\n", '"\n# \\" teh"\n', "cat <<END\n# teh\nEND\n", "x # a\n"],
    "js": ["/* a\n * b */\n", "`\n// teh`\n", "// a\n", "x = '//'\n"],
    "rs": ['r#"\n// teh\n"#\n', '"\n// teh"\n', "// a\n"],
    "lua": ["--[=[ a\n]]\n]=]\n", "[[\n-- teh]]\n", "-- a\n"],
}


@settings(deadline=None)
@given(st.data())
def test_blocks_one_by_one_equal_all_at_once(data: st.DataObject) -> None:
    extension = data.draw(st.sampled_from(sorted(CONSTRUCTS)))
    parts = data.draw(st.lists(st.sampled_from([*CONSTRUCTS[extension], "\n", "x\n"]), max_size=8))
    text = "".join(parts)
    masker = masker_of(extension)
    assert "".join(map(masker.mask, text.splitlines(keepends=True))) == masker_of(extension).mask(
        text
    )


class _Undocumented(ast.NodeTransformer):
    """Makes all strings alike that are statements."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return ast.Expr(ast.Constant("..."))
        return self.generic_visit(node)


def _meaning(path: Path) -> str:
    return ast.dump(_Undocumented().visit(ast.parse(path.read_text("utf-8"))))


def test_python_means_the_same_whatever_is_corrected(tmp_path: Path) -> None:
    names = []
    for module in MODULES:
        source = Path(os.__file__).parent / f"{module}.py"
        names.append(str(tmp_path / source.name))
        shutil.copyfile(source, names[-1])
    before = [(_meaning(Path(name)), Path(name).read_text("utf-8")) for name in names]
    assert (
        main(
            ["fix", "--write", "--no-config", "--no-evidence", *names],
            load=lambda *_, **__: eager(),
        )
        == 0
    )
    for name, (meaning, text) in zip(names, before, strict=True):
        assert _meaning(Path(name)) == meaning
        assert Path(name).read_text("utf-8").count("zebra") > text.count("zebra")


@pytest.mark.parametrize(
    "extension", [one.extensions.split()[0] for one in SOURCE if one.extensions]
)
def test_hostile_code_takes_no_time(extension: str) -> None:
    started = time.process_time()
    pieces = ['"', "'", '"""', "`", "/", "/*", "<<E\n", "--[", "=/", "=/[", 'R"(', "# a\n"]
    for piece in [*pieces, "(", "\\", "    ", "url(", "-", "[=", "# noqa", "?>", "<<<a"]:
        masker_of(extension).mask(piece * (65_536 // len(piece)))
    assert time.process_time() - started < 5
