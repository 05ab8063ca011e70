/** Rules for text that people have written: single letters, negations, drawn-out words. */

import { Rules } from "../generated/decision.js";
import { normalize } from "../model/encode.js";
import { length } from "../text/characters.js";

/** Words and their probabilities, best first. */
export type Ranked = readonly (readonly [word: string, probability: number])[];

const PLAIN: Record<string, string> = Rules.PLAIN;

/** Whether a word is drawn out on purpose: sooo, yesssss. */
export function isElongated(normalized: string): boolean {
  return Rules.ELONGATED.search(normalized) !== null;
}

/** Drop words that people do not mean when they write `original`. */
export function limitToLightErrors(original: string, words: Ranked): Ranked {
  // People write "i" for "I", but no letter for another word.
  if (length(original) === 1) {
    return words.slice(0, 1).filter(([word]) => word === normalize(original));
  }
  return keepNegation(original, words);
}

/** Never turn a text into its opposite: *cant* does not become *can*; see `rules.py`. */
function keepNegation(original: string, words: Ranked): Ranked {
  const found = Rules.NEGATED.fullmatch(normalize(original));
  if (!found) return words;
  const { regular, irregular, have } = found.groups!;
  const stem = (regular ?? irregular)!;
  const plain = PLAIN[stem] ?? stem;
  const negation = `${stem}n't`;
  const opposite = [plain, `${plain}'ve`];
  const [[first, most], ...others] = words as [Ranked[number], ...Ranked[number][]];
  if (!opposite.includes(first)) return words;
  const share = new Map(others).get(negation);
  if (share === undefined || have) return others.filter(([word]) => !opposite.includes(word));
  const rest = others.filter(([word]) => word !== negation);
  const ranked: Ranked = [[negation, most], [first, share], ...rest];
  return [...ranked].sort((one, other) => other[1] - one[1]);
}
