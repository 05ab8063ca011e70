"""Shell completions and the manual page are complete and well-formed."""

import os
import re
import select
import shutil
import subprocess
from pathlib import Path

import pytest

import respell
from respell.cli.args import SHELLS, parser
from respell.cli.completion import completion
from respell.cli.main import main
from respell.cli.man import man_page
from respell.cli.reports.render import FORMATS

PARSER = parser(formats=FORMATS)
Capture = pytest.CaptureFixture[bytes]


def flags(command: str) -> list[str]:
    made = PARSER.commands[command] if command else PARSER
    return [flag for action in made.options for flag in action.option_strings]


ALL = [(command, flag) for command in ("", *PARSER.commands) for flag in flags(command)]


def test_the_parser_has_many_options() -> None:
    assert len(ALL) > 50
    assert ("check", "--baseline") in ALL
    assert ("fix", "-i") in ALL


def bash_words(*words: str) -> list[str]:
    """What bash offers for the last of these words."""
    script = completion(PARSER, "bash")
    line = " ".join(f"'{word}'" for word in words)
    code = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _respell\n"
    done = subprocess.run(
        ["bash", "-c", code + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")


@needs_bash
@pytest.mark.parametrize("command", ["", *PARSER.commands])
def test_bash_offers_every_option(command: str) -> None:
    words = ["respell", *command.split(), "-"]
    assert sorted(bash_words(*words)) == sorted(flags(command))


@needs_bash
def test_bash_offers_commands_and_choices() -> None:
    assert bash_words("respell", "") == [*PARSER.commands, *flags("")]
    assert bash_words("respell", "ch") == ["check"]
    assert bash_words("respell", "check", "--format", "") == list(FORMATS)
    assert bash_words("respell", "check", "a.md", "--format", "s") == ["sarif"]
    assert bash_words("respell", "check", "--format", "=") == list(FORMATS)
    assert bash_words("respell", "check", "--format", "=", "s") == ["sarif"]
    assert bash_words("respell", "check", "--baseline", "=", "s") == []
    assert bash_words("respell", "completion", "") == [*SHELLS, "-h", "--help"]
    assert bash_words("respell", "check", "--baseline", "") == []  # files
    assert bash_words("respell", "check", "") == []


def fish_words(line: str) -> list[str]:
    """What fish offers at the end of a command line."""
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"{completion(PARSER, 'fish')}\ncomplete -C {line!r}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [offer.partition("\t")[0] for offer in done.stdout.splitlines()]


needs_fish = pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")


@needs_fish
@pytest.mark.parametrize("command", ["", *PARSER.commands])
def test_fish_offers_every_option(command: str) -> None:
    offered = fish_words(f"respell {command} -".replace("  ", " "))
    offered += fish_words(f"respell {command} --".replace("  ", " "))
    assert set(offered) >= set(flags(command))


@needs_fish
def test_fish_offers_commands_and_choices() -> None:
    assert set(fish_words("respell ")) >= set(PARSER.commands)
    assert "check" in fish_words("respell ch")
    assert sorted(fish_words("respell check --format ")) == sorted(FORMATS)
    assert sorted(fish_words("respell completion ")) == sorted(SHELLS)


def zsh_line(folder: Path, typed: str) -> str:
    """What stands in the command line of zsh after some keys; it ends when zsh has read "!"."""
    import pty  # Windows has none

    (folder / "_respell").write_text(completion(PARSER, "zsh"), encoding="utf-8")
    shell, terminal = pty.openpty()
    with subprocess.Popen(
        ["zsh", "-f", "-i"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "dumb", "PS1": ""},
        start_new_session=True,
    ) as zsh:
        os.close(terminal)
        setup = (
            f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; unsetopt LIST_BEEP"
        )
        report = "report() { print -r -- \"<<$BUFFER>>\"; exit }; zle -N report; bindkey '!' report"
        os.write(shell, f"{setup}; {report}; print ready\n".encode())
        read_until(shell, b"\nready")
        os.write(shell, typed.encode() + b"!")
        found = re.search(rb"<<(.*)>>", read_until(shell, b">>"))
        zsh.kill()
    os.close(shell)
    assert found is not None
    return found[1].decode()


def read_until(shell: int, end: bytes) -> bytes:
    """Read from a terminal until some bytes have come."""
    seen = b""
    while end not in seen:
        ready, _, _ = select.select([shell], [], [], 30)
        assert ready, seen
        seen += os.read(shell, 4096)
    return seen


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("respell ch\t", "respell check "),
        ("respell check --basel\t", "respell check --baseline="),
        ("respell check --format=sa\t", "respell check --format=sarif "),
        ("respell check --format gi\t", "respell check --format github "),
        ("respell completion fi\t", "respell completion fish "),
        ("respell --vers\t", "respell --version "),
    ],
)
def test_zsh_completes(typed: str, expected: str, tmp_path: Path) -> None:
    assert zsh_line(tmp_path, typed) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_is_in_the_script(shell: str) -> None:
    script = completion(PARSER, shell)
    for command, flag in ALL:
        pattern = {
            "bash": rf'\b{command}:\*\).*[ "]{flag}[ "]' if command else rf'words=".*{flag}["\s]',
            "zsh": rf"\b{command}\) .*{flag}[=\[]" if command else rf"_arguments .*{flag}\[",
            "fish": rf"{command or '__fish_use_subcommand'}\b.* -[sl] {flag.lstrip('-')} ",
        }[shell]
        assert re.search(pattern, script), (command, flag)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_the_script(shell: str, capsysbinary: Capture) -> None:
    assert main(["completion", shell]) == 0
    script, errors = capsysbinary.readouterr()
    assert errors == b""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    done = subprocess.run([program, "-n", "/dev/stdin"], input=script, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_every_option_is_in_the_manual() -> None:
    page = man_page(PARSER, "1.2", "2020-01-02").replace("\\-", "-")
    sections = dict(re.findall(r"^\.SS respell (\w+)\n(.*?)(?=^\.S)", page, re.M | re.S))
    sections[""] = re.findall(r"^\.SH OPTIONS\n(.*?)^\.SH", page, re.M | re.S)[0]
    for command, flag in ALL:
        assert f"\\fB{flag}\\fR" in sections[command], (command, flag)
    assert '"2020-01-02" "respell 1.2"' in page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="needs mandoc")
def test_mandoc_has_no_warnings() -> None:
    page = man_page(PARSER, "1.2", "2020-01-02").encode()
    command = ["mandoc", "-Tlint", "-Wstyle"]
    done = subprocess.run(command, input=page, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_manual_is_well_formed(capsysbinary: Capture) -> None:
    assert main(["man"]) == 0
    page, errors = capsysbinary.readouterr()
    assert errors == b""
    assert respell.__version__.encode() in page
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("needs groff")
    command = [groff, "-man", "-Tutf8", "-ww", "-rF0", "-P-cbou"]
    done = subprocess.run(command, input=page, capture_output=True, check=True)
    assert done.stderr == b""
    text = done.stdout.decode()
    assert "respell check [OPTIONS] [PATH...]" in text
    assert "respell page [OPTIONS] --out DIR" in text
    assert "PATH File, folder, or - for stdin (default: piped stdin, or" in " ".join(text.split())
    assert "--format text|json|sarif|github" in text
    assert 'respell "I recieve teh mail"     print the corrected text' in text
