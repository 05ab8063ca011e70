"""The `fetch` command: settings, checkouts and the files it writes. No test needs a network."""

import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from respell.lab.__main__ import TROUBLE, main
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import read_sources
from respell.lab.data.fetch import checkout
from respell.lab.data.fetch.checkout import Checkout, clone, fetched, given, read_files
from respell.lab.data.fetch.origin import Origin, read_cleaning, read_origins
from respell.lab.data.fetch.write import name_of
from respell.types import Error

CORPORA = Path(__file__).parents[2] / "recipes/corpora.toml"
REPO = "github:someone/texts"
LONG = "The old boat had gone before anybody in the village woke up."


def origin(*paths: str, **keys: Any) -> Origin:
    return Origin(REPO, paths, ("lines",), **keys)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


# The list of corpora


def test_every_corpus_of_ours_can_be_fetched() -> None:
    sources = read_sources(CORPORA)
    assert len(sources) == 63
    assert all(source.fetch for source in sources)
    assert len({name_of(source) for source in sources}) == len(sources)
    assert {s.clean.unit for s in sources if s.style != "raw"} == {"as-is"}


FETCH = {"repo": REPO, "paths": ["*.md"], "extract": ["markdown"]}


def test_settings_of_an_origin() -> None:
    table = {**FETCH, "commit": "12ab", "share": 1, "drop": ["^x"]}
    expected = Origin(REPO, ("*.md",), ("markdown",), commit="12ab", share=1.0, drop=("^x",))
    assert read_origins([table], "list") == (expected,)
    assert expected.name == "github:someone/texts @12ab"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": ["x"]}, "list: fetch 1: unknown key 'path'"),
        ({"paths": "*.md"}, "paths must be a list of strings, not '*.md'"),
        ({"paths": []}, "paths and extract must not be empty"),
        ({"paths": ["../x"]}, "'../x' must be a path inside the repository"),
        ({"repo": "gitlab:a/b"}, "repo must be github:, git:, pypi: or debian:, not 'gitlab:a/b'"),
        ({"repo": "github:a/b/../../c"}, "repo must be github:"),
        ({"repo": "pypi:--index-url"}, "repo must be github:"),
        ({"commit": "--force"}, "commit must be 4 to 40 hexadecimal digits, not '--force'"),
        ({"repo": 3}, "repo must be a string, not 3"),
        ({"extract": ["pdf"]}, "extract has no step 'pdf'; there are text, lines"),
        ({"extract": ["csv"]}, "extract step 'csv' needs an option"),
        ({"extract": ["json:a,,b"]}, "extract step 'json:a,,b' needs an option"),
        ({"share": 0}, "share must be a number above 0"),
        ({"share": True}, "share must be a number, not True"),
        ({"drop": ["("]}, r"'(' is not a regular expression"),
    ],
)
def test_wrong_settings_of_an_origin(change: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=re.escape(message)):
        read_origins([{**FETCH, **change}], "list")


def test_an_origin_needs_its_keys() -> None:
    with pytest.raises(Error, match="fetch 2: needs extract"):
        read_origins([FETCH, {"repo": REPO, "paths": ["x"]}], "list")
    with pytest.raises(Error, match="fetch 1: must be a table, not 'x'"):
        read_origins(["x"], "list")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"unit": "page"}, "unit must be one of sentence, paragraph, as-is, not 'page'"),
        ({"ends": "no"}, "ends must be true or false, not 'no'"),
        ({"min_words": 2.5}, "min_words must be a whole number, not 2.5"),
        ({"max_words": 2}, "unknown key 'max_words'"),
        ({"opening": -1}, "list: opening must be 0 or more"),
    ],
)
def test_wrong_settings_of_the_cleaning(table: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=re.escape(message)):
        read_cleaning(table, "list")


# Files of a checkout


def names(source: Origin, folder: Path) -> list[str]:
    return [name for name, _ in read_files(source, Checkout(folder, "1"))]


