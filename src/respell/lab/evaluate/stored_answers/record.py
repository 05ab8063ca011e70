"""Score respell and the stored answers on a set, and make the record of the results."""

from pathlib import Path
from typing import Any

from respell.corrector import load
from respell.lab.common.provenance import hash_bundle
from respell.lab.evaluate.stored_answers.page import OURS
from respell.lab.evaluate.stored_answers.score import score
from respell.lab.evaluate.stored_answers.sets import read_set
from respell.lab.evaluate.systems import words_of_bundle
from respell.model.bundle import Bundle
from respell.types import PRESETS


def measure(name: str, *, data: Path, bundle: Path) -> dict[str, Any]:
    """The scores of all systems on a set; without sentences, because of their copyright."""
    given = read_set(data, name)
    is_word = words_of_bundle(Bundle.read(bundle))
    ours = {
        f"{OURS} {preset}": list(load(bundle, preset=preset).correct_many(given.corrupt))
        for preset in PRESETS
    }
    scores = score(given.corrupt, given.correct, ours | given.answers, is_word=is_word)
    return {
        "set": name,
        "of": given.of,
        **scores,
        "sha256": given.sha256,
        "system": {"kind": "bundle", "sha256": hash_bundle(bundle)},
    }
