"""Write a bill of materials (CycloneDX 1.5) of respell: the installed packages and the model.

python benchmarks/sbom.py --output sbom.json     in an environment that has only respell
"""

import argparse
import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from respell import __version__
from respell.model.bundle import LEXICON, MODEL, Bundle, default_path

REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


def packages(name: str, seen: dict[str, Distribution]) -> None:
    """Collect a package and the installed packages that it requires, recursively."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return  # an extra, or only for another platform
    seen[key] = found
    for requirement in found.requires or ():
        match = REQUIREMENT.match(requirement)
        if match and "extra ==" not in requirement:
            packages(match[0], seen)


def component(key: str, found: Distribution) -> dict[str, Any]:
    """A package as a CycloneDX component."""
    value: dict[str, Any] = {"type": "library", "name": key, "version": found.version}
    value["purl"] = f"pkg:pypi/{key}@{found.version}"
    for field in ("License-Expression", "License"):
        if field in found.metadata and len(found.metadata[field]) < 80:  # not the whole text
            value["licenses"] = [{"license": {"name": found.metadata[field]}}]
            break
    return value


def bill(extras: list[str]) -> dict[str, Any]:
    """The whole document; it only depends on the environment."""
    seen: dict[str, Distribution] = {}
    for name in ("numpy", "onnxruntime", *extras):
        packages(name, seen)
    bundle = Bundle.read(default_path())
    model = {
        "type": "machine-learning-model",
        "name": bundle.config.name,
        "version": str(bundle.config.edition),
        "hashes": [{"alg": "SHA-256", "content": bundle.config.sha256[MODEL]}],
        "properties": [{"name": LEXICON, "value": bundle.config.sha256[LEXICON]}],
    }
    application = {"type": "application", "name": "respell", "version": __version__}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": application},
        "components": [*(component(key, seen[key]) for key in sorted(seen)), model],
    }


def main() -> int:
    """Write the bill to a file, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--with", dest="extras", nargs="*", default=[], metavar="PACKAGE")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    text = json.dumps(bill(args.extras), indent=1) + "\n"
    if args.output:
        args.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
