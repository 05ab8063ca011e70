"""What the editor and the configuration file say, settled."""

from pathlib import Path
from typing import Any

import pytest

from respell.lsp.checking import Options
from respell.lsp.settings import Section, add_word, extension, ignore_comment, read_section, settle
from respell.types import Error


@pytest.mark.parametrize(
    ("language", "path", "wanted"),
    [
        ("markdown", "/x/notes", "md"),
        ("restructuredtext", "untitled:1", "rst"),
        ("LaTeX", "/x/a.txt", "tex"),
        ("plaintext", "/x/a.MD", "md"),
        ("", "/x/a", ""),
        ("", "/x/c", ""),
        ("python", "untitled:1", "py"),
        ("Dockerfile", "/x/a", "dockerfile"),
        ("", "/x/Makefile", "makefile"),
        ("", "/x/a.rs", "rs"),
    ],
)
def test_the_language_tells_the_markup_or_else_the_file(
    language: str, path: str, wanted: str
) -> None:
    assert extension(language, path) == wanted


@pytest.mark.parametrize(
    ("extension", "comment"),
    [
        ("md", "<!-- respell: ignore -->"),
        ("htm", "<!-- respell: ignore -->"),
        ("tex", "% respell: ignore"),
        ("rst", None),
        ("mdx", None),
        ("txt", None),
    ],
)
def test_a_comment_ignores_a_line(extension: str, comment: str | None) -> None:
    assert ignore_comment(extension) == comment


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"respell": value}])
def test_settings_of_the_editor(wrap: Any) -> None:
    value = {
        "threshold": 1,
        "preset": "careful",
        "dictionary": ["frob"],
        "dictionaryFile": "words.txt",
        "maxSuggestions": 3,
        "trace": {"server": "off"},
    }
    assert read_section(wrap(value)) == Section(
        threshold=1,
        preset="careful",
        dictionary=("frob",),
        dictionary_file="words.txt",
        max_suggestions=3,
    )


@pytest.mark.parametrize("value", [None, {}, {"respell": {}}, {"threshold": None, "preset": None}])
def test_an_editor_may_say_nothing(value: object) -> None:
    assert read_section(value) == Section()


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"threshold": "0.5"},
        {"threshold": True},
        {"threshold": 1.5},
        {"preset": "bold"},
        {"preset": ["careful"]},
        {"dictionary": "frob"},
        {"dictionary": [1]},
        {"dictionaryFile": 1},
        {"maxSuggestions": 0},
        {"maxSuggestions": 2.5},
    ],
)
def test_wrong_settings_are_told(value: object) -> None:
    with pytest.raises(Error, match=r"settings of the editor: respell.* must be "):
        read_section(value)


def test_the_editor_beats_the_file_and_words_add_up(tmp_path: Path) -> None:
    below = tmp_path / "docs"
    below.mkdir()
    (tmp_path / "team.txt").write_text("alpha\n")
    (tmp_path / "mine.txt").write_text("beta\n")
    (tmp_path / "respell.toml").write_text(
        'threshold = 0.6\ndictionary = ["gamma"]\ndictionary_files = ["team.txt"]\nmodel = "m"\n'
    )
    by_file = settle(Section(), folder=below, root=tmp_path)
    assert by_file.options == Options(
        threshold=0.6, words=frozenset({"alpha", "gamma"}), model=tmp_path / "m"
    )
    assert by_file.dictionary_file == tmp_path / "team.txt"
    section = Section(preset="noisy", dictionary=("delta",), dictionary_file="mine.txt")
    by_editor = settle(section, folder=below, root=tmp_path, known={"epsilon"})
    assert (by_editor.options.preset, by_editor.options.threshold) == ("noisy", None)
    assert by_editor.options.words == {"alpha", "beta", "gamma", "delta", "epsilon"}
    assert by_editor.dictionary_file == tmp_path / "mine.txt"


def test_the_dictionary_of_the_editor_need_not_exist(tmp_path: Path) -> None:
    (tmp_path / "respell.toml").touch()
    section = Section(dictionary_file="new/words.txt")
    settled = settle(section, folder=tmp_path, root=tmp_path)
    assert settled.options.words == frozenset()
    assert settled.dictionary_file is not None
    add_word(settled.dictionary_file, "frob")
    assert settle(section, folder=tmp_path, root=tmp_path).options.words == {"frob"}


@pytest.mark.parametrize(
    ("old", "new"), [(b"", b"frob\n"), (b"a", b"a\nfrob\n"), (b"# x\r\n", b"# x\r\nfrob\n")]
)
def test_a_word_is_added_at_the_end(tmp_path: Path, old: bytes, new: bytes) -> None:
    real = tmp_path / "real.txt"
    real.write_bytes(old)
    real.chmod(0o600)
    link = tmp_path / "words.txt"
    link.symlink_to(real)
    add_word(link, "frob")
    assert real.read_bytes() == new
    assert real.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["real.txt", "words.txt"]


def test_a_dictionary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Error, match="file"):
        add_word(tmp_path / "file" / "words.txt", "frob")
