"""Shell completions and the manual page are complete and well-formed."""

import re
import shutil
import subprocess

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
    assert bash_words("respell", "completion", "") == [*SHELLS, "-h", "--help"]
    assert bash_words("respell", "check", "--baseline", "") == []  # files
    assert bash_words("respell", "check", "") == []


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
    page = man_page(PARSER, "1.2").replace("\\-", "-")
    sections = dict(re.findall(r"^\.SS respell (\w+)\n(.*?)(?=^\.S)", page, re.M | re.S))
    sections[""] = re.findall(r"^\.SH OPTIONS\n(.*?)^\.SH", page, re.M | re.S)[0]
    for command, flag in ALL:
        assert f"\\fB{flag}\\fR" in sections[command], (command, flag)
    assert '"respell 1.2"' in page


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
    assert "--format text|json|sarif|github" in text
    assert 'respell "I recieve teh mail"     print the corrected text' in text
