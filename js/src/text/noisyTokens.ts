/** Rules for heavily corrupted text that the caller has split into tokens. */

import { NoisyTokens } from "../generated/text.js";
import { isAlphanumeric } from "./characters.js";
import { isContractionInS } from "./words.js";

/** What the caller has split off words: punctuation marks, clitics such as 's. */
export interface Splitting {
  readonly marks: boolean;
  readonly clitics: boolean;
}

/** Detect it from the tokens of a sentence. */
export function splittingOf(words: readonly string[]): Splitting {
  const marks = words.some((word) => word && ![...word].some(isAlphanumeric));
  const clitics = marks && words.some((word) => NoisyTokens.CLITIC.fullmatch(word));
  return { marks, clitics };
}

/** Whether a token of heavily corrupted text may be a misspelled word: any_one, 0f, [[the. */
export function isNoisyWord(token: string, { marks, clitics }: Splitting): boolean {
  if (NoisyTokens.ODD.fullmatch(token)) return true;
  const odd =
    (marks && NoisyTokens.ODD_MARKS.fullmatch(token)) ||
    (clitics && NoisyTokens.POSSESSIVE.fullmatch(token));
  return Boolean(odd) && !isContractionInS(token);
}
