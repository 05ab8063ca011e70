"""The protocol of `ispell -a`: bytes in, bytes out, with a corrector that is a dict."""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respell.cli import args
from respell.cli.ispell import corrects_file
from respell.cli.ispell.options import BANNER, Options, for_fix, read
from respell.cli.ispell.personal import Personal
from respell.cli.ispell.session import Session, find
from respell.cli.main import main
from respell.config import user_words_file
from respell.types import Correction, Error, Suggestion

WRONG = {"teh": ("the", "tea"), "recieve": ("receive",), "cafe": ("café",), "there": ("their",)}
Capture = pytest.CaptureFixture[bytes]


class Fake:
    """Corrects the words of a dict: "there" only where "like" stands before it."""

    def __init__(self, dictionary: Iterable[str] = ()) -> None:
        self.dictionary = frozenset(word.lower() for word in dictionary)
        self.asked: dict[str, Any] = {}

    def load(self, path: str | Path | None = None, **asked: Any) -> "Fake":
        self.asked = asked
        self.dictionary = frozenset(word.lower() for word in asked["dictionary"])
        return self

    def with_dictionary(self, words: frozenset[str]) -> "Fake":
        return Fake(words | self.dictionary)

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                Correction(m.start(), m[0], tuple(Suggestion(t, 0.9) for t in WRONG[m[0]]), 0.9)
                for m in re.finditer(r"[^\W\d_]+", text)
                if m[0] in WRONG
                and m[0].lower() not in self.dictionary
                and (m[0] != "there" or text[: m.start()].endswith("like "))
            ]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Fake, Personal(tmp_path / "words.txt"))


def talk(
    data: bytes, monkeypatch: pytest.MonkeyPatch, capture: Capture, *arguments: str
) -> tuple[list[str], str]:
    """The lines that come back after the version line, and what is written on stderr."""
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
    assert main(arguments or ["-a"], load=Fake().load) == 0
    out, err = capture.readouterr()
    first, *rest = out.decode("utf-8", "surrogateescape").split("\n")
    assert first == BANNER
    return rest, err.decode()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("I recieve teh mail", "*\n& recieve 1 2: receive\n& teh 2 10: the, tea\n*\n\n"),
        ("^teh", "& teh 2 1: the, tea\n\n"),
        ("^^teh", "& teh 2 2: the, tea\n\n"),
        ("^*teh", "& teh 2 2: the, tea\n\n"),
        ("^", "\n"),
        ("", "\n"),
        ("   ", "\n"),
        ("12 + 3", "\n"),
        ("don’t don't", "*\n*\n\n"),
        ("😀 naïve teh", "*\n& teh 2 8: the, tea\n\n"),
        ("teh's", "& teh's 2 0: the's, tea's\n\n"),
        ("teh-teh", "& teh 2 0: the, tea\n& teh 2 4: the, tea\n\n"),
        ("I like there dog", "*\n*\n& there 1 7: their\n*\n\n"),
        ("there", "*\n\n"),
        ("teh respell: ignore", "\n"),
    ],
)
def test_a_line_is_checked(session: Session, line: str, answer: str) -> None:
    assert session.answer(line) == answer


class FindsBlanks:
    """Knows one word run together and one pulled apart."""

    def __init__(self, words: frozenset[str]) -> None:
        self.found = {"alot": ("a lot", "split"), "to gether": ("together", "join")}

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                Correction(text.index(old), old, (Suggestion(new, 0.9),), 0.9, 1.0, kind)  # type: ignore[arg-type]
                for old, (new, kind) in self.found.items()
                if old in text
            ]


def test_only_missing_blanks_have_an_answer(tmp_path: Path) -> None:
    session = Session(FindsBlanks, Personal(tmp_path / "words.txt"))
    # A program replaces one word of the line, so it cannot be told about two.
    assert session.answer("alot to gether") == "& alot 1 0: a lot\n*\n*\n\n"


@pytest.mark.parametrize(
    "line",
    [*"*&@#!%`+-~$", "~tex", "+tex", "+nonsense", "$$", "$$ra", "$$ra x,y", "$$cs", "$$cs a,b"],
)
def test_a_command_has_no_answer(session: Session, line: str) -> None:
    for end in ("", " ", "two words", "\0"):
        assert session.answer(line + end) == ""
    assert session.answer("%") == session.answer("-") == ""
    assert session.answer("^fine teh") == "*\n& teh 2 6: the, tea\n\n"


def test_terse_mode_says_nothing_about_right_words(session: Session) -> None:
    session.answer("!")
    assert session.answer("fine teh") == "& teh 2 5: the, tea\n\n"
    assert session.answer("fine") == "\n"
    session.answer("%")
    assert session.answer("fine") == "*\n\n"


