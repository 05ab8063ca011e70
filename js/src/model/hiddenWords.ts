/** Words that look like numbers or code: with digits (*he11o*) or stray capitals (*becFame*). */

import { HiddenWords as Tables } from "../generated/model.js";
import { plainLetters } from "../text/words.js";
import type { Token } from "../types.js";
import type { Lexicon } from "./lexicon.js";

/**
 * Whether a number or code is more likely a misspelled word. Digits count if the letters that they
 * look like make a word of the lexicon. Capitals count in heavily corrupted text only, and not if
 * all parts are words, as in *getName*.
 */
export function isHiddenWord({ kind, text }: Token, lexicon: Lexicon, noisy: boolean): boolean {
  const lower = text.toLowerCase();
  if (kind === "number") {
    const plain = plainLetters(lower);
    return plain !== lower && lexicon.has(plain);
  }
  if (!noisy || kind !== "code" || !Tables.STRAY_CAPITAL.fullmatch(text)) return false;
  const parts = Tables.PART.findall(text);
  return !lexicon.has(lower) && !parts.every((part) => lexicon.has(part.toLowerCase()));
}
