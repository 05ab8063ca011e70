"""SymSpell's compound mode, run in its own environment."""

from collections.abc import Sequence
from pathlib import Path

from respell.lab.evaluate.peers.process import start
from respell.lab.evaluate.peers.registry import HOMES, Peer

SYMSPELL = "symspellpy"
_ADAPTER = Path("benchmarks/peers/adapters/symspell_compound.py")
_LIMIT = 1800.0  # seconds


def symspell(*, homes: Path = HOMES, adapter: Path = _ADAPTER) -> Peer | None:
    """The peer, or None if `python -m respell.lab peers install symspellpy` has not been run."""
    peer = Peer(
        name=SYMSPELL, adapter=adapter, home=homes / SYMSPELL, pip=((SYMSPELL,),), about="compound"
    )
    return peer if (peer.home / "venv").is_dir() else None


def ask(peer: Peer, texts: Sequence[str]) -> list[str]:
    """The corrected texts. Each is sent as one token, so that it may have other blanks."""
    with start(peer) as running:
        answers = running.ask_all([[text] for text in texts], limit_seconds=_LIMIT)
    return [only for (only,) in answers.sentences]
