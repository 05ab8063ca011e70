#!/usr/bin/env bash
# All that training needs, from the corpora and lists in $RESPELL_DATA (docs/data.md) into a folder:
#
#     recipes/prepare.sh [work]            for the product
#     recipes/prepare.sh --levers [work]   and for `ablation`: a tenth of the known pairs kept aside
#
# Some twenty minutes each on two cores. What is there already is left as it is.
set -euo pipefail
levers=false
[ "${1-}" = --levers ] && levers=true && shift
[ $# -le 1 ] || { echo "usage: $0 [--levers] [FOLDER]" >&2; exit 2; }
out=${1:-work}
: "${RESPELL_DATA:?set it to the folder of the corpora and lists, see docs/data.md}"
words=${WORDS:-/usr/share/dict}
for name in american british; do
  [ -s "$words/$name-english" ] ||
    { echo "$words/$name-english is missing: install wamerican and wbritish" >&2; exit 2; }
done
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
  [ -e "$lists/generated.tsv" ] || lab invent --lexicon "$lexicon" --out "$lists/generated.tsv" \
    --lists "$lists"/{omega_train80,typos_rs,codespell,misspell_go}.tsv \
    "$lists"/{wikipedia_csv,wikipedia_machines,aspell_orig}.tsv \
    --held-out "$lists/omega_heldout20.tsv"
  # As one list misspells, what is absurd in it included: a small network learns it.
  [ -e "$lists/noisy_generated.tsv" ] || lab invent --lexicon "$lexicon" --untidy --imitate \
    --boldness 0.7 --count 16 --lists "$lists/omega_train80.tsv" \
    --held-out "$lists/omega_heldout20.tsv" --out "$lists/noisy_generated.tsv"
}

copy_lists() { # folder, and what else is to be done in it before it is there
  [ -e "$1/valid_words.txt" ] && return
  rm -rf "$1.new"
  mkdir "$1.new"
  install -m 644 "$RESPELL_DATA"/misspellings/*.tsv "$1.new"
  # Words that are right though the lexicon lacks them: those of Debian's lists of words.
  cat "$words"/{american,british}-english | LC_ALL=C grep -E '^[a-z]{3,}$' | LC_ALL=C sort -u \
    > "$1.new/valid_words.txt"
  "${@:2}" "$1.new"
  mv "$1.new" "$1"
}

hold_out() { # folder: a tenth of the known pairs is known no longer
  "$python" - "$1" <<'END'
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
}

build data --presplit 0.2
lists=$out/lists
copy_lists "$lists" true
invent "$lists"
noise lm1b_known --lists "$lists/omega_train80.tsv" --limit 6000
# Misspellings that are in no list the model learns from, a fifth of all, as the paper's test has them.
[ -e "$lists/new.tsv" ] || lab invent --lexicon "$lexicon" --out "$lists/new.tsv" --seed 77 \
  --lists "$lists/omega_train80.tsv" \
  --held-out "$lists"/{omega_heldout20,invented,wild_invented}.tsv \
  "$lists"/{typos_rs,codespell,misspell_go,wikipedia_csv,wikipedia_machines,aspell_orig}.tsv
noise lm1b_mixed --seed 3 --lists "$lists/omega_train80.tsv" --new "$lists/new.tsv" --limit 6000

if $levers; then
  build data-raw
  lists=$out/lists-dev
  copy_lists "$lists" hold_out
  invent "$lists"
  noise levers --seed 5 --limit 2000 --lists "$lists/omega_train80.tsv" --new "$lists/dev_pairs.tsv"
  noise unknown --seed 6 --limit 2000 --lists "$lists/dev_pairs.tsv"
  if [ ! -e "$out/dev/clean.txt" ]; then
    xz -dc "$held" | tail -n 3000 > "$out/dev/clean.new"
    mv "$out/dev/clean.new" "$out/dev/clean.txt"
  fi
fi