def test_verbose_mode_repeats_right_words(session: Session) -> None:
    session.answer("`")
    assert session.answer("fine teh") == "* fine\n& teh 2 5: the, tea\n\n"


def test_accepted_words_are_forgotten(session: Session, tmp_path: Path) -> None:
    session.answer("@teh")
    assert session.answer("^teh recieve") == "*\n& recieve 1 5: receive\n\n"
    session.answer("#")
    assert not (tmp_path / "words.txt").exists()


@pytest.mark.parametrize(("command", "kept"), [("*Teh", "Teh\n"), ("&Teh", "teh\n")])
def test_added_words_are_kept(session: Session, tmp_path: Path, command: str, kept: str) -> None:
    file = tmp_path / "words.txt"
    session.answer(command)
    assert session.answer("teh") == "*\n\n"
    assert not file.exists()
    session.answer("#")
    session.answer("#")
    assert file.read_text() == kept
    assert Session(Fake, Personal(file)).answer("teh") == "*\n\n"


def test_words_of_aspell_and_ispell_are_read(tmp_path: Path) -> None:
    file = tmp_path / ".aspell.en.pws"
    file.write_bytes(b"personal_ws-1.1 en 3\nteh\nrecieve/DGS\n\xe9t\xe9\n# note\nok # why\n")
    personal = Personal(file)
    assert personal.saved == ["teh", "recieve", "ok"]
    personal.add("cafe")
    personal.save()
    assert file.read_bytes().startswith(b"personal_ws-1.1 en 3\nteh\n")
    assert file.read_bytes().endswith(b"ok # why\ncafe\n")


@pytest.mark.parametrize("word", ["", "two words", "#teh", "a\x00b", "\udcff", " "])
def test_what_is_no_word_is_not_added(session: Session, tmp_path: Path, word: str) -> None:
    for command in "*&@":
        session.answer(command + word)
    session.answer("#")
    assert not session.personal.words()
    assert not (tmp_path / "words.txt").exists()


def test_a_failed_save_is_reported_and_tried_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    (home / "folder").mkdir()
    blocked = home / "folder" / "file"
    blocked.write_text("in the way")
    lines, errors = talk(
        b"*teh\n#\n^teh\n", monkeypatch, capsysbinary, "-a", "-p", str(blocked / "words.txt")
    )
    assert lines == ["*", "", ""]
    assert errors.startswith("respell: ")
    assert errors.count("\n") == 1


def test_markup_is_skipped_in_its_mode(session: Session) -> None:
    session.answer("+")
    session.answer("!")
    assert session.answer(r"^\teh{} teh") == "& teh 2 8: the, tea\n\n"
    session.answer("+html")
    assert session.answer("^<teh> teh") == "& teh 2 7: the, tea\n\n"
    session.answer("$$cs mode,markdown")
    assert session.answer("^`teh` teh") == "& teh 2 7: the, tea\n\n"
    session.answer("-")
    assert session.answer("^`teh`") == "& teh 2 2: the, tea\n\n"


def test_aspell_clients_get_answers(session: Session) -> None:
    session.answer("*Foo")
    session.answer("@bar")
    assert session.answer("$$cr lang") == session.answer("$$l") == "en\n"
    assert session.answer("$$cr nothing") == "\n"
    assert session.answer("$$pp") == "0:\n"
    assert session.answer("$$ps") == "1: bar\n"


def test_suggestions_fit_the_encoding(tmp_path: Path) -> None:
    def answer(encoding: str) -> str:
        return Session(Fake, Personal(tmp_path / "w"), encoding=encoding).answer("cafe")

    assert answer("utf-8") == "& cafe 1 0: café\n\n"
    assert answer("ascii") == "# cafe 0\n\n"


def test_short_words_are_accepted(tmp_path: Path) -> None:
    session = Session(Fake, Personal(tmp_path / "w"), ignore=3)
    assert session.answer("teh recieve") == "*\n& recieve 1 4: receive\n\n"


