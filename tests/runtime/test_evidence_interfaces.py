"""The editor and the server use the evidence of a document as `check_document` does."""

import asyncio
import io
from pathlib import Path

import pytest

import respell
from respell.cli import files
from respell.cli.gather import read_evidence
from respell.cli.main import main
from respell.cli.progress import Progress
from respell.corrector import Corrector
from respell.decision.evidence import Evidence
from respell.lsp.checking import Checker
from respell.options import CorrectorOptions
from respell.server.batching import Batcher
from respell.server.metrics import Metrics
from respell.text.apply import apply
from respell.types import PRESETS, Correction

TEXT = (
    "The refspec maps refs, as `refspec` does.\n\nEach refspec has parts. I recieve mail.\n\n"
    "A refspec is short.\n\nThis refpsec is wrong. Another refspec is here, and one more refspec.\n"
)
OTHER = "A frobset, one `frobset`, the frobset. My frobest is a frobset. This refspec is new."


@pytest.fixture(scope="module")
def corrector() -> Corrector:
    return respell.load()


@pytest.fixture
def batcher(corrector: Corrector) -> Batcher:
    return Batcher(
        corrector.bundle, corrector.forward, defaults=CorrectorOptions(), metrics=Metrics()
    )


def plain(found: list[Correction]) -> list[tuple[int, str, str]]:
    return [(c.start, c.original, c.replacement) for c in found]


def expected(corrector: Corrector, text: str) -> list[tuple[int, str, str]]:
    return plain(corrector.check_document(text, format="markdown"))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_document_of_the_editor_has_its_own_terms(preset: str) -> None:
    corrector = respell.load(preset=preset)
    checker = Checker(corrector)
    assert ("refpsec", "refspec") in {(b, c) for _, b, c in expected(corrector, TEXT)}
    for text in (TEXT, OTHER, TEXT, TEXT.replace("recieve", "receive"), OTHER):
        assert plain(checker.check(text, format="markdown")) == expected(corrector, text)


def serve(batcher: Batcher, parts: list[str], options: CorrectorOptions) -> list[list[Correction]]:
    async def ask() -> list[list[Correction]]:
        batcher.start()
        try:
            return await batcher.check_document(parts, options, format="markdown")
        finally:
            await batcher.stop()

    return asyncio.run(ask())


def test_a_request_of_the_server_is_a_document(corrector: Corrector, batcher: Batcher) -> None:
    (found,) = serve(batcher, [TEXT], CorrectorOptions())
    assert plain(found) == expected(corrector, TEXT)


def test_the_parts_of_a_request_share_their_evidence(batcher: Batcher) -> None:
    parts = TEXT.split("\n\n")
    found = serve(batcher, parts, CorrectorOptions())
    assert [[c.original for c in each] for each in found] == [[], ["recieve"], [], ["refpsec"]]
    assert found[3][0].replacement == "refspec"


AMERICAN = "The color of the center is my favorite color. The neighbor likes this behavour.\n"
BRITISH = AMERICAN
for american, british in (
    ("color", "colour"),
    ("center", "centre"),
    ("favorite", "favourite"),
    ("neighbor", "neighbour"),
    ("behavour", "behaviour"),
):
    BRITISH = BRITISH.replace(american, british)


@pytest.mark.parametrize("interface", ["python", "editor", "server", "command line"])
def test_the_variant_that_the_user_chose_counts_more_than_that_of_the_document(
    interface: str, corrector: Corrector, batcher: Batcher, tmp_path: Path
) -> None:
    options = CorrectorOptions(variant="en-GB")
    chosen = Corrector(corrector.bundle, corrector.forward, **options.arguments())
    if interface == "python":
        fixed = apply(AMERICAN, chosen.check_document(AMERICAN))
    elif interface == "editor":
        fixed = apply(AMERICAN, Checker(chosen).check(AMERICAN))
    elif interface == "server":
        fixed = apply(AMERICAN, serve(batcher, [AMERICAN], options)[0])
    else:
        file = tmp_path / "a.txt"
        file.write_text(AMERICAN, encoding="utf-8")
        everything = ["--fix-threshold", "0", "--variant", "en-GB", "--no-config"]
        assert main(["fix", "--write", *everything, str(file)]) == 0
        fixed = file.read_text(encoding="utf-8")
    assert fixed == BRITISH


TECHNICAL = """\
Read refspecs, one per line, from stdin.

The refspec names a ref and an oid. Each refspec maps a ref to another, and gitweb shows the oid.
A refspec may be empty. The fetch refspec is shown by gitweb, as is the push refspec.
See gitweb for the oid of a file. Only one refspec is definately read by the comand.
"""


def test_fix_writes_no_wrong_words_into_a_technical_file_and_says_what_it_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "refs.txt"
    file.write_text(TECHNICAL, encoding="utf-8")
    # The least strict threshold: the sentences alone would change *refspec* and *oid*.
    assert main(["fix", "--write", "--no-config", "--fix-threshold", "0", str(file)]) == 0
    fixed = TECHNICAL.replace("definately", "definitely").replace("comand", "command")
    assert file.read_text(encoding="utf-8") == fixed
    assert capsys.readouterr() == (
        "",
        f"{file}:5:55: definately → definitely\n"
        f"{file}:5:78: comand → command\n"
        "Fixed 2 problems in 1 file.\n",
    )


def test_a_document_keeps_the_options_of_the_request(batcher: Batcher) -> None:
    options = CorrectorOptions(dictionary=frozenset({"recieve"}), variant="en-GB")
    (found,) = serve(batcher, [TEXT + " My color."], options)
    assert [(c.original, c.kind) for c in found] == [("refpsec", "nonword"), ("color", "variant")]


@pytest.mark.parametrize("paths", [["-"], ["-", "-"], []])
def test_stdin_is_read_once_for_evidence_and_findings(
    paths: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = io.TextIOWrapper(io.BytesIO(TECHNICAL.encode()))
    monkeypatch.setattr("sys.stdin", text)
    assert main(["check", "--no-config", *paths]) == 1
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [
        "definately",
        "comand",
    ]


@pytest.mark.parametrize("command", [[], ["check"], ["fix", "-"], ["fix", "--diff"], ["words"]])
def test_a_pipe_that_is_not_utf_8_is_an_error(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Teh caf\xe9 is here.\n")))
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "respell: -: not UTF-8 (byte 7)\n")


def test_the_text_before_an_error_in_a_pipe_is_corrected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "I recieve teh mail.\n" + "Fine.\n" * (files.BLOCK // 4)
    content = text.encode() + b"caf\xe9\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["--no-config"]) == 2
    out, err = capsys.readouterr()
    first, *others = out.splitlines()
    assert (first, set(others)) == ("I receive the mail.", {"Fine."})
    assert err == f"respell: -: not UTF-8 (byte {len(text) + 3})\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_reading_for_evidence_shows_progress(corrector: Corrector, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("é" * 500)
    sources = list(files.find([str(tmp_path)], on_error=pytest.fail))
    terminal = Terminal()
    with Progress(files.total_size(sources), "reading", delay=0, every=0, stream=terminal) as bar:
        read_evidence(sources, Evidence(corrector.bundle.lexicon), bar)
    first, last = terminal.getvalue().split("\r\x1b[K")[1:3]
    assert ("50%" in first, "100%" in last) == (True, True)
    assert "/s, reading " in first
    assert first.endswith("a.md")
