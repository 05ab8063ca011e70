/**
 * The interface of a model: features in, ranked words out.
 *
 * The fields of `Features` and `TopK` are named as the inputs and outputs of the ONNX graph.
 */

/** A table of numbers in one array, row by row. */
export interface Ints {
  readonly data: BigInt64Array;
  readonly dims: readonly number[];
}

export interface Floats {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** A batch of sentences as the model reads it; a model takes those that it declares. */
export interface Features {
  readonly words: Ints; // [batch, length] input ids
  readonly shapes: Ints; // [batch, length] case shapes, plus NOISE_FLAG in corrupted text
  readonly slots: Ints; // [batch, length] row of `spellings` that spells the word
  readonly spellings: Ints; // [spellings, WIDTH] character ids
  readonly new_words?: Floats; // [new, width + 1] vectors of words ranked beside the lexicon's
  readonly classes?: Ints; // [batch, length] class of each word, for models that read it
}

/** What the model says about a batch: which words may be wrong, and the likeliest others. */
export interface TopK {
  readonly keep: Floats; // [batch, length] probability that the word is right
  readonly positions: Ints; // [suspects] index into the flattened [batch, length]
  readonly ids: Ints; // [suspects, k] lexicon indexes, best first; new words come after them
  readonly probabilities: Floats; // [suspects, k] of the whole distribution, KEEP included
  readonly cases: Ints; // [suspects] case shape that the word should have
  readonly kinds?: Floats; // [suspects, kinds] of errors, if the model knows about spaces
}

/** Runs a model. */
export interface Forward {
  /** Rank words wherever the probability of an error reaches `gate`. */
  rank(features: Features, gate: number): Promise<TopK>;
  /** Output vectors and biases of spelled words; undefined if the model cannot. */
  readonly compose?: (spellings: Ints) => Promise<Floats>; // [words, width + 1]
}
