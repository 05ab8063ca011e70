/** The words of a user's dictionary: which are accepted, and which can be suggested. */

import { UserWords } from "../generated/decision.js";
import { type Encoder, LONGEST, normalize } from "../model/encode.js";
import type { Lexicon } from "../model/lexicon.js";
import { caseShape, LOWER } from "../text/case.js";
import { byCodePoint, isAlpha, length } from "../text/characters.js";
import { isSingleWord, tokenize } from "../text/tokenize.js";
import { plural } from "./vocabulary.js";

/**
 * The normalized words, the parts of compounds and possessives, and the plurals of all. A plural that
 * the lexicon has is left to the model: *its* may be wrong, though *it* is listed.
 */
export function* acceptedWords(dictionary: Iterable<string>, lexicon: Lexicon): Generator<string> {
  for (const word of dictionary) {
    for (const part of parts(word)) {
      yield part;
      if (!lexicon.has(plural(part))) yield plural(part);
    }
  }
}

function* parts(word: string): Generator<string> {
  yield normalize(word);
  if (word && [...word].every(isAlpha)) return; // needs no tokenizer
  for (const token of tokenize(word)) if (token.kind === "word") yield normalize(token.text);
}

/** Words outside the lexicon that can be suggested: normalized -> as the user writes them. */
export function suggestedWords(
  dictionary: Iterable<string>,
  encoder: Encoder,
): Map<string, string> {
  const fitting = [...asWritten(dictionary)].filter(
    ([normalized]) =>
      length(normalized) <= LONGEST &&
      encoder.canSpell(normalized) &&
      !encoder.lexicon.has(normalized) &&
      isSingleWord(normalized),
  );
  return new Map(fitting.slice(0, UserWords.MAX_SUGGESTED));
}

/** Words of the lexicon that the user writes with capitals: normalized -> as written. */
export function userCasing(dictionary: Iterable<string>, lexicon: Lexicon): Map<string, string> {
  const written = [...asWritten(dictionary)];
  return new Map(
    written.filter(([normal, word]) => lexicon.has(normal) && caseShape(word) !== LOWER),
  );
}

/** Normalized -> as the user writes it; of several cases, the lower-case form wins. */
function asWritten(dictionary: Iterable<string>): Map<string, string> {
  const sorted = [...dictionary].sort(byCodePoint);
  return new Map(sorted.map((word) => [normalize(word), word]));
}