def test_patterns_of_files(tmp_path: Path) -> None:
    write(tmp_path, {n: n for n in ("a.md", "b.txt", "d/c.md", "d/e/f.md", ".git/x.md", "g.rst")})
    assert names(origin("*.{md,txt}"), tmp_path) == ["a.md", "b.txt"]
    assert names(origin("**/*.md"), tmp_path) == ["a.md", "d/c.md", "d/e/f.md"]
    assert names(origin("d/**/*.md", "*.rst"), tmp_path) == ["d/c.md", "d/e/f.md", "g.rst"]
    assert names(origin("**/*.md", exclude=("*/{c,f}.md",)), tmp_path) == ["a.md"]
    with pytest.raises(Error, match=r"no file matches '\*\.html' in .*has the repository changed"):
        names(origin("*.html"), tmp_path)


def test_a_share_of_the_files_depends_on_their_names_alone(tmp_path: Path) -> None:
    write(tmp_path, {f"{i}.txt": "" for i in range(300)})
    half = names(origin("*.txt", share=0.5), tmp_path)
    assert 110 < len(half) < 190
    assert set(names(origin("*.txt", share=0.25), tmp_path)) < set(half)
    write(tmp_path, {f"new{i}.txt": "" for i in range(50)})
    assert set(half) < set(names(origin("*.txt", share=0.5), tmp_path))


def test_links_out_of_a_repository_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"secret.txt": "x", "repo/a.txt": "y"})
    (tmp_path / "repo/b.txt").symlink_to(tmp_path / "secret.txt")
    assert names(origin("*.txt"), tmp_path / "repo") == ["a.txt"]


def test_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("t/c2.txt", "t/c1.txt", "t/readme"):
            archive.writestr(name, f"in {name}")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"packed"))
    found = dict(read_files(origin("a.zip!t/c*", "*.gz"), Checkout(tmp_path, "1")))
    assert found == {
        "a.zip!t/c1.txt": b"in t/c1.txt",
        "a.zip!t/c2.txt": b"in t/c2.txt",
        "b.txt.gz": b"packed",
    }
    (tmp_path / "b.txt.gz").write_bytes(b"damaged")
    with pytest.raises(Error, match=r"b\.txt\.gz: cannot be read"):
        list(read_files(origin("*.gz"), Checkout(tmp_path, "1")))
    (tmp_path / "a.zip").write_bytes(b"damaged")
    with pytest.raises(Error, match=r"a\.zip: not a zip file"):
        list(read_files(origin("a.zip!*"), Checkout(tmp_path, "1")))


# Checkouts


