"""The text of the page about the paper's rows."""

HEAD = """# The paper's eleven rows

The rows of Tables 1 and 2 of Li, Liu and Huang, *Context-aware Stand-alone Neural Spelling
Correction* (Findings of EMNLP 2020), implemented again, trained under equal conditions and
scored on the same sentences, next to the published results. Written by `python -m respell.lab
paper render` from the files in this folder; [paper.md](../../docs/internals/paper.md) has the
commands."""
CLAIMS = """A claim is confirmed if all its comparisons hold on the paper's sentences inside our
lexicon. F0.5 is by the authors' rule unless stated otherwise."""
AUTHORS_RULE = """By the authors' rule: every change that does not give the right word is a false
alarm, even of a misspelling. Test has those of the paper's sentences that are inside our lexicon of
50,000 words; the authors' lexicon is not available. The columns `paper` are the published results,
on the authors' dev and test sentences. `The authors' row 11` is the output of their model, scored
by us on the same sentences as all rows; there is none for dev."""
REAL = """By the authors' rule. A token in our lexicon is a real word, for every row and for the
authors' output; any other token is a non-word. A model with a closed lexicon must change every
non-word, so its recall is 1 by this rule and its precision is its accuracy."""
TABLE_RULE = """The paper's Table 3 defines it differently: a misspelling that stays wrong is a
miss, whether it was changed or not, and only a changed correct word is a false alarm. No results
were published by this rule. For non-words, precision is 1 here and recall is accuracy."""
DIFFERENCES = """Row 3 reads only the spelling, as in the paper, but its result is far better
than the published one. The main reason is that it leaves correct words alone, which the paper's
row 3 does not, judging by its published precision on real words. The characters of our encoder
keep their case; in the authors' published code they do not. A model that cannot see capitals has
to guess them for a cased lexicon, as rows 7, 9, 10 and 11 do here (see Capitals). That this is
the reason is our guess. Rows 1 and 2 are somewhat better than in the paper as well, in precision
on real words, with our own learning rates. Rows 7 and 9 are worse: their subword vectors start
from random values and see the least text in the same time."""
PAIRS = """Test. A pair of a word and a misspelling is known if it is in the list of the training
noise, ignoring case. Damaged words are correct words that were changed."""
TRUECASE = """Test, with words compared case-sensitively and case-insensitively. The lexicon is
cased, the subword vocabulary is not: rows 7, 9, 10 and 11 cannot see capitals and have to guess
them from the context. Rows that read whole words or characters see them."""
LM1B = """Held-out sentences of the 1-Billion-Word benchmark inside our lexicon, with noise from the
full list."""
ALL = """Including sentences with words outside our lexicon, which no closed model can produce. The
last line is the best possible result."""
COST = """Labels: `word` is one per token; `first` is one per word, on its first subword; `bio2` is
the paper's B- and I- labels on all subwords. Without tables: without the embedding table and the
output layer. FLOPs per word: 6 times the multiply-adds of the matrix products of a step (layers,
attention, output; padding counts, embeddings and norms do not), divided by its words. Utilization:
the share of 989 TFLOP/s, dense bfloat16, during training."""
CURVE = "F0.5 by the table rule on the first dev sentences during training:"
RATES = "Chosen on dev by the table rule, with short runs of one row of each family; best first."
