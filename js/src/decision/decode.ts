/** Turn the model's ranking of a batch into corrections. */

import { Forward } from "../generated/model.js";
import { normalize } from "../model/encode.js";
import type { TopK } from "../model/forward.js";
import type { Lexicon } from "../model/lexicon.js";
import { caseShape, LOWER } from "../text/case.js";
import { first, hasDigit, isAlpha, length } from "../text/characters.js";
import type { Window } from "../text/windows.js";
import { type Correction, type CorrectionKind, RespellError, type Token } from "../types.js";
import { type Place as CasePlace, write } from "./casing.js";
import { accepts, isLight, type Policy, thresholdFor } from "./policy.js";
import { limitToLightErrors, type Ranked } from "./rules.js";

const { REPLACE, KINDS } = Forward;

/** What is known about a token besides the ranking. */
interface Place extends CasePlace {
  readonly errorProbability: number;
  readonly threshold: number;
  readonly kind: CorrectionKind;
}

/** The corrections of each window, in the order of its tokens. */
export function decode(
  windows: readonly Window[],
  topk: TopK,
  lexicon: Lexicon,
  policy: Policy,
): Correction[][] {
  const userWords = [...policy.userWords.keys()];
  const name = (index: number): string => {
    const word = lexicon.words[index] ?? userWords[index - lexicon.size];
    if (word !== undefined) return word;
    throw new RespellError(`the model names words outside its lexicon of ${lexicon.size}`);
  };
  const found: Correction[][] = windows.map(() => []);
  const width = topk.keep.dims[1]!;
  const ranks = topk.ids.dims[1]!;
  topk.positions.data.forEach((position, row) => {
    const [i, j] = [Math.floor(Number(position) / width), Number(position) % width];
    const window = windows[i]!;
    const token = window.tokens[j];
    if (token?.kind !== "word" || accepts(policy, token.text)) return;
    // How likely the right word is another one. A word that is probably run together or pulled
    // apart is not changed into another word. A model that knows nothing about blanks always means
    // another word.
    const share = topk.kinds?.data[row * KINDS + REPLACE] ?? 1;
    const errorProbability = (1 - topk.keep.data[Number(position)]!) * share;
    const words: Ranked = Array.from({ length: ranks }, (_, k): Ranked[number] => {
      const at = row * ranks + k;
      return [name(Number(topk.ids.data[at])), topk.probabilities.data[at]! * share];
    });
    const known = lexicon.has(normalize(token.text, "word", policy.casing));
    const correction = correct(token, words, policy, {
      // The context of a lone word says nothing about its case or about the text.
      shape: window.lone ? caseShape(token.text) : Number(topk.cases.data[row]),
      uncased: window.tokens.every(({ text }) => caseShape(text) === LOWER),
      errorProbability,
      threshold: window.lone ? policy.threshold : thresholdFor(policy, token.text, lexicon),
      kind: known ? "realword" : "nonword",
    });
    if (correction) found[i]!.push(correction);
  });
  for (const corrections of found) corrections.sort((one, other) => one.start - other.start);
  return found;
}

function correct(token: Token, ranked: Ranked, policy: Policy, place: Place): Correction | null {
  const written = (word: string) => write(token.text, word, policy, place);
  // A model without KEEP leaves a word alone by naming it.
  if (written(ranked[0]![0]) === token.text) return null;
  const words = isLight(policy) ? limitToLightErrors(token.text, ranked) : ranked;
  const shares = new Map<string, number>();
  for (const [word, probability] of words) {
    const text = written(word);
    if (text === token.text || !canSuggest(word, policy)) continue;
    if (!shares.has(text)) shares.set(text, probability);
  }
  const [best, ...others] = [...shares].map(([text, probability]) => ({ text, probability }));
  if (!best) return null;
  const error = Math.max(place.errorProbability, best.probability);
  if ((policy.thresholdOn === "score" ? best.probability : error) < place.threshold) return null;
  const likely = others.filter(({ probability }) => probability >= policy.minProbability);
  return {
    start: token.start,
    end: token.start + length(token.text),
    original: token.text,
    replacement: best.text,
    suggestions: [best, ...likely].slice(0, policy.maxSuggestions),
    kind: place.kind,
    error_probability: error,
    score: best.probability,
  };
}

/** Only words are suggested; the paper's models may also name marks and numbers. */
function canSuggest(word: string, policy: Policy): boolean {
  return policy.casing === "exact" || (isAlpha(first(word)) && !hasDigit(word));
}
