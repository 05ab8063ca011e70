"""What the page of the paper's rows says between its tables."""

HEAD = """# The paper's eleven rows

The rows of Tables 1 and 2 of Li, Liu and Huang, *Context-aware Stand-alone Neural Spelling
Correction* (Findings of EMNLP 2020), built again, trained alike and
scored on the same sentences, beside the published figures. Rendered by
`python -m respell.lab paper render` from the files in this folder;
[docs/paper.md](../../docs/paper.md) has the command for each row."""
CLAIMS = """A claim is confirmed if every comparison holds on the paper's sentences inside our
lexicon; F0.5 is by the authors' rule where nothing else is said."""
AUTHORS_RULE = """By the authors' rule: any change that does not give the right word is a false
alarm, also that of a misspelling. Test are those of the paper's sentences that are wholly inside
our lexicon of 50,000 words; theirs is not to be had. The columns `paper` are the published figures,
on their own dev and test sentences. `The authors' row 11` are the answers of their model, scored
by us on the same sentences as all rows; there are none for dev."""
REAL = """By the authors' rule. A token in our lexicon is a real word, for every row and for the
authors' answers; any other is a non-word. A closed lexicon has no choice but to change a non-word:
its recall is 1 by this rule, and its precision is its accuracy."""
TABLE_RULE = """The paper's Table 3 says it otherwise: a misspelling that stays wrong is missed, be
it changed or not, and only a correct word that is changed is a false alarm. Nothing was published
by this rule. Non-words have a precision of 1 here, and their recall is their accuracy."""
APART = """Row 3 reads spelling alone, as in the paper, and comes out far above it: mostly it
leaves correct words alone, which the published precision of real words says theirs did not. The
characters of our encoder keep their case; those of the authors' code, in the state they published,
do not, and who reads without capitals has to guess them for a cased lexicon, as rows 7, 9, 10 and
11 do here (Capitals, below). That this is the reason is our guess. Rows 1 and 2 are somewhat above
the paper as well, in precision on real words, with learning rates found anew for them. Rows 7 and
9 are below it: their pieces begin from nothing, and see least text in equal time."""
PAIRS = """Test. A pair of word and misspelling is known if it is in the list of the training noise,
whatever its case. Damaged are correct words that were changed."""
TRUECASE = """Test, with words compared as they are, and without regard to case. The lexicon is
cased, the vocabulary of pieces is not: rows 7, 9, 10 and 11 cannot see a capital and guess it from
the words around it. Rows that read whole words or characters see it."""
LM1B = """Held-out sentences of the 1-Billion-Word benchmark wholly inside our lexicon, noised once
with the full list."""
ALL = """Also those with words outside our lexicon, which no closed model can write: the last line
is the best it could do."""
COST = """Labels: `word` is one for every token; `first` is one for every word, on its first piece;
`bio2` are the paper's B- and I- labels on all pieces. Without tables: without the table of words or
pieces and the output. FLOP a word: 6 times the multiply-adds of a step's matrix products
(layers, attention, output; padding counted, embeddings and norms not), for each word of its text.
Utilisation: the share of 989 TFLOP/s, dense bfloat16, while training."""
CURVE = "F0.5 on the first sentences of dev along the training, by the table rule:"
RATES = "Chosen on dev by the table rule, with short runs of one row of each family; best first."
