"""Write the web page with the model in it, for any host of static files."""

import gzip
import hashlib
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from respell import __version__
from respell.decision import variants, vocabulary
from respell.model.bundle import CARD, Bundle
from respell.model.version import CONFIG
from respell.types import Error

STATIC = Path(__file__).parent / "static"
CHECKOUT = Path(__file__).parents[3] / "js" / "dist" / "browser"
"""Where the JavaScript package is built in a checkout."""
ENGINE = ("worker.js", "client.js", "NOTICE.txt")
WASM = "ort-wasm-simd-threaded.wasm"
INDEX, MANIFEST, SERVICE_WORKER, SETTINGS = (
    "index.html",
    "manifest.webmanifest",
    "sw.js",
    "page.json",
)
_NOT_COPIED = (INDEX, "api.js", "local.js", "offline.js")
_ICON = re.compile(r'<link rel="icon" href="data:image/svg\+xml,([^"]*)">')
_CHANGES = {
    # Of the page of the server: the same text for a page without one
    "default-src 'none';": "default-src 'none'; manifest-src 'self';",
    "img-src data:": "img-src 'self' data:",
    '<link rel="stylesheet"': f'<link rel="manifest" href="{MANIFEST}"><link rel="stylesheet"',
    "Your text is sent only to this server and is not stored.": (
        "Your text stays in this browser. Nothing is sent."
    ),
}


def write_page(out: Path, *, model: Path, assets: Path | None = None) -> int:
    """Write the page into a folder. Returns how many bytes a first visit transfers.

    Raises an Error if it is not a folder or has something else in it, or if a part of the page is
    missing.
    """
    engine = _engine(assets)
    if out.exists() and not out.is_dir():
        raise Error(f"{out}: not a folder")
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise Error(f"{out}: not empty; choose a new folder, or one with an earlier page")
    bundle = Bundle.read(model)
    files = {**_shell(engine), **_packed(bundle, engine)}
    loaded = sum(len(content) for name, content in files.items() if name.endswith(".gz"))
    files[SETTINGS] = _json({"version": __version__, "bytes": loaded})
    files[SERVICE_WORKER] = _service_worker(files)
    for name in sorted(files, key=MANIFEST.__ne__):  # the manifest marks the folder as a page
        _replace(out / name, files[name])
    return sum(map(len, files.values()))


def _engine(assets: Path | None) -> Path:
    folder = assets or CHECKOUT
    missing = next((name for name in (*ENGINE, WASM) if not (folder / name).is_file()), None)
    if missing is None:
        return folder
    if assets:
        raise Error(f"{folder}: {missing} is missing; build it with npm ci && npm run build in js/")
    raise Error(
        "page needs the JavaScript package: run npm ci && npm run build in js/ of a checkout, "
        "or give its folder dist/browser with --assets"
    )


def _shell(engine: Path) -> dict[str, bytes]:
    """The page without its model, by the names of the files."""
    index = (STATIC / INDEX).read_text(encoding="utf-8")
    icon = _ICON.search(index)
    for before, after in _CHANGES.items():
        if index.count(before) != 1 or icon is None:
            raise Error(f"{STATIC / INDEX}: does not have {before!r} once")
        index = index.replace(before, after)
    files = {INDEX: index.encode()}
    files["icon.svg"] = unquote(icon[1]).encode() if icon else b""
    for path in sorted(STATIC.iterdir()):
        if path.name not in _NOT_COPIED:
            files[f"static/{path.name}"] = path.read_bytes()
    files["static/api.js"] = (STATIC / "local.js").read_bytes()
    for name in ENGINE:
        files[f"static/engine/{name}"] = (engine / name).read_bytes()
    files[MANIFEST] = _json(
        {
            "name": "respell",
            "description": "Context-aware English spelling correction.",
            "start_url": "./",
            "display": "standalone",
            "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
        }
    )
    return files


def _packed(bundle: Bundle, engine: Path) -> dict[str, bytes]:
    """The model and the tables. Not all hosts compress, so the files are compressed here."""
    files = {"static/engine/ort.wasm.gz": _pack(engine / WASM)}
    for name in (CONFIG, CARD):
        if (bundle.path / name).is_file():
            files[f"model/{name}"] = (bundle.path / name).read_bytes()
    for name in bundle.config.sha256:
        files[f"model/{name.removesuffix('.gz')}.gz"] = _pack(bundle.path / name)
    files["data/variants.txt.gz"] = _pack(variants.TABLE)
    for path in sorted(vocabulary.DATA.iterdir()):
        if path.suffix in (".gz", ".txt"):
            files[f"data/{path.name}"] = path.read_bytes()
    return files


def _pack(path: Path) -> bytes:
    content = path.read_bytes()
    return content if path.suffix == ".gz" else gzip.compress(content, mtime=0)


def _service_worker(files: dict[str, bytes]) -> bytes:
    version = hashlib.sha256()
    for name in sorted(files):
        version.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    head = {"VERSION": version.hexdigest()[:16], "FILES": ["./", *_first(files)]}
    text = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in head.items())
    return text.encode() + (STATIC / "offline.js").read_bytes()


def _first(files: dict[str, bytes]) -> Iterator[str]:
    """The small files, which the service worker keeps at once; the others, when they are loaded."""
    return (name for name in files if name != INDEX and not name.endswith((".gz", ".md", ".txt")))


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


def _replace(path: Path, content: bytes) -> None:
    """Write a file, or replace it in one step."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = tempfile.NamedTemporaryFile(dir=path.parent, delete=False)  # noqa: SIM115 - closed below
        written = Path(file.name)
        try:
            with file:
                file.write(content)
            written.chmod(0o644)  # a web server of another user must read it
            written.replace(path)
        finally:
            written.unlink(missing_ok=True)
    except OSError as error:
        raise Error(f"{path}: cannot be written ({error.strerror})") from error
