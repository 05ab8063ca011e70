#!/usr/bin/env bash
# Prepare the training data from the corpora and lists in $RESPELL_DATA (docs/internals/data.md):
#
#     recipes/prepare.sh [FOLDER]               for the shipped model
#     recipes/prepare.sh --ablations [FOLDER]   also for `ablation`
#
# For `ablation`, a tenth of the known pairs is held out. Each takes about twenty minutes on two
# cores. Existing files are not written again.
set -euo pipefail
ablations=false
[ "${1-}" = --ablations ] && ablations=true && shift
[ $# -le 1 ] || { echo "usage: $0 [--ablations] [FOLDER]" >&2; exit 2; }
out=${1:-work}
: "${RESPELL_DATA:?set it to the folder of the corpora and lists, see docs/internals/data.md}"
words=${WORDS:-/usr/share/dict}
for name in american british; do
  [ -s "$words/$name-english" ] ||
    { echo "$words/$name-english is missing: install wamerican and wbritish" >&2; exit 2; }
done
python=${PYTHON:-python}
recipes=$(dirname "$0")
held=$RESPELL_DATA/corpora/lm1b_heldout_10_11.txt.xz # for the dev sets; not used for training
lexicon=$out/data/lexicon.txt
mkdir -p "$out/dev"

lab() { "$python" -m respell.lab "$@"; }

build() { # folder, more options
  [ -e "$out/$1" ] || lab build --corpora "$recipes/corpora.toml" --data "$RESPELL_DATA/corpora" \
    --out "$out/$1" "${@:2}"
}

freeze() { # name, more options
  [ -e "$out/dev/$1.gold.txt" ] || lab freeze "$held" --out "$out/dev/$1" "${@:2}"
}

generate() { # folder of lists: generate misspellings for every word of the lexicon
  local lists=$1
  [ -e "$lists/generated.tsv" ] || lab generate --lexicon "$lexicon" --out "$lists/generated.tsv" \
    --lists "$lists"/{omega_train80,typos_rs,codespell,misspell_go}.tsv \
    "$lists"/{wikipedia_csv,wikipedia_machines,aspell_orig}.tsv \
    --held-out "$lists/omega_heldout20.tsv"
  # For noisy sentences, a small network learns the paper's list, including implausible pairs.
  [ -e "$lists/noisy_generated.tsv" ] || lab generate --lexicon "$lexicon" --no-tidy --network \
    --temperature 0.7 --count 16 --lists "$lists/omega_train80.tsv" \
    --held-out "$lists/omega_heldout20.tsv" --out "$lists/noisy_generated.tsv"
}

tables() { # folder of lists: valid words outside the lexicon, and real words that are confused
  local lists=$1
  [ -e "$lists/vocabulary.gz" ] || lab vocabulary --lexicon "$lexicon" --out "$lists/vocabulary.gz" \
    --dictionary "$lists/valid_words.txt" \
    --lists "$lists"/{omega_train80,typos_rs,codespell,misspell_go}.tsv \
    "$lists"/{wikipedia_csv,wikipedia_machines,aspell_orig}.tsv
  [ -e "$lists/confusions_weighted.tsv" ] || lab confusions --lexicon "$lexicon" \
    --dictionaries "$words"/{american,british}-english \
    --lists "$lists" "$RESPELL_DATA/confusions" "$recipes" --out "$lists/confusions_weighted.tsv"
}

copy_lists() { # folder, and a command to run on it before it is complete
  [ -e "$1/valid_words.txt" ] && return
  rm -rf "$1.new"
  mkdir "$1.new"
  install -m 644 "$RESPELL_DATA"/misspellings/*.tsv "$1.new"
  # Words that are correct even if they are not in the lexicon: the word lists of Debian.
  cat "$words"/{american,british}-english | LC_ALL=C grep -E '^[a-z]{3,}$' | LC_ALL=C sort -u \
    > "$1.new/valid_words.txt"
  "${@:2}" "$1.new"
  mv "$1.new" "$1"
}

hold_out() { # folder: move a tenth of the known pairs to the held-out pairs
  "$python" - "$1" <<'END'
import sys
from pathlib import Path

from respell.lab.misspellings.word_lists import merge, read_tsv, split_known, without, write_tsv

folder = Path(sys.argv[1])
path, unknown = folder / "omega_train80.tsv", folder / "omega_heldout20.tsv"
known, held = split_known(read_tsv(path), share=0.9, seed=1)
held = without(held, known)  # a pair that is known in another case is not held out
write_tsv(known, path)
write_tsv(merge(read_tsv(unknown), held), unknown)
write_tsv(held, folder / "dev_pairs.tsv")
END
}

build data --presplit 0.2
lists=$out/lists
copy_lists "$lists" true
generate "$lists"
tables "$lists"
freeze lm1b_known --lists "$lists/omega_train80.tsv" --limit 6000
for side in noisy gold; do # for `export`
  head -n 3000 "$out/dev/lm1b_known.$side.txt" > "$out/dev/parity.$side.txt"
done
# In the second dev set, a fifth of the misspellings are in no training list, as in the paper's test.
[ -e "$lists/new.tsv" ] || lab generate --lexicon "$lexicon" --out "$lists/new.tsv" --seed 77 \
  --lists "$lists/omega_train80.tsv" \
  --held-out "$lists"/{omega_heldout20,generated,noisy_generated}.tsv \
  "$lists"/{typos_rs,codespell,misspell_go,wikipedia_csv,wikipedia_machines,aspell_orig}.tsv
freeze lm1b_mixed --seed 3 --lists "$lists/omega_train80.tsv" --new "$lists/new.tsv" --limit 6000

if $ablations; then
  build data-raw
  lists=$out/lists-dev
  copy_lists "$lists" hold_out
  generate "$lists"
  tables "$lists"
  freeze ablations --seed 5 --limit 2000 --lists "$lists/omega_train80.tsv" \
    --new "$lists/dev_pairs.tsv"
  freeze unknown --seed 6 --limit 2000 --lists "$lists/dev_pairs.tsv"
  if [ ! -e "$out/dev/clean.txt" ]; then
    xz -dc "$held" | tail -n 3000 > "$out/dev/clean.new"
    mv "$out/dev/clean.new" "$out/dev/clean.txt"
  fi
fi