@given(st.text(), st.lists(st.sampled_from("!%`+-"), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_offsets_name_the_words(session: Session, line: str, commands: list[str]) -> None:
    line = "".join(f"{part} teh " for part in re.split(r"[\r\n]", line))
    for command in commands:
        session.answer(command)
    *rows, end, rest = session.answer(f"^{line}").split("\n")
    assert (end, rest) == ("", "")
    found = [match for row in rows if (match := re.fullmatch(r"& (\S+) \d+ (\d+): .*", row))]
    assert all(row[0] in "*&#" for row in rows)
    for match in found:
        at = int(match[2])
        assert f"^{line}"[at : at + len(match[1])] == match[1]


@given(st.lists(st.binary(max_size=30).filter(lambda b: b"\n" not in b), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_no_bytes_end_the_session(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture, lines: list[bytes]
) -> None:
    data = b"".join(line + b"\n" for line in lines) + b"%\n-\n^last recieve\n"
    answers, _ = talk(data, monkeypatch, capsysbinary)
    assert answers[-4:] in (["*", "& recieve 1 6: receive", "", ""], ["*", "*", "", ""])
    accepted = any(re.match(rb"[*&@]recieve", line, re.IGNORECASE) for line in lines)
    assert (answers[-3] == "*") == accepted


def test_bytes_that_are_not_utf8_count_one_each(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    answers, _ = talk(b"^\xff\xfe teh\n", monkeypatch, capsysbinary)
    assert answers == ["& teh 2 4: the, tea", "", ""]


def test_other_encodings(monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture) -> None:
    latin = "^é teh".encode("latin-1") + b"\r\n"
    answers, _ = talk(latin, monkeypatch, capsysbinary, "-a", "--encoding=iso-8859-1")
    assert answers == ["*", "& teh 2 3: the, tea", "", ""]


def test_the_last_line_needs_no_end(monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture) -> None:
    assert talk(b"teh", monkeypatch, capsysbinary)[0] == ["& teh 2 0: the, tea", "", ""]
    assert talk(b"", monkeypatch, capsysbinary)[0] == [""]


def test_a_long_line(monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture) -> None:
    line = b"fine words " * 20_000 + b"teh\n"
    answers, _ = talk(b"!\n" + line, monkeypatch, capsysbinary)
    assert answers == ["& teh 2 220000: the, tea", "", ""]


@pytest.mark.parametrize(
    "arguments",
    [
        "-a",
        "--ispell",
        "-a -m -B -C -d en_US --encoding=utf-8",
        "-a -m -P -S -x -b -d american -p WORDS -w - -W 2 -T utf8",
        "-a -i UTF-8 -d en_US,en_GB NUL",
        "-a --lang=en --sug-mode=fast --run-together --add-filter=url --unknown",
        "-m -a -l en_GB-ise",
        "-B -d english -a --encoding=utf-8-unix",
        "pipe --lang=en --mode=email",
    ],
)
def test_options_of_programs_are_accepted(
    arguments: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    answers, errors = talk(b"^teh\n", monkeypatch, capsysbinary, *arguments.split())
    assert answers == ["& teh 2 1: the, tea", "", ""]
    assert errors == ""


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("-a -d en_GB", {"variant": "en-GB"}),
        ("-a -d british", {"variant": "en-GB"}),
        ("-a --lang=en_US", {"variant": "en-US"}),
        ("-a -d american --variant en-GB", {"variant": "en-GB"}),
        ("-a -d en", {"variant": "auto"}),
        ("-a --preset careful", {"preset": "careful"}),
        ("-a --threshold 0.9", {"threshold": 0.9}),
    ],
)
def test_the_corrector_gets_options(arguments: str, wanted: dict[str, object]) -> None:
    given = read(arguments.split()).corrector.arguments()
    assert wanted.items() <= given.items()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-a -d francais", "no dictionary 'francais'; respell knows English only"),
        ("-a --encoding=nonsense", "no encoding 'nonsense'; use utf-8"),
        ("-a --encoding=utf-16", "no encoding 'utf-16'; use utf-8"),
        ("-a --encoding=hex", "no encoding 'hex'; use utf-8"),
        ("-a --preset nonsense", "must be one of default"),
        ("-a --dictionary none.txt", "none.txt: No such file"),
    ],
)
def test_bad_options(arguments: str, message: str, capsysbinary: Capture) -> None:
    assert main(arguments.split(), load=Fake().load) == 2
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert message in err.decode()
    assert err.count(b"\n") == 1


def test_words_are_kept_where_the_user_says(home: Path) -> None:
    assert read(["-a"]).personal == user_words_file() == home / "config" / "respell" / "words.txt"
    assert read(["-a", "-p", "own.txt"]).personal == Path("own.txt")
    (home / "respell.toml").write_text('dictionary_files = ["project.txt"]')
    (home / "project.txt").write_text("teh\n")
    assert read(["-a"]).personal == home / "project.txt"
    assert read(["-a", "--no-config"]).personal == user_words_file()


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["-v"], f"{BANNER}\n"),
        (["-vv"], f"{BANNER}\n"),
        (["-D"], "en\nen_GB\nen_US\n"),
        (["-D", "-a", "/dev/null"], "en\nen_GB\nen_US\n"),
        (["dicts"], "en\nen_GB\nen_US\n"),
        (["config", "lang"], "en\n"),
    ],
)
def test_questions_before_a_session(
    arguments: list[str], output: str, capsysbinary: Capture
) -> None:
    assert main(arguments, load=Fake().load) == 0
    assert capsysbinary.readouterr().out.decode() == output


