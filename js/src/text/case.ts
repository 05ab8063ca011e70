/** Case shapes of words. */

import { Case } from "../generated/text.js";
import { first, isUpper } from "./characters.js";

export const { LOWER, TITLE, UPPER, MIXED } = Case;

/** LOWER, TITLE, UPPER or MIXED; a single capital letter is TITLE. */
export function caseShape(word: string): number {
  if (word.toLowerCase() === word) return LOWER;
  const initial = first(word);
  const rest = word.slice(initial.length);
  if (isUpper(initial) && rest.toLowerCase() === rest) return TITLE;
  return word.toUpperCase() === word ? UPPER : MIXED;
}

/** Write a lower-case word in a case shape; MIXED leaves it as it is. */
export function applyShape(word: string, shape: number): string {
  if (shape === TITLE) {
    const initial = first(word);
    return initial.toUpperCase() + word.slice(initial.length);
  }
  return shape === UPPER ? word.toUpperCase() : word;
}

/** Write `word` in the case of `original`; a mixed original counts by its first letter. */
export function transferCase(original: string, word: string): string {
  let shape = caseShape(original);
  if (shape === MIXED) shape = isUpper(first(original)) ? TITLE : LOWER;
  return applyShape(word, shape);
}
