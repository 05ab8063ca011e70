"""The tables of technical terms, dictionary words and names."""

import gzip
import hashlib
import json
import random
import string
import time
import tracemalloc
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary import HEAD, LICENCES, Source, near, notice, pack, without_plurals

from respell.decision import vocabulary
from respell.decision.vocabulary import CLASSES, DATA, WordClass, unpack, word_class
from respell.model.bundle import default_path

TECHNICAL = """
    stdio mmap errno falsy truthy pragma btree authorizer oid webhook kubectl
    worktree gitignore submodule rebase stderr stdin stdout stdlib malloc printf struct
    typedef enum namespace mutex kwargs args docstring pytest numpy asyncio argparse bool symlink
    chmod chown mkdir inode fstab syscall ioctl sudo systemd tmux grep localhost hostname
    http https json yaml toml html ascii sqlite postgres mysql innodb varchar upsert nullable
    frontend backend middleware websocket tooltip dropdown viewport favicon webpack eslint async
    dockerfile configmap daemonset nginx oauth jwt csrf gzip tarball changelog readme monorepo
    codegen segfault stacktrace coroutine xmlns elem rect qname heredoc umask strcpy memcpy
    getenv setuid keepalive polyfill semver tsconfig conda scipy dataframe ndarray kubelet etcd
    grpc protobuf sharding changeset crontab rsync wget xargs sigterm vtable constexpr nullptr
""".split()
COMMON = """
    thyme knead gratin loupe haft drawstring enjambment copay passable concealer
    irrigator valuer filmic apiculture manufactory
""".split()
MISSPELLINGS = """
    recieve seperate definately occured untill wich becuase thier adress acheive accomodate
    beleive calender catagory cemetary changable collegue comming commited concious curiousity
    decieve definit dependant desparate dilemna dissapear dissapoint ecstacy embarass enviroment
    exagerate excercise existance experiance familar finaly foriegn fourty freind goverment gaurd
    garantee grammer harrass heighth hieght humourous hygene hypocracy ignorence immediatly
    incidently independant indispensible inteligence intresting irresistable jewelery knowlege
    labratory lenght liase libary lightening maintainance maintenence manuever millenium minature
    mischievious mispell neccessary neice nieghbor noticable occassion occurence oppurtunity
    orignal parliment particulary passtime pavillion peice percieve persistant personel playwrite
    posession potatos preceed predjudice prefered privelege probaly profesional promiss
    pronounciation publically quater questionaire reccomend refered relevent religous remeber
    repitition restarant rythm sargent secratary sieze similiar sincerly sking speach succesful
    supercede suprise surpise tatoo temperture tendancy therefor threshhold tommorow tommorrow
    tounge truely twelth tyrany underate unfortunatly usefull vaccuum vegatable vehical visable
    wether wierd wellfare wilfull withold writting yeild teh adn taht hte waht jsut konw liek thsi
    woudl shoudl coudl ahve nad yuo fo tahn whihc
""".split()


@pytest.mark.parametrize("word", TECHNICAL)
def test_technical_terms_are_known(word: str) -> None:
    assert word_class(word) == "technical"


@pytest.mark.parametrize("word", COMMON)
def test_everyday_words_are_known(word: str) -> None:
    assert word_class(word) == "common"


@pytest.mark.parametrize("word", ["Babette", "Guidry", "Kelliher", "Defoe"])
def test_names_are_known(word: str) -> None:
    assert word_class(word) == "name"


def test_no_common_misspelling_is_in_the_tables() -> None:
    assert len(MISSPELLINGS) >= 150
    assert [word for word in MISSPELLINGS if word_class(word)] == []


@pytest.mark.parametrize("word", ["the", "table", "their", "", "a", "s", "'s", "it's", "x1", "["])
def test_other_words_have_no_class(word: str) -> None:
    assert word_class(word) is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Mmap", "technical"),
        ("WORKTREES", "technical"),
        ("mutexes", "technical"),
        ("mmap's", "technical"),
        ("worktrees\u2019", "technical"),
        ("loupes", "common"),
        ("Loupe\u2019s", "common"),
        ("loupees", None),
        ("thymess", None),
        ("familys", None),
        ("loades", None),
    ],
)
def test_case_plurals_and_possessives(word: str, expected: WordClass | None) -> None:
    assert word_class(word) == expected