def git(folder: Path, *arguments: str) -> str:
    who = {
        f"GIT_{role}_{key}": "a@b" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env={**os.environ, **who}
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits."""
    folder = tmp_path / "upstream"
    write(folder, {"docs/a.md": "First.", "docs/b.txt": "Not this.", "large.bin": "x"})
    git(folder, "init", "--quiet")
    for text in ("First.", "Second."):
        write(folder, {"docs/a.md": text})
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", text)
    return folder


def test_cloning_gets_only_the_files_of_the_paths(repository: Path, tmp_path: Path) -> None:
    url = repository.as_uri()
    clone(url, tmp_path / "c", commit="", paths=["docs/*.md"])
    assert (tmp_path / "c/docs/a.md").read_text() == "Second."
    assert not (tmp_path / "c/large.bin").exists()
    assert not (tmp_path / "c/docs/b.txt").exists()
    clone(url, tmp_path / "c", commit="", paths=["docs/*.{txt,rst}"])  # more of the same
    assert (tmp_path / "c/docs/b.txt").exists()
    assert (tmp_path / "c/docs/a.md").exists()


@pytest.mark.parametrize("digits", [8, 40])
def test_cloning_a_commit(digits: int, repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD~1")
    source = Origin(f"git:{repository.as_uri()}", ("**/*.md",), ("lines",), commit=commit[:digits])
    found = fetched(source, tmp_path / "cache")
    assert (found.folder / "docs/a.md").read_text() == "First."
    assert found.revision == commit
    assert given(source, tmp_path / "cache").revision == commit


def test_a_repository_that_cannot_be_cloned(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"git clone .*: failed \(.*\); is there a network\?") as caught:
        clone((tmp_path / "none").as_uri(), tmp_path / "c", commit="", paths=["x"])
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "c").exists()


def test_git_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Error, match="git is not installed; install it, or use --from"):
        fetched(origin("x"), tmp_path / "cache")


def test_packages_are_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def run(program: str, *arguments: str, folder: Path | None = None) -> str:
        calls.append(program)
        if program == "dpkg-deb":
            write(Path(arguments[-1]), {"usr/share/doc/a.html": "x"})
        elif program == "apt-get" and folder:
            (folder / "words_1.2_all.deb").write_text("")
        else:
            wheel = Path(arguments[arguments.index("--dest") + 1], "words-1.2-py3-none-any.whl")
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr("words/a.txt", "x")
        return ""

    monkeypatch.setattr(checkout, "_run", run)
    for _ in range(2):
        wheel = fetched(Origin("pypi:words==1.2", ("**/*.txt",), ("lines",)), tmp_path)
        deb = fetched(Origin("debian:words=1.2", ("**/*.html",), ("html",)), tmp_path)
    assert (wheel.folder / "words/a.txt").read_text() == "x"
    assert (deb.folder / "usr/share/doc/a.html").read_text() == "x"
    assert (wheel.revision, deb.revision) == ("words-1.2-py3-none-any.whl", "words_1.2_all.deb")
    assert calls == [sys.executable, "apt-get", "dpkg-deb"]


# The command

LIST = """
[[source]]
file = "notes.txt.xz"
licence = "MIT"
permissive = true

[[source.fetch]]
repo = "github:someone/texts"
paths = ["**/*.md"]
extract = ["markdown"]
drop = ["^Draft"]
strip = ['^\\w+: ']

[[source.fetch]]
repo = "github:other/mail"
paths = ["*.json"]
extract = ["json:body"]

[[source]]
file = "chat.txt.bz2"
fetch = [{ repo = "github:other/mail", paths = ["*.json"], extract = ["json:chat"] }]
clean = { unit = "paragraph", unknown_words = 0, quickly_written = true, opening = 30 }

[[source]]
file = "elsewhere.txt"
"""
FILES = {
    "someone/texts/a.md": (
        "# Title\n\nAnn: The tea is on the table. Ann: Type `tea` to see it. "
        "It is as hot as it was before.\n\nDraft notes that nobody should read.\n\nand then the\n"
    ),
    "someone/texts/b/c.md": f"The tea is on the *table*!\n\n{LONG}\n",
    "other/mail/1.json": json.dumps(
        {
            "body": "We will meet at the station tomorrow.",
            "chat": [
                "The zorks are here. They are old.",
                "Your welcome, it was a pleasure.",
                "The old cats sat on the mat together and slept all day.",
                "The old cats sat on the mat together and left.",
                "The dog was teh friend of the cat.",
            ],
        }
    ),
}
WORDS = (
    "the are here they old it was a pleasure your welcome cats sat on mat together and slept all "
    "day left dog friend of cat"
)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a list of corpora, checkouts, a word list and a test set."""
    write(tmp_path / "checkouts", FILES)
    write(
        tmp_path,
        {
            "corpora.toml": LIST,
            "words.txt": "\n".join(WORDS.split()),
            "list.tsv": "the\tteh\n",
            "test.txt": "The old boat had gone before anybody in the village woke up .\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*names: str, held_out: bool = True) -> int:
    options = ["--corpora", "corpora.toml", "--out", "out", "--from", "checkouts"]
    options += ["--words", "words.txt", "--misspellings", "list.tsv"]
    return main(["fetch", *names, *options, *(("--held-out", "test.txt") if held_out else ())])


def test_fetching_and_cleaning(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert list(read_lines(Path("out/notes.txt.xz"))) == [
        "The tea is on the table.",
        "It is as hot as it was before.",
        "We will meet at the station tomorrow.",
    ]
    assert list(read_lines(Path("out/chat.txt.bz2"))) == [
        "The old cats sat on the mat together and slept all day."
    ]
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "chat.json",
        "chat.txt.bz2",
        "notes.json",
        "notes.txt.xz",
    ]
    assert (
        "notes: 21 words in 3 lines; dropped: duplicates 1, held out 1" in capsys.readouterr().err
    )


def test_the_record_of_a_corpus(work: Path) -> None:
    run("notes", "chat")
    notes = json.loads(Path("out/notes.json").read_text())
    assert notes["licence"] == "MIT"
    assert [item["files"] for item in notes["origins"]] == [2, 1]
    assert notes["origins"][0]["revision"] == "unknown"
    assert notes["dropped"] == {"duplicates": 1, "held out": 1, "not prose": 1}
    assert (notes["lines"], notes["words"]) == (3, 21)
    assert (set(notes["held_out"]), notes["word_lists"]) == ({"test.txt"}, {})
    chat = json.loads(Path("out/chat.json").read_text())
    assert set(chat["word_lists"]) == {"words.txt", "list.tsv"}
    assert chat["dropped"] == {"duplicates": 1, "slips": 1, "unknown words": 2}


def test_what_is_there_is_not_fetched_again(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    before = Path("out/notes.txt.xz").stat().st_mtime_ns
    capsys.readouterr()
    assert run("notes") == 0
    assert "notes: already there" in capsys.readouterr().err
    assert Path("out/notes.txt.xz").stat().st_mtime_ns == before
    assert run("notes", held_out=False) == 0  # other settings
    text = capsys.readouterr().err
    assert "no --held-out: sentences of dev and test sets are not removed" in text
    assert "notes: 33 words in 4 lines" in text


@pytest.mark.parametrize("remove_record", [False, True])
def test_files_of_others_are_not_overwritten(
    remove_record: bool, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("notes") == 0
    Path("out/notes.txt.xz").write_bytes(b"mine")
    if remove_record:
        Path("out/notes.json").unlink()
    assert run("notes") == TROUBLE
    assert "out/notes.txt.xz: not as `fetch` wrote it; remove it" in capsys.readouterr().err
    assert Path("out/notes.txt.xz").read_bytes() == b"mine"


def test_one_missing_checkout_stops_no_other_corpus(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("checkouts/someone").rename("checkouts/renamed")
    assert run() == TROUBLE
    text = capsys.readouterr().err
    missing = "checkouts/someone/texts: no checkout of github:someone/texts; get it, or omit --from"
    assert f"notes: {missing}" in text
    assert "1 of 2 corpora failed; try again: notes" in text
    assert Path("out/chat.txt.bz2").exists()
    assert not list(Path("out").glob("*notes*"))


def test_files_that_cannot_be_read_are_left_out(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(work, {"checkouts/other/mail/2.json": "{"})
    assert run("notes") == 0
    assert "left out 2.json: line 1 is not JSON" in capsys.readouterr().err
    record = json.loads(Path("out/notes.json").read_text())
    assert record["origins"][1]["unreadable"] == 1
    Path("checkouts/other/mail/1.json").unlink()
    assert run("chat") == TROUBLE
    assert "no file can be read, for example 2.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["note"], "note: not in the list; there are notes, chat, elsewhere"),
        (["elsewhere"], "elsewhere: the list does not say where to fetch it"),
    ],
)
def test_wrong_names(
    names: list[str], message: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*names) == TROUBLE
    assert message in capsys.readouterr().err


def test_a_corpus_without_a_line_is_an_error(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(work, {"checkouts/other/mail/1.json": '{"chat": "Zork."}'})
    assert run("chat") == TROUBLE
    assert "chat: no line is left (not prose: 1)" in capsys.readouterr().err
    assert not Path("out/chat.txt.bz2").exists()
