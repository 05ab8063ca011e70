"""Build the table of British and American spellings.

python benchmarks/variant_table.py FOLDER    writes src/respell/decision/variants.txt

FOLDER has Debian's package scowl, unpacked: `apt-get download scowl`, then `dpkg-deb -x`. Its lists
say which words are British only and which are American only. A pair must also follow a rule of
spelling, so that the two are the same word.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from vocabulary import Source, read_scowl, scowl_words

from respell.decision.variants import TABLE

MAX_LEVEL = 70
"""SCOWL's lists have levels from 10, very frequent words, to 95, very rare ones."""

RULES = [
    (re.compile(british), american)
    for british, american in (
        ("our", "or"),
        ("is(?=[aeoi])", "iz"),
        ("ys(?=[aei])", "yz"),
        ("re(?=$|s$|ly$|ness$|less$|board|fold|piece|fill|glass|goer)", "er"),
        ("r(?=ed$|ings?$|ab)", "er"),
        ("ll", "l"),
        ("l(?=$|s$|ment|ful|dom)", "ll"),
        ("c(?=ed?$|es$|eless|ing$)", "s"),
        ("logu(?=e[drs]|ing)", "log"),
        ("logue", "log"),
        (
            "[ao]e(?=sthe|stiv|tiol|mi|mo|ma|di[ac]|do|onto|ol|bio|bot|str|soph|dem|t(?:us|al|id)"
            "|c(?:es|al)|col|si|a$|al$|lia|nolog|uv|p|leu)",
            "e",
        ),
        ("(?<=g)e(?=ment)", ""),
        ("(?<=[agklvz])e(?=able|ing)", ""),
        ("grey", "gray"),
        ("chequer", "checker"),
        ("sulph", "sulf"),
        ("oul(?=[dt])", "ol"),
        ("plough", "plow"),
        ("sceptic", "skeptic"),
        ("mollusc", "mollusk"),
        ("ettor", "etor"),
        ("hipp", "hip"),
        ("ette", "et"),
        ("moust", "must"),
        ("aero(?=plane|foil)", "air"),
        ("inium", "inum"),
        ("pyj", "paj"),
        ("draught(?=[a-z])", "draft"),
        ("artefact", "artifact"),
        ("liquorice", "licorice"),
        ("cosi", "cozi"),
        ("cosy", "cozy"),
        ("jewellery", "jewelry"),
        ("phoney", "phony"),
    )
]
"""British letters and the American ones; a pair may need two rules, as manoeuvre does."""

LEFT_OUT = frozenset(
    """
    amourist amourists arbour arbours areology attempre autocatalyses autolyses bartisan bise
    bourage bourg camise cancellate cancellous cherely costumire couranto cupellation defenced
    defencing disseisin doura faitour fayre fere fourb frise frisette gourmandism lapelled
    likeableness loury lustring maigre manilla matres maugre metalled mise moulder mouldered
    mouldering moulders ombre paedology pandoura plasmolyses pourer praedial praemaxilla
    praepositor precancellation preformative previse prised prising proemial saltires sapour seiser
    seisers seisin sourdine sourdines stentour stentours stour subdure surprisal tabouret tabourets
    ventre ventres vire visard wisen zaffre
    """.split()
)
"""British words whose pair is doubtful: one of the two is another word, or hardly used."""
ORDINARY_IN_BRITAIN = re.compile(r"sulf|^artifact|^fet(?:us|al)")
"""American spellings that are ordinary in British text, too, at least in some fields."""
ORDINARY_IN_AMERICA = re.compile(
    r"^(?:accoutr|acknowledgement|cancell|catalogu|councillor|louvre|liveable|lustre|mitre|moustache|ochre"
    r"|omelette|orthopaed|sabre|saviour|sizeable|smoulder|sombre|theatre|tranquillity|wilful|worshipp)"
)
"""British spellings that are ordinary in American text, too."""

HEADER = """\
# British and American spellings, made by `python benchmarks/variant_table.py`.
# A modified extract of SCOWL (Spell Checker Oriented Word Lists), Copyright 2000-2011 by Kevin
# Atkinson, Debian package scowl {version}; data/NOTICE.txt has its permission notice.
# Columns: British spelling, American spelling, and "us" if the American spelling is accepted in
# British text, too, "gb" if the British spelling is accepted in American text, too, or "-".

"""


def pairs(lists: dict[str, dict[str, int]]) -> Iterator[tuple[str, str, str]]:
    """British spelling, American spelling and which of them is accepted in both variants."""
    shared = lists["english"].keys()
    british = lists["british"].keys() - shared - lists["american"].keys() - LEFT_OUT
    american = lists["american"].keys() - shared - lists["british"].keys()
    for word in sorted(british):
        found = candidates(word) & american
        if len(found) != 1:
            continue
        other = found.pop()
        in_britain = is_oxford(word, other) or accepted_in_britain(other, lists)
        in_america = accepted_in_america(word, lists)
        if not (in_britain and in_america):
            yield word, other, "us" if in_britain else "gb" if in_america else "-"


def candidates(word: str) -> set[str]:
    """Words that one or two rules make of a British word."""
    once = set(_respelled(word))
    return once | {second for first in once for second in _respelled(first)}


def _respelled(word: str) -> Iterator[str]:
    for pattern, american in RULES:
        for match in pattern.finditer(word):
            yield word[: match.start()] + american + word[match.end() :]


def is_oxford(british: str, american: str) -> bool:
    """Whether the American spelling is that of Oxford, too: -ize for -ise."""
    return any(
        british[: match.start()] + "iz" + british[match.end() :] == american
        for match in re.finditer("is", british)
    )


def accepted_in_britain(word: str, lists: dict[str, dict[str, int]]) -> bool:
    """Whether an American spelling is accepted in British text."""
    names = ("british_z", "british_variant_1", "british_variant_2")
    return bool(ORDINARY_IN_BRITAIN.search(word)) or any(word in lists[name] for name in names)


def accepted_in_america(word: str, lists: dict[str, dict[str, int]]) -> bool:
    """Whether a British spelling is accepted in American text.

    SCOWL's list variant_1 has variants of any country; those of other countries are also in lists
    of their own.
    """
    if ORDINARY_IN_AMERICA.search(word):
        return True
    others = ("canadian_variant_1", "australian_variant_1", "british_variant_1")
    return word in lists["variant_1"] and not any(word in lists[name] for name in others)


def _lower_case_words(scowl: Source, kind: str) -> dict[str, int]:
    words = scowl_words(scowl, MAX_LEVEL, lambda name: name == f"{kind}-words")
    return {word: level for word, level in words.items() if word.isalpha() and word.islower()}


def main() -> int:
    """Build the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the unpacked Debian package scowl")
    scowl = read_scowl(parser.parse_args().folder)
    kinds = {name.partition("-")[0] for name in scowl.words}
    lists = {kind: _lower_case_words(scowl, kind) for kind in kinds}
    lines = (" ".join(pair) for pair in pairs(lists))
    TABLE.write_text(
        HEADER.format(version=scowl.version) + "\n".join(lines) + "\n", encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
