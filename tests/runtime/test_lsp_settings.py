"""The editor's settings, merged with the configuration file."""

from pathlib import Path
from typing import Any

import pytest

from respell.config import add_word
from respell.formats.languages import language_in_editor
from respell.lsp.settings import Settings, merge, read_settings
from respell.options import CorrectorOptions
from respell.types import Error


@pytest.mark.parametrize(
    ("editor_id", "path", "name"),
    [
        ("markdown", "/x/notes", "markdown"),
        ("restructuredtext", "untitled:1", "rst"),
        ("LaTeX", "/x/a.txt", "latex"),
        ("plaintext", "/x/a.MD", "markdown"),
        ("plaintext", "/x/a.toml", "toml"),
        ("plaintext", "/x/a.txt", "plain"),
        ("text", "/x/a", "plain"),
        ("", "/x/a", "plain"),
        ("", "/x/c", "plain"),
        ("gitcommit", "/x/COMMIT_EDITMSG", "plain"),
        ("python", "untitled:1", "python"),
        ("shellscript", "/x/a", "shell"),
        ("typescriptreact", "/x/a", "typescript"),
        ("Dockerfile", "/x/a", "dockerfile"),
        ("", "/x/Makefile", "makefile"),
        ("", "/x/a.rs", "rust"),
    ],
)
def test_language_comes_from_the_editor_or_from_the_file_name(
    editor_id: str, path: str, name: str
) -> None:
    assert language_in_editor(editor_id, path).name == name


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"respell": value}])
def test_all_settings_are_read(wrap: Any) -> None:
    value = {
        "threshold": 1,
        "preset": "careful",
        "dictionary": ["frob"],
        "dictionaryFile": "words.txt",
        "maxSuggestions": 3,
        "variant": "en-GB",
        "trace": {"server": "off"},
    }
    options = CorrectorOptions(
        threshold=1,
        preset="careful",
        dictionary=frozenset({"frob"}),
        max_suggestions=3,
        variant="en-GB",
    )
    assert read_settings(wrap(value)) == Settings(options, Path("words.txt"))


@pytest.mark.parametrize(
    "value",
    [None, {}, {"respell": {}}, {"threshold": None, "preset": None}, {"dictionaryFile": ""}],
)
def test_settings_may_be_empty(value: object) -> None:
    assert read_settings(value) == Settings()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "respell must be an object"),
        ({"threshold": "0.5"}, "respell.threshold must be a number between 0 and 1, not '0.5'"),
        ({"threshold": True}, "respell.threshold must be a number between 0 and 1, not True"),
        ({"threshold": 1.5}, "respell.threshold must be a number between 0 and 1, not 1.5"),
        (
            {"preset": ["careful"]},
            "respell.preset must be one of default, noisy, careful, not ['careful']",
        ),
        ({"dictionary": "frob"}, "respell.dictionary must be a list of words, not str"),
        ({"dictionary": 1}, "respell.dictionary must be a list of words, not int"),
        ({"dictionary": [1]}, "respell.dictionary must be a list of words, not of int"),
        ({"dictionaryFile": 1}, "respell.dictionaryFile must be a string, the path of a file"),
        (
            {"variant": "en-AU"},
            "respell.variant must be one of auto, en-GB, en-US, not 'en-AU'",
        ),
        (
            {"maxSuggestions": 0},
            "respell.maxSuggestions must be a whole number of at least 1, not 0",
        ),
        (
            {"maxSuggestions": 2.5},
            "respell.maxSuggestions must be a whole number of at least 1, not 2.5",
        ),
    ],
)
def test_invalid_setting_is_an_error(value: object, message: str) -> None:
    with pytest.raises(Error) as caught:
        read_settings(value)
    assert str(caught.value) == f"settings of the editor: {message}"


def test_editor_overrides_the_file_and_dictionaries_add_up(tmp_path: Path) -> None:
    below = tmp_path / "docs"
    below.mkdir()
    (tmp_path / "team.txt").write_text("alpha\n")
    (tmp_path / "mine.txt").write_text("beta\n")
    (tmp_path / "respell.toml").write_text(
        'threshold = 0.6\ndictionary = ["gamma"]\ndictionary_files = ["team.txt"]\nmodel = "m"\n'
    )
    from_file = merge(Settings(), folder=below, root=tmp_path)
    assert from_file.options == CorrectorOptions(
        threshold=0.6, dictionary=frozenset({"alpha", "gamma"}), model=tmp_path / "m"
    )
    assert from_file.dictionary_file == tmp_path / "team.txt"
    options = CorrectorOptions(preset="noisy", dictionary=frozenset({"delta"}))
    editor = Settings(options, Path("mine.txt"))
    merged = merge(editor, folder=below, root=tmp_path, words={"epsilon"})
    assert merged.options == CorrectorOptions(
        preset="noisy",
        threshold=None,
        dictionary=frozenset({"alpha", "beta", "gamma", "delta", "epsilon"}),
        model=tmp_path / "m",
    )
    assert merged.dictionary_file == tmp_path / "mine.txt"


def test_dictionary_file_of_the_editor_is_created_when_needed(tmp_path: Path) -> None:
    (tmp_path / "respell.toml").touch()
    editor = Settings(dictionary_file=Path("new/words.txt"))
    settings = merge(editor, folder=tmp_path, root=tmp_path)
    assert settings.options.dictionary == frozenset()
    assert settings.dictionary_file is not None
    add_word(settings.dictionary_file, "frob")
    assert merge(editor, folder=tmp_path, root=tmp_path).options.dictionary == {"frob"}


@pytest.mark.parametrize(
    ("old", "new"), [(b"", b"frob\n"), (b"a", b"a\nfrob\n"), (b"# x\r\n", b"# x\r\nfrob\n")]
)
def test_word_is_added_at_the_end(tmp_path: Path, old: bytes, new: bytes) -> None:
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


def test_dictionary_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Error, match="file"):
        add_word(tmp_path / "file" / "words.txt", "frob")


@pytest.mark.parametrize("word", ["two words", "#tag", "", "line\n"])
def test_a_dictionary_has_one_word_per_line(tmp_path: Path, word: str) -> None:
    with pytest.raises(Error, match="one word per line"):
        add_word(tmp_path / "words.txt", word)
    assert not (tmp_path / "words.txt").exists()
