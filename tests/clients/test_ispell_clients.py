"""Programs that use ispell, with respell in its place: Emacs, Vim, NeoMutt, Lingua::Ispell."""

import json
import os
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import respell

pytestmark = pytest.mark.clients

TEXT = """\
😀 I recieve teh mail in a naïve café.

They lost there keys; there is no spare one.
It’s teh's own fault, says Zaphod.
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command `respell`, with a home folder that nothing has been written to."""
    script = tmp_path / "bin" / "respell"
    script.parent.mkdir()
    executable(script, f'exec {sys.executable} -m respell "$@"')
    source = str(Path(respell.__file__).parents[1])
    for name, value in {"PYTHONPATH": source, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.chdir(tmp_path)
    return script


def executable(path: Path, script: str) -> None:
    """Write a shell script that can be run."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def emacs(lisp: str, program: Path, *, text: str = TEXT, dictionary: str = "nil") -> list[object]:
    """The values that a piece of Lisp collects with `tell`, in a buffer with a text."""
    if shutil.which("emacs") is None:
        pytest.skip("needs Emacs (Debian: emacs-nox)")
    folder = program.parents[1]
    (folder / "note.txt").write_text(text, encoding="utf-8")
    setup = f"""
    (set-language-environment "UTF-8")
    (require 'ispell) (require 'flyspell) (require 'json)
    (setq ispell-program-name "{program}" ispell-silently-savep t ispell-dictionary {dictionary}
          flyspell-issue-message-flag nil)
    (defvar values nil)
    (defun tell (value) (push value values))
    (find-file "note.txt")
    {lisp}
    (princ (concat "values:" (json-encode (vconcat (nreverse values)))))
    """
    (folder / "run.el").write_text(setup, encoding="utf-8")
    command = ["emacs", "-Q", "--batch", "-l", "run.el"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    out = done.stdout.decode()
    assert "values:" in out, out + done.stderr.decode()
    values: list[object] = json.loads(out.partition("values:")[2])
    return values


# Instead of asking the user, take the first suggestion and write down what was asked.
CHOOSE = """
(advice-add 'ispell-command-loop :override
  (lambda (miss guess word start end)
    (tell (list word (1- start) (car miss)))
    (car miss)))
"""


@pytest.mark.parametrize("dictionary", ["nil", '"en_US"', '"american"', '"en"'])
def test_emacs_corrects_a_region(program: Path, dictionary: str) -> None:
    lisp = f"{CHOOSE} (ispell-region (point-min) (point-max)) (tell (buffer-string))"
    *asked, corrected = emacs(lisp, program, dictionary=dictionary)
    assert asked == [
        ["recieve", TEXT.index("recieve"), "receive"],
        ["teh", TEXT.index("teh"), "the"],
        ["there", TEXT.index("there"), "their"],
        ["teh's", TEXT.index("teh's") + len("receive") - len("recieve"), "the's"],
    ]
    expected = (
        TEXT.replace("recieve", "receive").replace("teh", "the").replace("t there", "t their")
    )
    assert corrected == expected


MARKED = """
(tell (sort (mapcar (lambda (o) (buffer-substring-no-properties (overlay-start o) (overlay-end o)))
              (seq-filter 'flyspell-overlay-p (overlays-in (point-min) (point-max))))
      'string<))
"""


def test_flyspell_marks_a_small_region(program: Path) -> None:
    """Flyspell sends word by word: without context, only unknown words are found."""
    lisp = f"(flyspell-mode 1) (flyspell-region (point-min) (point-max)) {MARKED}"
    (marked,) = emacs(lisp, program)
    assert isinstance(marked, list)
    assert {"recieve", "teh"} <= set(marked)
    assert not {"mail", "naïve", "café", "keys", "spare", "Zaphod", "It’s"} & set(marked)


def test_flyspell_marks_a_large_region(program: Path) -> None:
    """Flyspell runs `respell list` on a text of more than 1000 characters."""
    text = f"{TEXT}\n{'It was a fine day, and all were happy. ' * 40}\nThat is wierd.\n"
    assert len(text) > 1000
    lisp = f"(flyspell-mode 1) (flyspell-region (point-min) (point-max)) {MARKED}"
    (marked,) = emacs(lisp, program, text=text)
    assert marked == sorted(["recieve", "teh", "there", "teh's", "wierd"])


def test_emacs_adds_words(program: Path) -> None:
    """Words that are accepted count for the session; those that are inserted are kept."""
    lisp = """
    (ispell-set-spellchecker-params) (ispell-init-process)
    (defun right (word) (erase-buffer) (insert word) (tell (if (ispell-correct-p) "right" "wrong")))
    (right "teh") (right "recieve") (right "wierd")
    (ispell-send-string "*teh\\n") (ispell-send-string "@recieve\\n")
    (setq ispell-pdict-modified-p '(t)) (ispell-pdict-save t)
    (right "teh") (right "recieve") (right "wierd")
    (ispell-kill-ispell)
    (ispell-init-process)
    (right "teh") (right "recieve") (right "wierd")
    (insert " LocalWords: wierd") (goto-char 1)
    (ispell-accept-buffer-local-defs)
    (goto-char 3) (tell (if (ispell-correct-p) "right" "wrong"))
    """
    values = emacs(lisp, program)
    assert values[:3] == ["wrong", "wrong", "wrong"]
    assert values[3:6] == ["right", "right", "wrong"]
    assert values[6:] == ["right", "wrong", "wrong", "right"]
    assert (program.parents[1] / ".config/respell/words.txt").read_text() == "teh\n"


def test_emacs_skips_tex(program: Path) -> None:
    text = "\\emph{teh} \\teh{} $recieve$ % recieve\n"
    lisp = f"(tex-mode) {CHOOSE} (ispell-region (point-min) (point-max))"
    words = [row[0] for row in emacs(lisp, program, text=text) if isinstance(row, list)]
    assert words == ["teh"]


def test_emacs_checks_a_mail(program: Path) -> None:
    """Message mode leaves out headers, quoted lines, addresses and the signature."""
    text = """\
From: Teh Recieve <teh@recieve.example>
Subject: The maill
--text follows this line--
Hi,
> I recieve there keys

They lost there keys. See https://teh.example/wierd and the wierd note.
--\x20
Teh wierd sig
"""
    words = emacs(f"(message-mode) {CHOOSE} (ispell-message)", program, text=text)
    assert words == [
        ["maill", text.index("maill"), "mail"],
        ["there", text.index("there keys.") - 1, "their"],
        ["wierd", text.index("wierd note") - 1, "weird"],
    ]


def test_flyspell_marks_what_is_typed(program: Path) -> None:
    lisp = f"""
    (setq flyspell-delay 0)
    (erase-buffer) (flyspell-mode 1)
    (dolist (key (append "I recieve teh mail and Kubernettes " nil))
      (setq last-command-event key this-command 'self-insert-command)
      (call-interactively 'self-insert-command)
      (run-hooks 'post-command-hook))
    {MARKED}
    """
    assert emacs(lisp, program) == [["Kubernettes", "recieve", "teh"]]


def vim(script: str, program: Path, *, text: str = TEXT) -> list[object]:
    """The values that a Vim script collects in the list `values`, in a buffer with a text."""
    if shutil.which("vim") is None:
        pytest.skip("needs Vim (Debian: vim)")
    folder = program.parents[1]
    (folder / "note.md").write_text(text, encoding="utf-8")
    end = 'call writefile([json_encode(values)], "values.json")'
    (folder / "run.vim").write_text(f"let values = []\n{script}\n{end}\n", encoding="utf-8")
    command = ["vim", "-Nu", "NONE", "-i", "NONE", "-es", "note.md", "-S", "run.vim", "-c", "qa!"]
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, timeout=120)
    assert (folder / "values.json").exists(), done.stdout + done.stderr
    values: list[object] = json.loads((folder / "values.json").read_text())
    return values


PIPE = r"""
let job = job_start(["respell", "-a"])
call add(values, ch_read(job, #{timeout: 60000}))
call ch_sendraw(job, "!\n")
for line in getline(1, "$")
  call ch_sendraw(job, "^" .. line .. "\n")
  let answer = ch_read(job, #{timeout: 60000})
  while answer != ""
    let parts = matchlist(answer, '^& \(\S\+\) \d\+ \(\d\+\): \([^,]*\)')
    let there = strcharpart(line, parts[2] - 1, strchars(parts[1]))
    call add(values, [parts[1], there, parts[3]])
    let answer = ch_read(job, #{timeout: 60000})
  endwhile
endfor
"""


def test_vim_talks_to_a_job(program: Path) -> None:
    banner, *found = vim(PIPE, program)
    assert str(banner).startswith("@(#) International Ispell")
    right = {"recieve": "receive", "teh": "the", "there": "their", "teh's": "the's"}
    assert found == [[word, word, new] for word, new in right.items()]


def test_vim_lists_misspellings(program: Path) -> None:
    """The lines of the manual, for `:make`."""
    manual = (Path(__file__).parents[2] / "docs" / "editors.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```vim\n(.*?)^```", manual, re.MULTILINE | re.DOTALL)
    script = f"""
    {lines}
    filetype on
    edit note.md
    silent make!
    for at in getqflist()
      call setpos(".", [0, 1, 1, 0])
      execute "cc" index(getqflist(), at) + 1
      call add(values, [line("."), expand("<cword>")])
    endfor
    """
    text = "Naïve café owners recieve it.\n\nThey lost there keys.\n"
    assert vim(script, program, text=text) == [[1, "recieve"], [3, "there"]]


MUTT = """
set ispell="{program}" editor="true" sendmail="{folder}/sendmail"
set from="me@example.org" folder="." copy=no abort_unmodified=no
"""


def test_a_mail_is_corrected_in_neomutt(program: Path) -> None:
    """NeoMutt runs `ispell -x FILE` on the terminal."""
    pty = pytest.importorskip("pty", reason="needs a terminal")
    if shutil.which("neomutt") is None:
        pytest.skip("needs NeoMutt (Debian: neomutt)")
    folder = program.parents[1]
    (folder / "body.txt").write_text("They lost there keys, says Kubernettes in teh mail.\n")
    (folder / "muttrc").write_text(MUTT.format(program=program, folder=folder))
    executable(folder / "sendmail", f"cat > {folder}/sent.txt")
    command = ["neomutt", "-F", "muttrc", "-s", "News", "-i", "body.txt", "alex@example.org"]
    here, there = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    with subprocess.Popen(
        command, stdin=there, stdout=there, stderr=there, env=environment, start_new_session=True
    ) as process:
        os.close(there)
        try:
            for wanted, keys in [
                ("To: ", "\n"),
                ("Subject: ", "\n"),
                ("y:Send", "i"),
                ("Replace with 'their'?", "y\n"),
                ("Replace with", "a\n"),
                ("Replace with 'the'?", "y\n"),
                ("y:Send", "y"),
            ]:
                wait_for(wanted, here)
                os.write(here, keys.encode())
            process.wait(60)
        finally:
            process.kill()
            os.close(here)
    sent = (folder / "sent.txt").read_text()
    assert sent.endswith("\nThey lost their keys, says Kubernettes in the mail.\n")
    assert (folder / ".config/respell/words.txt").read_text() == "Kubernettes\n"


def wait_for(wanted: str, terminal: int) -> None:
    """Read what a program shows, until a text is there."""
    shown = ""
    while wanted not in shown:
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 1 << 16).decode(errors="replace")


PERL = """
use strict; use utf8; use Lingua::Ispell qw( :all );
binmode(STDOUT, ":utf8");
$Lingua::Ispell::path = $ARGV[0];
sub show { my ($line) = @_;
  for my $r (spellcheck($line)) {
    print join("|", $r->{type}, $r->{term}, $r->{offset}, @{$r->{misses} || []}), "\\n";
  } print "--\\n"; }
show("They lost there keys and recieve teh mail.");
show("fine");
accept_word("recieve"); add_word("teh"); save_dictionary();
show("They recieve teh wierd mail.");
"""


def test_perl_checks_lines(program: Path, tmp_path: Path) -> None:
    perl = shutil.which("perl")
    known = perl and subprocess.run([perl, "-MLingua::Ispell", "-e1"], capture_output=True)
    if not known or known.returncode:
        pytest.skip("needs Perl's Lingua::Ispell (Debian: liblingua-ispell-perl)")
    (tmp_path / "run.pl").write_text(PERL, encoding="utf-8")
    done = subprocess.run(
        [str(perl), "run.pl", program], env=dict(os.environ), capture_output=True, timeout=120
    )
    rows = [tuple(line.split("|")) for line in done.stdout.decode().splitlines()]
    assert [row[:3] for row in rows] == [
        ("miss", "there", "11"),
        ("miss", "recieve", "26"),
        ("miss", "teh", "34"),
        ("--",),
        ("--",),
        ("miss", "wierd", "18"),
        ("--",),
    ]
    for row, right in zip([*rows[:3], rows[5]], ["their", "receive", "the", "weird"], strict=True):
        assert right in row[3:]
    assert (tmp_path / ".config/respell/words.txt").read_text() == "teh\n"
