"""Score a peer on every set."""

import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from respell.lab.common.metrics import IsWord, ratio, score
from respell.lab.common.provenance import provenance
from respell.lab.common.storage import save_text
from respell.lab.evaluate.peers.install import check_installed, disk_bytes, hashes, versions
from respell.lab.evaluate.peers.process import Answers, Running, start
from respell.lab.evaluate.peers.registry import Peer
from respell.lab.evaluate.peers.sets import Set
from respell.lab.evaluate.peers.usage import MemoryWatch
from respell.types import Error


def measure(
    peer: Peer,
    sets: Sequence[Set],
    *,
    is_word: IsWord,
    limit_seconds: float,
    answers: Path | None = None,
) -> dict[str, Any]:
    """The results of a peer, or the reason why it could not be run; answers may be kept."""
    record: dict[str, Any] = {"peer": peer.name, "about": peer.about, "absent": None}
    try:
        check_installed(peer)
        with start(peer) as running, MemoryWatch(running.pid) as watch:
            record["load_seconds"] = running.load_seconds
            record["sets"] = {
                s.name: _measure_set(running, s, is_word, limit_seconds, answers) for s in sets
            }
        record["peak_rss_bytes"] = watch.peak
    except Error as error:
        reason = str(error).removeprefix(f"{peer.name}: ")
        return {"peer": peer.name, "about": peer.about, "absent": reason, **provenance()}
    record["disk_bytes"] = disk_bytes(peer)
    return {
        **record,
        "versions": versions(peer),
        "sha256": hashes(peer),
        "limit_seconds": limit_seconds,
        **provenance(),
    }


def _measure_set(
    running: Running, given: Set, is_word: IsWord, limit_seconds: float, answers: Path | None
) -> dict[str, Any]:
    asked = shuffled(given)
    answered = running.ask_all(asked.noisy, limit_seconds=limit_seconds)
    done = len(answered.sentences)
    if answers:
        _write_answers(asked, answered.sentences, answers / f"{given.name}.tsv")
    sys.stderr.write(
        f"{given.name}: {done} of {len(given.noisy)} sentences, {answered.seconds:.1f} s\n"
    )
    return {
        "clean": given.clean,
        "sentences": done,
        "of": len(given.noisy),
        "seconds": round(answered.seconds, 3),
        "cpu_seconds": round(answered.cpu_seconds, 2),
        "sha256": given.sha256,
        **_figures(asked, answered, is_word),
    }


def shuffled(given: Set) -> Set:
    """Shuffle the sentences, so that the first ones are a fair sample for slow peers."""
    order = list(range(len(given.noisy)))
    random.Random(0).shuffle(order)
    noisy, gold = ([side[i] for i in order] for side in (given.noisy, given.gold))
    return replace(given, noisy=noisy, gold=gold)


def _write_answers(asked: Set, answers: Sequence[Sequence[str]], path: Path) -> None:
    """Write the noisy, the gold and the answered sentence, one line each."""
    rows = zip(asked.noisy, asked.gold, answers, strict=False)
    save_text("".join("\t".join(map(" ".join, row)) + "\n" for row in rows), path)


def _figures(given: Set, answered: Answers, is_word: IsWord) -> dict[str, Any]:
    done = len(answered.sentences)
    if not given.clean:
        figures = asdict(
            score(given.noisy[:done], given.gold[:done], answered.sentences, is_word=is_word)
        )
        return {"scores": {key: value for key, value in figures.items() if key != "lower_cased"}}
    pairs = [
        (token, answer)
        for tokens, answers in zip(given.noisy[:done], answered.sentences, strict=True)
        for token, answer in zip(tokens, answers, strict=True)
    ]
    words = sum(any(map(str.isalnum, token)) for token, _ in pairs)
    alarms = sum(token != answer for token, answer in pairs)
    return {"words": words, "alarms": alarms, "alarms_per_1000": 1000 * ratio(alarms, words)}
