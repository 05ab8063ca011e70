#!/usr/bin/env bash
# Write everyday sentences that are held out from training, as tokens; `presets` counts false alarms
# in them:
#
#     recipes/everyday.sh FILE
#
# They are a sample of the development texts of benchmarks/confusions.py.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 FILE" >&2; exit 2; }
: "${RESPELL_DATA:?set it to the folder of the corpora and lists, see docs/internals/data.md}"
python=${PYTHON:-python}
"$python" - "$1" "$(dirname "$0")/corpora.toml" <<'END'
import os
import random
import sys
from pathlib import Path

from respell.lab.data.corpus import heldout_lines, read_sources
from respell.lab.data.pretokenize import split
from respell.lab.evaluate.confusions.sentences import TEXTS

out, corpora = map(Path, sys.argv[1:])
folder = Path(os.environ["RESPELL_DATA"]) / "corpora"
sources = [source for source in read_sources(corpora) if source.file.split(".")[0] in TEXTS["dev"]]
lines = [line for s in sources for line in heldout_lines(folder / s.file, s.heldout)]
random.Random(1).shuffle(lines)
out.write_text("".join(" ".join(split(line)) + "\n" for line in lines[:6000]), encoding="utf-8")
END
