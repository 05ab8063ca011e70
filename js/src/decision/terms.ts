/** The terms of a document: unknown words that recur, and that can be suggested. */

import { Terms } from "../generated/decision.js";
import { byCodePoint, length, Offsets } from "../text/characters.js";
import type { Correction } from "../types.js";
import type { Judge } from "./adjust.js";
import { base, type Evidence } from "./evidence.js";

/** Unknown words that occur often enough to be suggested, the most frequent first. */
export function frequent({ words, contexts }: Evidence): string[] {
  const count = (word: string) => words.get(word) ?? 0;
  return [...contexts.keys()]
    .filter((word) => count(word) >= Terms.MIN_COUNT && length(word) >= Terms.MIN_LENGTH)
    .sort((one, other) => count(other) - count(one) || byCodePoint(one, other))
    .slice(0, Terms.MAX_TERMS);
}

/** The words that the evidence shows to be right, given what was found in their contexts. */
export function confirmed(
  { contexts }: Evidence,
  judge: Judge,
  words: readonly string[],
  found: readonly (readonly Correction[])[],
): string[] {
  return words.filter((word, i) => {
    const own = found[i]!.find(({ original }) => base(original) === word);
    return !own || judge.rejects(new Offsets(contexts.get(word)!), own);
  });
}

/** Finds out quickly whether a word is spelled almost like one of some terms. */
export class TermIndex {
  readonly #forms: ReadonlySet<string>;

  constructor(terms: readonly string[]) {
    this.#forms = new Set(terms.flatMap(deletions));
  }

  /** Whether a word and a term are equal after at most one deletion in each. */
  near(word: string): boolean {
    return deletions(base(word)).some((form) => this.#forms.has(form));
  }
}

function deletions(word: string): string[] {
  const letters = [...word];
  if (letters.length <= Terms.MIN_LENGTH) return [word];
  return [word, ...letters.map((_, i) => letters.toSpliced(i, 1).join(""))];
}
