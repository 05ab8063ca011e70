"""`respell -a` under programs that talk to ispell: Emacs, and Perl's Lingua::Ispell."""

import json
import os
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
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m respell "$@"\n')
    script.chmod(0o755)
    source = str(Path(respell.__file__).parents[1])
    for name, value in {"PYTHONPATH": source, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.chdir(tmp_path)
    return script


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