def lexicon() -> frozenset[str]:
    return frozenset((default_path() / "lexicon.txt").read_text(encoding="utf-8").split("\n"))


def words_of(name: WordClass) -> list[str]:
    return list(chain.from_iterable(map(unpack, vocabulary._blocks(name))))


@pytest.mark.parametrize("name", CLASSES)
def test_every_stored_word_is_found(name: WordClass) -> None:
    words = words_of(name)
    assert words == sorted(set(words))
    assert all(word.isalpha() and word == word.lower() and len(word) >= 3 for word in words)
    sample = random.Random(1).sample(words, 500)
    assert all(word_class(word) == name for word in [*sample, words[0], words[-1]])


def test_no_word_is_in_two_classes() -> None:
    tables = [set(words_of(name)) for name in CLASSES]
    assert sum(map(len, tables)) == len(set().union(*tables))
    assert not (tables[1] | tables[2]) & lexicon()


def test_random_letters_are_rarely_in_the_tables() -> None:
    generator = random.Random(1)
    words = ("".join(generator.choices(string.ascii_lowercase, k=10)) for _ in range(20_000))
    assert sum(word_class(word) is not None for word in words) <= 2


def test_the_record_describes_the_files() -> None:
    record = json.loads((DATA / "vocabulary.json").read_text(encoding="utf-8"))
    assert set(record["files"]) == {path.name for path in DATA.glob("*.gz")}
    for name, file in record["files"].items():
        assert file["sha256"] == hashlib.sha256((DATA / name).read_bytes()).hexdigest()
    counts = {name: len(words_of(name)) for name in CLASSES}
    assert counts == {name: record["files"][f"{name}.txt.gz"]["words"] for name in CLASSES}
    assert {source["licence"] for source in record["sources"]} <= LICENCES | {"SCOWL (permissive)"}
    text = (DATA / "NOTICE.txt").read_text(encoding="utf-8")
    assert all(f"{source['name']} {source['version']}" in text for source in record["sources"])


def test_the_tables_are_small_and_load_fast() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 1_000_000
    vocabulary._blocks.cache_clear()
    start = time.perf_counter()
    word_class("refspec")
    word_class("zzzz")
    assert time.perf_counter() - start < 1  # 0.02 s on an idle machine
    vocabulary._blocks.cache_clear()
    tracemalloc.start()
    word_class("zzzz")
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 15_000_000


def test_unpack() -> None:
    assert list(unpack("aback4us7es")) == ["aback", "abacus", "abacuses"]
    assert list(unpack("aback")) == ["aback"]


@given(st.sets(st.text("abcé", min_size=1, max_size=20), min_size=1, max_size=60))
def test_pack_and_unpack_agree(words: set[str]) -> None:
    blocks = gzip.decompress(pack(words)).decode().split("\n")
    assert list(chain.from_iterable(map(unpack, blocks))) == sorted(words)


def test_plurals_are_not_stored() -> None:
    words = {"box", "boxes", "cat", "cats", "glas", "glass", "boss"}
    assert without_plurals(words) == {"box", "cat", "glas", "glass", "boss"}


@pytest.mark.parametrize("word", ["tree", "ttree", "trees", "tre", "rtee", "three", "trie"])
def test_words_one_edit_away_are_near(word: str) -> None:
    assert near(word, {"tree"})


@pytest.mark.parametrize("word", ["teeth", "t", "eert", "btrees"])
def test_other_words_are_not_near(word: str) -> None:
    assert not near(word, {"tree"})


def test_packages_with_one_licence_share_its_text() -> None:
    licence = "The MIT License\n\nCopyright (c) {}\n\nPermission is hereby granted.\n"
    sources = [Source(n, "1", "MIT", licence.format(n.upper()), {}) for n in ("ada", "zig")]
    text = notice(sources)
    assert text.startswith(HEAD)
    assert text.count("Permission is hereby granted") == 1
    assert "ada 1: Copyright (c) ADA\nzig 1: Copyright (c) ZIG\n" in text
