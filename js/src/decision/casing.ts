/** The case in which a replacement is written. */

import { normalize, PRONOUN } from "../model/encode.js";
import {
  applyShape,
  caseShape,
  LOWER,
  MIXED,
  TITLE,
  transferCase,
  UPPER,
} from "../text/case.js";
import { foldApostrophes } from "../text/words.js";
import type { Policy } from "./policy.js";

/** The case shape that the model prefers, and whether the sentence has no capitals. */
export interface Place {
  readonly shape: number;
  readonly uncased: boolean;
}

/** The word as it should be written in place of `original`. */
export function write(original: string, word: string, policy: Policy, place: Place): string {
  if (policy.casing === "exact") return word;
  const written = inCase(foldApostrophes(original), word, policy, place);
  return original.includes("\u2019") ? written.replaceAll("'", "\u2019") : written;
}

function inCase(original: string, word: string, policy: Policy, place: Place): string {
  const own = policy.userCasing.get(word) || policy.userWords.get(word) || word;
  const shape = caseShape(original);
  // The user's own capitals
  if (caseShape(own) !== LOWER) return shape === UPPER ? own.toUpperCase() : own;
  if (PRONOUN.has(word)) return applyShape(word, shape === UPPER ? UPPER : TITLE);
  const onlyCaseWrong = shape === MIXED && word === normalize(original);
  const chosen = (policy.mode === "noisy" || onlyCaseWrong) && place.shape !== shape;
  const written = chosen ? applyShape(word, place.shape) : transferCase(original, word);
  const usual = policy.truecase.get(word);
  return usual === undefined ? written : restoreTruecase(original, written, usual, place);
}

/** Choose between `written` and the word in its usual case; see `casing.py`. */
function restoreTruecase(original: string, written: string, usual: string, place: Place): string {
  if (written === original || caseShape(written) === UPPER) return written;
  if (caseShape(original) !== LOWER) return usual;
  const staysLower = caseShape(usual) === TITLE ? place.uncased : place.shape === LOWER;
  return staysLower ? written : usual;
}
