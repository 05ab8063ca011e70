"""Score peers on every set and keep what came out, one file a peer."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from respell.lab.evaluate import PROGRAM, score
from respell.lab.peers.install import disk_bytes, hashes, versions, why_absent
from respell.lab.peers.process import Answers, Running, start
from respell.lab.peers.registry import Peer
from respell.lab.peers.sets import Set
from respell.lab.peers.usage import Watch
from respell.lab.storage import read_json
from respell.lab.systems import IsWord, provenance, write_json, write_tokens
from respell.types import Error


def measure(
    peer: Peer,
    sets: Sequence[Set],
    *,
    is_word: IsWord,
    limit_seconds: float,
    answers: Path | None = None,
) -> dict[str, Any]:
    """Everything about a peer, or why there is nothing; answers are kept in a folder if named."""
    record: dict[str, Any] = {"peer": peer.name, "about": peer.about, "absent": None}
    try:
        if reason := why_absent(peer):
            raise Error(reason)
        with start(peer) as running, Watch(running.pid) as watch:
            record["load_seconds"] = running.load_seconds
            record["sets"] = {
                s.name: _measure_set(running, s, is_word, limit_seconds, answers) for s in sets
            }
        record["peak_rss_bytes"] = watch.peak
    except Error as error:
        reason = str(error).removeprefix(f"{peer.name}: ")
        return {"peer": peer.name, "about": peer.about, "absent": reason, **provenance(PROGRAM)}
    record["disk_bytes"] = disk_bytes(peer)
    return {
        **record,
        "versions": versions(peer),
        "sha256": hashes(peer),
        "limit_seconds": limit_seconds,
        **provenance(PROGRAM),
    }


def _measure_set(
    running: Running, given: Set, is_word: IsWord, limit_seconds: float, answers: Path | None
) -> dict[str, Any]:
    answered = running.ask_all(given.noisy, limit_seconds=limit_seconds)
    if answers:
        write_tokens(answers / f"{given.name}.txt", answered.sentences)
    done = len(answered.sentences)
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
        **_figures(given, answered, is_word),
    }


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
    rate = 1000 * alarms / words if words else 0.0
    return {"words": words, "alarms": alarms, "alarms_per_1000": rate}


def save(record: Mapping[str, Any], folder: Path) -> None:
    """Write a peer's file."""
    write_json(folder / f"{record['peer']}.json", record)


def read_records(folder: Path) -> list[dict[str, Any]]:
    """The files of all peers, measured and absent."""
    records = [read_json(path) for path in sorted(folder.glob("*.json"))]
    found = [record for record in records if "peer" in record]
    if not found:
        raise Error(f"{folder}: no results; run: python -m respell.lab peers run")
    return found
