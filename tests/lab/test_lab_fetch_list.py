"""Our list of corpora: its steps and patterns, on small files in the formats of the origins."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import read_sources
from respell.lab.data.fetch.checkout import Checkout, read_files
from respell.lab.data.fetch.origin import Origin
from respell.lab.data.fetch.write import References, name_of, write_corpus
from respell.types import Error

SOURCES = {name_of(s): s for s in read_sources(Path(__file__).parents[2] / "recipes/corpora.toml")}

REUTERS = """\
-- Shares of a shoe maker rise
-- By A Writer
-- Mon Jan 1, 2007 9:00am EST
-- https://example.org/1

 By A Writer LONDON (Reuters) - Shares of a shoe maker rose on
Monday, when it said that more people walk.

(Reporting by A Writer; editing by B Writer)
"""
PODCAST = """\
**Ann Low:** Welcome back. \\[laughter\\] This is the show about tea.

**Bob:** Thanks, it's good to be here.
"""
DEBATE = """\
# Debate 1

- proposition: Tea should be served cold in the office.
- model_pro: a-model

## Turn 1

[P1.1] Cold tea saves time. It also saves power [C1.2], as everybody knows.
[P1.2] A1: Hot tea is what we had before.
"""
DAILY = (
    "Where is the tea ? __eou__ It ’ s on the table , is n't it ? __eou__\t1\t2 1\t0 0\n"
    "I do n't know , Mr . Low . __eou__\t1\t1\t0\n"
)
GAME = [
    {"type": "x", "message": "R1.sub2 PRIVATE P4: Hey P6, it is great to chat with you here."},
    {"type": "x", "message": 'P3: "P3: I appreciate your message about the vote.'},
    {"type": "y", "target": "P3 is the target of the vote."},
]
PERSONA = (
    'a,b,Best Generated Conversation\nx,y,"User 1: Hi, how are you?\nUser 2: I am well, thanks."\n'
)
MDN = """\
---
title: Tea
slug: Web/Tea
---

{{Tea("x")}}

The tea API is in draft status. Call {{domxref("Tea.pour()")}} to pour it.

- `milk`
  - : An object with the options of the milk.

```js
pour();
```
"""
SCOTUS = {
    "transcript": {"sections": [{"turns": [{"text_blocks": [{"text": "We'll hear you now."}]}]}]}
}
HELP = """<!DOCTYPE html><html><body><div class="nav"><p id="x">Contents</p></div>
<p class="paragraph">Choose <span class="menuitem">Insert</span> - <b>Tea</b> to pour it.</p>
<p class="code">REM pour</p></body></html>"""
PAGE = """<page xmlns="http://projectmallard.org/1.0/"><info><desc>Pour the tea.</desc></info>
<title>Tea</title><p>Open <app>Tea</app> and press <gui>Pour</gui> to
start.</p><screen>pour --now</screen></page>"""


@pytest.mark.parametrize(
    ("name", "file", "text", "lines"),
    [
        ("reuters_2006_2013", "ReutersNews106521/20070101/a", REUTERS,
         ["Shares of a shoe maker rose on Monday, when it said that more people walk."]),
        ("changelog_podcasts", "show/show-1.md", PODCAST,
         ["This is the show about tea.", "Thanks, it's good to be here."]),
        ("scotus_oral", "oyez/cases/1.1-t01.json", json.dumps(SCOTUS), ["We'll hear you now."]),
        ("mdn_docs", "files/tea/index.md", MDN,
         ["The tea API is in draft status.", "An object with the options of the milk."]),
        ("race_passages", "data/RACE/train/high/2.txt",
         json.dumps({"article": "The boy walked home. It was late.\n\nIt was  _  late.", "q": "A"}),
         ["The boy walked home.", "It was late."]),
        ("ted_talks", "cleaned_ted_data/a.md", "So we left. (Laughter) And then we came back.",
         ["So we left.", "And then we came back."]),
        ("llm_debates", "transcripts/a.md", DEBATE,
         ["Cold tea saves time. It also saves power, as everybody knows. "
          "Hot tea is what we had before."]),
        ("llm_game_chat", "logs/a.jsonl", "\n".join(map(json.dumps, GAME)),
         ["Hey P6, it is great to chat with you here.",
          "I appreciate your message about the vote."]),
        ("imdb_reviews", "aclImdb/train/pos/1.txt", "It was so good.<br /><br />I saw it twice.",
         ["It was so good.", "I saw it twice."]),
        ("counsel_chat", "data/a.csv",
         "questionText,answerText\nWhy am I so tired?,<p>It is late.</p><p>Go to bed.</p>\n",
         ["Why am I so tired?", "It is late.", "Go to bed."]),
    ],
)  # fmt: skip
def test_a_corpus_of_one_origin(
    name: str, file: str, text: str, lines: list[str], tmp_path: Path
) -> None:
    assert cleaned(name, {0: (file, text)}, tmp_path) == lines


def test_dialogues(tmp_path: Path) -> None:
    files = {1: ("data/en_test_human.txt", DAILY), 6: ("data/a.csv", PERSONA)}
    assert cleaned("dialogues", files, tmp_path) == [
        "Where is the tea?",
        "It's on the table, isn't it?",
        "I don't know, Mr. Low.",
        "Hi, how are you?",
        "I am well, thanks.",
    ]


def test_manuals(tmp_path: Path) -> None:
    files = {
        0: ("usr/share/libreoffice/help/en-US/text/a/b.html", HELP),
        2: ("usr/share/help/C/tea/a.page", PAGE),
    }
    assert cleaned("app_manuals", files, tmp_path) == [
        "Choose Insert - Tea to pour it.",
        "Open Tea and press Pour to start.",
    ]


def cleaned(name: str, files: dict[int, tuple[str, str]], folder: Path) -> list[str]:
    """The lines of a corpus made of one file for some of its origins."""
    source, origins = SOURCES[name], []
    for number, (file, text) in files.items():
        path = folder / str(number) / file
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        # Of the patterns only the one for the file, and all files that match it.
        paths = [p for p in source.fetch[number].paths if _matches(p, folder / str(number))]
        origins.append(replace(source.fetch[number], share=1.0, paths=tuple(paths)))
    source = replace(source, fetch=tuple(origins), clean=replace(source.clean, unknown_words=-1))
    checkouts = [Checkout(folder / str(number), "1") for number in files]
    write_corpus(source, folder / "out", checkouts, References())
    return list(read_lines(folder / "out" / source.file))


def _matches(pattern: str, folder: Path) -> bool:
    origin = Origin("git:x", (pattern,), ("lines",))
    try:
        return bool(list(read_files(origin, Checkout(folder, "1"))))
    except Error:
        return False