def test_the_version_line_is_what_emacs_looks_for() -> None:
    assert re.match(r"@\(#\) International Ispell Version 3\.[1-9]", BANNER)
    assert re.search(r"\(but really Aspell ([0-9]+\.[0-9.]+([-._+ ]?[a-zA-Z0-9]+)?)?\)", BANNER)


def test_data_files_are_there(capsysbinary: Capture) -> None:
    assert main(["config", "dict-dir"]) == 0
    folder = Path(capsysbinary.readouterr().out.decode().strip())
    assert re.search(r"^special ' -\*-$", (folder / "en.dat").read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    "arguments", ["list", "list -B --encoding=utf-8 -l en", "-l", "-l -B -d en", "-d en -l"]
)
def test_misspelled_words_are_listed(
    arguments: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    read_end = TextIOWrapper(BytesIO("é teh\nI like there teh's\n".encode()))
    monkeypatch.setattr(sys, "stdin", read_end)
    assert main(arguments.split(), load=Fake().load) == 0
    assert capsysbinary.readouterr().out == b"teh\nthere\nteh's\n"


@pytest.mark.parametrize("arguments", [["list", "of", "teh"], ["config"], ["config", "teh"]])
def test_other_texts_are_still_texts(arguments: list[str], capsysbinary: Capture) -> None:
    assert main(arguments, load=Fake().load) == 0
    expected = " ".join(arguments).replace("teh", "the")
    assert capsysbinary.readouterr().out.decode() == f"{expected}\n"


def test_two_corrections_in_a_word_are_one_problem() -> None:
    class Twice:
        def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
            for _ in texts:
                one = Suggestion("one", 0.9)
                yield [Correction(0, "ab", (one,), 0.9), Correction(3, "cd", (one,), 0.9)]

    (problem,) = find(Twice(), "ab'cd", "ab'cd")
    assert (problem.start, problem.word, list(problem.suggestions)) == (0, "ab'cd", ["one'cd"])


def test_options_say_what_they_are() -> None:
    assert read([]) == Options(
        task="session", corrector=read([]).corrector, personal=user_words_file()
    )
    with pytest.raises(Error, match="variant"):
        read(["-a", "--variant", "fr"])


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("-x mail", {}),
        ("-c mail", {}),
        ("-e -c -x mail", {}),
        ("-d british -B -x --add-email-quote=% mail", {"variant": "en-GB"}),
        ("--mode=email -c --preset careful mail", {"preset": "careful"}),
        ("-c mail -p own.txt --dictionary more.txt", {"dictionary": ["more.txt", "own.txt"]}),
    ],
)
def test_a_file_is_corrected_as_by_fix(
    arguments: str, wanted: dict[str, object], home: Path
) -> None:
    (home / "more.txt").write_text("teh\n")
    assert corrects_file(arguments.split())
    parser = args.parser(formats=())
    asked = vars(for_fix(arguments.split(), args.parse(parser, ["fix", "--interactive"])))
    own = args.parse(parser, ["fix", "--interactive", "mail"])
    expected = {**vars(own), "dictionary": [user_words_file()], **wanted}
    for found in (asked, expected):
        found["dictionary"] = [Path(path) for path in found["dictionary"]]
    assert asked == expected
    assert asked["dictionary"][-1].read_text() == ""  # where words are added


@pytest.mark.parametrize("arguments", ["-x", "-c one two", "-x -d en"])
def test_one_file_is_corrected(arguments: str, capsysbinary: Capture) -> None:
    assert main(arguments.split(), load=Fake().load) == 2
    message = b"respell: name one file to correct: respell -c FILE\n"
    assert capsysbinary.readouterr() == (b"", message)


def test_corrections_need_a_terminal(home: Path, capsysbinary: Capture) -> None:
    (home / "mail").write_text("teh")
    assert main(["-x", "mail"], load=Fake().load) == 2
    assert b"needs a terminal" in capsysbinary.readouterr().err


def test_a_real_pipe_answers_each_line_at_once(home: Path) -> None:
    """The version line comes before the model is read, and each answer before the next line."""
    command = [sys.executable, "-m", "respell", "-a"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().decode() == f"{BANNER}\n"
        for _ in range(3):
            process.stdin.write(b"!\n^They lost there keys.\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"& there 2 11: their")
            assert process.stdout.readline() == b"\n"
        process.stdout.close()
        process.stdin.write(b"^teh\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""
