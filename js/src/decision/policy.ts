/** How a ranking becomes a decision. */

import { Policy as Tables } from "../generated/decision.js";
import { SPACING } from "../generated/root.js";
import type { Preset } from "../model/bundle.js";
import { type Casing, normalize } from "../model/encode.js";
import type { Lexicon } from "../model/lexicon.js";
import { caseShape, LOWER } from "../text/case.js";
import { length } from "../text/characters.js";
import type { Correction } from "../types.js";
import { isElongated } from "./rules.js";

/** The settings of a decision; see `Policy` in Python. */
export interface Policy {
  readonly threshold: number;
  readonly thresholdOn: Preset["threshold_on"];
  /** The threshold of the preset `default`, if it is about the same number; else the preset's. */
  readonly defaultThreshold: number;
  readonly fixThreshold: number;
  /** If lower, it replaces `threshold` for lower-case words outside the lexicon. */
  readonly oovThreshold: number;
  /** If higher, it replaces `threshold` for capitalized words outside the lexicon. */
  readonly nameThreshold: number;
  /** The least score of a correction that adds or removes a blank. */
  readonly spacingThreshold: number;
  /** Whether corrections may add or remove a blank. */
  readonly spacing: boolean;
  readonly mode: Preset["mode"];
  readonly maxSuggestions: number;
  /** The least probability of a suggestion after the first. */
  readonly minProbability: number;
  /** Normalized words that are always accepted. */
  readonly dictionary: ReadonlySet<string>;
  readonly casing: Casing;
  readonly rewriteThreshold: number;
  /** Added to the logits of valid words outside the lexicon; null: they are not suggested. */
  readonly vocabularyBias: number | null;
  /** Words that the model ranks after its lexicon, in this order: normalized -> as written. */
  readonly userWords: ReadonlyMap<string, string>;
  /** Words of the lexicon that the user writes with capitals. */
  readonly userCasing: ReadonlyMap<string, string>;
  /** Words of the lexicon with capitals of their own. */
  readonly truecase: ReadonlyMap<string, string>;
  /** Leave words alone that are drawn out on purpose: sooo, yesssss. */
  readonly keepElongated: boolean;
}

export const { NEGLIGIBLE } = Tables;

/** Whether the rules for text that people have written apply. */
export function isLight({ casing, mode }: Pick<Policy, "casing" | "mode">): boolean {
  return casing === "lower" && mode === "light";
}

/** No word is flagged if the probability of an error is lower than this. */
export function lowestThreshold(policy: Policy): number {
  const lowest = Math.min(policy.threshold, policy.oovThreshold);
  return policy.spacing ? Math.min(lowest, policy.spacingThreshold) : lowest;
}

/** What the thresholds are about: the score of a correction, or its error probability. */
export function measureOf({ thresholdOn }: Policy, correction: Correction): number {
  const byScore = thresholdOn === "score" || SPACING.includes(correction.kind);
  return byScore ? correction.score : correction.error_probability;
}

/** The least score, or error probability, of a correction of this word. */
export function thresholdFor(policy: Policy, word: string, lexicon: Lexicon): number {
  const { threshold, oovThreshold, nameThreshold } = policy;
  if (isLowercaseOov(word, lexicon)) return Math.min(threshold, oovThreshold);
  return isCapitalizedOov(word, lexicon) ? Math.max(threshold, nameThreshold) : threshold;
}

/** Whether a word is always accepted. */
export function accepts(policy: Policy, word: string): boolean {
  const normalized = normalize(word);
  return policy.dictionary.has(normalized) || (policy.keepElongated && isElongated(normalized));
}

/** Whether a word is in lower case, so probably not a name, and not in the lexicon. */
export function isLowercaseOov(word: string, lexicon: Lexicon): boolean {
  return length(word) > 1 && caseShape(word) === LOWER && !lexicon.has(normalize(word));
}

/** Whether a word has a capital, so it may be a name, and is not in the lexicon. */
function isCapitalizedOov(word: string, lexicon: Lexicon): boolean {
  return caseShape(word) !== LOWER && !lexicon.has(normalize(word));
}
