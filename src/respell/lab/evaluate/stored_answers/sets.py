"""The sets of stored answers and the systems that gave them."""

from dataclasses import dataclass
from pathlib import Path

from respell.lab.common.storage import sha256
from respell.lab.common.text_files import read_lines
from respell.lab.evaluate.stored_answers.score import lines_with_text
from respell.types import Error

SETS = {
    "jfleg": "JFLEG, test lines",
    "bea4660": "BEA-4660",
    "bea322": "BEA-322",
    "wiki_realistic": "Wikipedia, realistic noise",
}
SYSTEMS = {
    "baseline_neuspell_bert": "NeuSpell BERT",
    "transformer_sec_nmt": "Freiburg transformer",
    "transformer_sec_words_nmt": "Freiburg transformer, word by word",
    "gnn_cliques_wfc_plus_transformer_sec_nmt": "Freiburg detector (GNN) + transformer",
    "gnn_cliques_wfc_plus_baseline_neuspell_bert": "Freiburg detector (GNN) + NeuSpell BERT",
    "transformer_plus_transformer_sec_nmt": "Freiburg detector (transformer) + transformer",
    "gpt3_davinci_edit": "GPT-3 davinci-edit",
    "baseline_jamspell": "JamSpell (its own model)",
    "baseline_languagetool": "LanguageTool",
    "gector_xlnet": "GECToR XLNet",
    "gector_bert": "GECToR BERT",
    "baseline_ctd": "closest dictionary word",
    "baseline_aspell": "Aspell",
}
TEST_LINES = {"jfleg": "bench/neuspell_jfleg_test.noisy.txt"}
"""Sets that also contain development lines, and the file of their test lines."""


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set: its lines with errors, corrected, and as the systems answered."""

    name: str
    corrupt: list[str]
    correct: list[str]
    answers: dict[str, list[str]]
    of: int
    """Lines of the file; only test lines are used."""
    sha256: dict[str, str]


def read_set(data: Path, name: str) -> StoredSet:
    """Read a set and all answers. Raises an Error unless they are aligned line by line."""
    folder = data / "peers" / name
    paths = sorted(folder.glob("*.txt"))
    lines = {path.stem: list(read_lines(path)) for path in paths}
    if not {"corrupt", "correct"} <= set(lines):
        raise Error(f"{folder}: needs corrupt.txt and correct.txt")
    for stem, some in lines.items():
        if len(some) != len(lines["corrupt"]):
            raise Error(f"{folder / stem}.txt: needs as many lines as corrupt.txt")
    hashes = {path.name: sha256(path) for path in paths}
    used = list(range(len(lines["corrupt"])))
    if name in TEST_LINES:
        path = data / TEST_LINES[name]
        hashes[path.name] = sha256(path)
        used = lines_with_text(lines["corrupt"], read_lines(path))
    chosen = {stem: [some[i] for i in used] for stem, some in lines.items()}
    return StoredSet(
        name,
        chosen.pop("corrupt"),
        chosen.pop("correct"),
        chosen,
        len(lines["correct"]),
        hashes,
    )
