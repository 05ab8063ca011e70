"""Read the list of peers: their names, packages and adapters."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.types import Error

DEFAULT = Path("benchmarks/peers/peers.toml")
HOMES = Path("work/peers")
"""The folder where peers are installed, each in its own folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """An entry of the list."""

    name: str
    adapter: Path
    home: Path
    about: str
    pip: tuple[tuple[str, ...], ...] = ()
    npm: tuple[str, ...] = ()
    apt: tuple[str, ...] = ()
    set: tuple[tuple[str, str], ...] = ()
    trains: bool = False
    """Whether it is trained on our text."""
    files: tuple[Path, ...] = ()

    @property
    def is_node(self) -> bool:
        """Whether the adapter is JavaScript."""
        return self.adapter.suffix == ".mjs"


_KEYS = frozenset(field.name for field in fields(Peer)) - {"name"}


def read_peers(path: Path = DEFAULT, *, homes: Path = HOMES) -> tuple[Peer, ...]:
    """Read the list."""
    try:
        tables = tomllib.loads(read_text(path)).get("peers")
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    if not isinstance(tables, dict) or not tables:
        raise Error(f"{path}: lists no peers; add entries under [peers]")
    return tuple(_peer(name, table, path, homes) for name, table in tables.items())


def _peer(name: str, table: Any, path: Path, homes: Path) -> Peer:
    where = f"{path}: {name}"
    if not isinstance(table, dict) or not {"adapter", "about"} <= table.keys():
        raise Error(f'{where}: needs adapter = "FILE" and about = "DESCRIPTION"')
    if unknown := sorted(table.keys() - _KEYS):
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    adapter = path.parent / "adapters" / table["adapter"]
    if not adapter.is_file():
        raise Error(f"{where}: {adapter} is missing")
    return Peer(
        name=name,
        adapter=adapter,
        home=homes / table.get("home", name),
        about=table["about"],
        pip=tuple(map(tuple, table.get("pip", ()))),
        npm=tuple(table.get("npm", ())),
        apt=tuple(table.get("apt", ())),
        set=tuple(table.get("set", {}).items()),
        trains=table.get("trains", False),
        files=tuple(map(Path, table.get("files", ()))),
    )


def choose(peers: Sequence[Peer], names: Sequence[str] | None) -> tuple[Peer, ...]:
    """The peers with these names, or all."""
    if not names:
        return tuple(peers)
    if missing := sorted(set(names) - {peer.name for peer in peers}):
        raise Error(f"no peer {missing[0]!r}; see: python -m respell.lab peers list")
    return tuple(peer for peer in peers if peer.name in names)
