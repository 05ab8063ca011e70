/** Values shared by the whole package. */

/** Only a "word" can be corrected; see `TokenKind` in Python for the others. */
export type TokenKind = "word" | "mark" | "number" | "name" | "code";
/**
 * An unknown word, a known word in the wrong place, a spelling of the other variant, two words that
 * are run together, or one word that is pulled apart.
 */
export type CorrectionKind = "nonword" | "realword" | "variant" | "split" | "join";

/** The one exception for bad input. Its message is one line. */
export class RespellError extends Error {
  override name = "RespellError";
}

/** A slice of a text; `start` counts code points. */
export interface Token {
  readonly start: number;
  readonly text: string;
  readonly kind: TokenKind;
}

/** A replacement and the probability that it is the right one. */
export interface Suggestion {
  readonly text: string;
  readonly probability: number;
}

/** A misspelled slice of a text with suggested replacements, the best first; the JSON of Python. */
export interface Correction {
  /** Offsets count code points. */
  readonly start: number;
  readonly end: number;
  readonly original: string;
  /** The first suggestion. */
  readonly replacement: string;
  readonly suggestions: readonly Suggestion[];
  readonly kind: CorrectionKind;
  /** The probability that the original is wrong. */
  readonly error_probability: number;
  /** The probability that the first suggestion is right. */
  readonly score: number;
}

/** What the model says about one word, whether or not it would correct it. */
export interface Explanation {
  readonly start: number;
  readonly end: number;
  readonly original: string;
  /** The probability that the word is right. */
  readonly keep: number;
  readonly candidates: readonly Suggestion[];
}
