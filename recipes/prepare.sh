#!/usr/bin/env bash
# All that training needs, from the corpora and lists in $RESPELL_DATA (docs/data.md) into a folder:
#
#     recipes/prepare.sh [work]            for the product
#     recipes/prepare.sh --levers [work]   and for `ablation`: a tenth of the known pairs kept aside
#
# Some ten minutes each on two cores. What is there already is left as it is.
set -euo pipefail
levers=false
[ "${1-}" = --levers ] && levers=true && shift
out=${1:-work}
: "${RESPELL_DATA:?set it to the folder of the corpora and lists, see docs/data.md}"
python=${PYTHON:-python}
recipes=$(dirname "$0")
held=$RESPELL_DATA/corpora/lm1b_heldout_10_11.txt.xz # sentences of the dev sets, never trained on
lexicon=$out/data/lexicon.txt
mkdir -p "$out/dev"

lab() { "$python" -m respell.lab "$@"; }

build() { # folder, more options
  [ -e "$out/$1" ] || lab build --corpora "$recipes/corpora.toml" --data "$RESPELL_DATA/corpora" \
    --out "$out/$1" "${@:2}"
}

noise() { # name, more options
  [ -e "$out/dev/$1.gold.txt" ] || lab noise "$held" --out "$out/dev/$1" "${@:2}"
}

invent() { # folder of lists: more misspellings of each kind for every word of the lexicon
  local lists=$1
  [ -e "$lists/invented.tsv" ] || lab invent --lexicon "$lexicon" --out "$lists/invented.tsv" \
    --lists "$lists"/{omega_train80,typos_rs,codespell,misspell_go}.tsv \
    "$lists"/{wikipedia_csv,wikipedia_machines,aspell_orig}.tsv \
    --held-out "$lists/omega_heldout20.tsv"
  # As one list misspells, what is absurd in it included: a small network learns it.
  [ -e "$lists/wild_invented.tsv" ] || lab invent --lexicon "$lexicon" --untidy --imitate \
    --boldness 0.7 --count 16 --lists "$lists/omega_train80.tsv" \
    --held-out "$lists/omega_heldout20.tsv" --out "$lists/wild_invented.tsv"
}

copy_lists() { # folder
  [ -d "$1" ] && return
  mkdir "$1.new"
  install -m 644 "$RESPELL_DATA"/misspellings/*.tsv "$1.new"
  # Words that are right though the lexicon lacks them: those of Debian's lists of words.
  cat /usr/share/dict/{american,british}-english | grep -E '^[a-z]{3,}$' | sort -u > "$1.new/right.txt"
  mv "$1.new" "$1"
}

build data --presplit 0.2
lists=$out/lists
copy_lists "$lists"
invent "$lists"
noise lm1b_known --lists "$lists/omega_train80.tsv" --limit 6000
# Misspellings that are in no list the model learns from, a fifth of all, as the paper's test has them.
[ -e "$lists/new.tsv" ] || lab invent --lexicon "$lexicon" --out "$lists/new.tsv" --seed 77 \
  --lists "$lists/omega_train80.tsv" \
  --held-out "$lists"/{omega_heldout20,invented,wild_invented}.tsv
noise lm1b_mixed --seed 3 --lists "$lists/omega_train80.tsv" --new "$lists/new.tsv" --limit 6000

if $levers; then
  build data-raw
  lists=$out/lists-dev
  copy_lists "$lists"
  [ -e "$lists/dev_pairs.tsv" ] || "$python" - "$lists" <<'END'
import sys
from pathlib import Path

from respell.lab.misspellings import merge, read_tsv, split_known, without, write_tsv

folder = Path(sys.argv[1])
path, unknown = folder / "omega_train80.tsv", folder / "omega_heldout20.tsv"
known, held = split_known(read_tsv(path), share=0.9, seed=1)
held = without(held, known)  # what is known in another case is known
write_tsv(known, path)
write_tsv(merge(read_tsv(unknown), held), unknown)
write_tsv(held, folder / "dev_pairs.tsv")
END
  invent "$lists"
  noise levers --seed 5 --limit 2000 --lists "$lists/omega_train80.tsv" --new "$lists/dev_pairs.tsv"
  noise unknown --seed 6 --limit 2000 --lists "$lists/dev_pairs.tsv"
  [ -e "$out/dev/clean.txt" ] || xz -dc "$held" | tail -n 3000 > "$out/dev/clean.txt"
fi
