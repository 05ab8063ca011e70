/**
 * Corrections that add or remove a blank: *alot* -> *a lot*, *to gether* -> *together*.
 *
 * The model says where a word may be two words, or a part of one. Each way to write it is then put
 * into the sentence, which is read again: if the new words fit, the correction is as likely as the
 * error. If one of the two words is misspelled too (*verymcuh*), the first reading says what the
 * first word is, and the second reading what the second one is.
 */

import { Spacing as Tables } from "../generated/decision.js";
import { Forward } from "../generated/model.js";
import { normalize } from "../model/encode.js";
import type { TopK } from "../model/forward.js";
import type { Lexicon } from "../model/lexicon.js";
import { caseShape, transferCase, UPPER } from "../text/case.js";
import { length } from "../text/characters.js";
import { countEdits } from "../text/edits.js";
import type { Window } from "../text/windows.js";
import type { Correction, CorrectionKind, Token } from "../types.js";
import { accepts, NEGLIGIBLE, type Policy } from "./policy.js";

const { ONE_LETTER, MOST_EDITS, LEAST_SHARE, MOST_WAYS, SHORTEST_MISSPELLED } = Tables;
const { SPLIT, JOIN, KINDS } = Forward;

/** A correction of a blank, and the sentence with it. */
export interface Proposal {
  /** Which window of the batch it belongs to. */
  readonly window: number;
  readonly start: number;
  readonly original: string;
  readonly written: string;
  readonly kind: CorrectionKind;
  /** The probability that the original is wrong. */
  readonly error: number;
  readonly reading: Window;
  /** The new tokens in `reading`: from the first to before the second number. */
  readonly places: readonly [number, number];
  /** Whether the last new token is misspelled; `corrected` puts a word in its place. */
  readonly misspelled: boolean;
}

/** A proposal, and the probability that all new words are right. */
export type Fitting = readonly [Proposal, number];

/** What the model ranks at a word, with the probabilities. */
type Ranked = ReadonlyMap<string, number>;

/** The corrections of blanks to try; `most` is how many tokens a window may have. */
export function* propose(
  windows: readonly Window[],
  topk: TopK,
  lexicon: Lexicon,
  policy: Policy,
  most: number,
): Generator<Proposal> {
  if (!topk.kinds) return;
  const width = topk.keep.dims[1]!;
  for (const [row, position] of topk.positions.data.entries()) {
    const [i, j] = [Math.floor(Number(position) / width), Number(position) % width];
    const window = windows[i]!;
    const error = 1 - topk.keep.data[Number(position)]!;
    if (!isJudged(window, j, policy) || error < policy.spacingThreshold) continue;
    const token = window.tokens[j]!;
    const ranked = rankedAt(topk, row, lexicon);
    const share = (kind: number) => topk.kinds!.data[row * KINDS + kind]!;
    const found = { window: i, start: token.start, error };
    if (share(SPLIT) >= LEAST_SHARE) {
      const exact = cuts(token, ranked, lexicon);
      for (const parts of exact.length ? exact : misspelledCuts(token, ranked, lexicon)) {
        const written = parts.map(({ text }) => text).join(" ");
        const [reading, places] = readingOf(window, j, 1, parts, most);
        const misspelled = !isWord(normalize(parts.at(-1)!.text), lexicon);
        const proposal = { ...found, original: token.text, written, reading, places, misspelled };
        yield { ...proposal, kind: "split" };
      }
    }
    if (share(JOIN) >= LEAST_SHARE && mayJoin(window, j, policy)) {
      const second = window.tokens[j + 1]!;
      const original = `${token.text} ${second.text}`;
      for (const whole of wholes(token, second, ranked, lexicon)) {
        const [reading, places] = readingOf(window, j, 2, [whole], most);
        const proposal = { ...found, original, written: whole.text, reading, places };
        yield { ...proposal, kind: "join", misspelled: false };
      }
    }
  }
}

/** A proposal with this word instead of the last new token. */
export function corrected(proposal: Proposal, word: string): Proposal {
  const others = proposal.reading.tokens.slice(proposal.places[0], proposal.places[1] - 1);
  return { ...proposal, written: [...others.map(({ text }) => text), word].join(" ") };
}

/**
 * The likely corrections by window. The proposals for the same words stand together; the
 * suggestions of a correction are those of one kind.
 */
export function decide(fitting: readonly Fitting[], policy: Policy): Map<number, Correction[]> {
  const found = new Map<number, Correction[]>();
  let first = 0;
  while (first < fitting.length) {
    const { window, start, original, kind, error } = fitting[first]![0];
    const isSame = ([one]: Fitting) =>
      one.window === window && one.start === start && one.original === original;
    let end = first;
    while (end < fitting.length && isSame(fitting[end]!)) end += 1;
    const [best, ...others] = fitting
      .slice(first, end)
      .map(([one, fit]) => ({ text: one.written, probability: one.error * fit }))
      .sort((one, other) => other.probability - one.probability);
    first = end;
    if (best!.probability < policy.spacingThreshold) continue;
    const likely = others.filter(({ probability }) => probability >= policy.minProbability);
    const correction: Correction = {
      start,
      end: start + length(original),
      original,
      replacement: best!.text,
      suggestions: [best!, ...likely].slice(0, policy.maxSuggestions),
      kind,
      error_probability: error,
      score: best!.probability,
    };
    found.set(window, [...(found.get(window) ?? []), correction]);
  }
  return found;
}

/** The corrections in order, without those that overlap one with a higher score. */
export function bestApart(corrections: readonly Correction[]): Correction[] {
  const kept: Correction[] = [];
  const byScore = [...corrections].sort((a, b) => b.score - a.score || a.start - b.start);
  for (const one of byScore) {
    if (kept.every((other) => one.end <= other.start || other.end <= one.start)) kept.push(one);
  }
  return kept.sort((one, other) => one.start - other.start);
}

function rankedAt({ ids, probabilities }: TopK, row: number, lexicon: Lexicon): Ranked {
  const ranks = ids.dims[1]!;
  const ranked = new Map<string, number>();
  for (let at = row * ranks; at < (row + 1) * ranks; at += 1) {
    const word = lexicon.words[Number(ids.data[at])];
    if (word !== undefined) ranked.set(word, probabilities.data[at]!);
  }
  return ranked;
}

function isJudged({ text, tokens, first, last }: Window, j: number, policy: Policy): boolean {
  if (text === null || j < first || j >= last) return false;
  const token = tokens[j]!;
  return token.kind === "word" && !accepts(policy, token.text);
}

/** Whether the next word is judged here too, and one blank alone stands between the two. */
function mayJoin(window: Window, j: number, policy: Policy): boolean {
  if (!isJudged(window, j + 1, policy)) return false;
  const [token, second] = [window.tokens[j]!, window.tokens[j + 1]!];
  return window.text!.slice(token.start + length(token.text), second.start) === " ";
}

/** A token as two words: the model ranks the first ones. If it ranks none, frequent words. */
function cuts({ start, text, kind }: Token, ranked: Ranked, lexicon: Lexicon): Token[][] {
  const word = [...normalize(text)];
  const letters = [...text];
  if (word.length !== letters.length) return [];
  const found = letters
    .map((_, at) => ({ at, head: word.slice(0, at).join(""), tail: word.slice(at).join("") }))
    .filter(({ head, tail }) => isWord(head, lexicon) && isWord(tail, lexicon))
    .map(({ at, head, tail }) => ({
      at,
      probability: ranked.get(head) ?? 0,
      place: Math.max(lexicon.index(head)!, lexicon.index(tail)!),
    }));
  const likely = found.filter(({ probability }) => probability >= NEGLIGIBLE);
  return (likely.length ? likely : found)
    .sort((one, other) => other.probability - one.probability || one.place - other.place)
    .slice(0, MOST_WAYS)
    .map(({ at }) => [
      { start, text: letters.slice(0, at).join(""), kind },
      { start: start + at, text: letters.slice(at).join(""), kind },
    ]);
}

/** A token as two words, one of which is misspelled: the model ranks the first ones. */
function misspelledCuts(
  { start, text, kind }: Token,
  ranked: Ranked,
  lexicon: Lexicon,
): Token[][] {
  const word = [...normalize(text)];
  const letters = [...text];
  if (word.length !== letters.length) return [];
  const likely = [...ranked].filter(([, probability]) => probability >= NEGLIGIBLE);
  return likely.slice(0, MOST_WAYS).flatMap(([first]) => {
    const size = length(first);
    const after = (at: number) => ({ start: start + at, text: letters.slice(at).join(""), kind });
    const before = (at: number) => letters.slice(0, at).join("");
    if (word.join("").startsWith(first) && word.length - size >= SHORTEST_MISSPELLED) {
      return [[{ start, text: before(size), kind }, after(size)]];
    }
    if (size < SHORTEST_MISSPELLED) return [];
    const [near] = [size - 1, size, size + 1]
      .filter((at) => at < word.length && isWord(word.slice(at).join(""), lexicon))
      .map((at) => ({ at, edits: countEdits(word.slice(0, at).join(""), first) }))
      .sort((one, other) => one.edits - other.edits || one.at - other.at);
    if (near?.edits !== 1) return [];
    return [[{ start, text: transferCase(before(near.at), first), kind }, after(near.at)]];
  });
}

/** Two tokens as one word: as it is spelled or, if that is none, as the model ranks. */
function wholes(first: Token, second: Token, ranked: Ranked, lexicon: Lexicon): Token[] {
  const both = normalize(first.text) + normalize(second.text);
  const isSimilar = (word: string) => distance(word, both) <= MOST_EDITS;
  const word = lexicon.has(both) ? both : [...ranked.keys()].find(isSimilar);
  return word === undefined ? [] : [{ ...first, text: joined(first.text, second.text, word) }];
}

function isWord(part: string, lexicon: Lexicon): boolean {
  return lexicon.has(part) && (length(part) > 1 || ONE_LETTER.has(part));
}

function joined(first: string, second: string, word: string): string {
  if (word !== normalize(first) + normalize(second)) return transferCase(first, word);
  const upper = caseShape(first) === UPPER && caseShape(second) === UPPER;
  return first + (upper ? second : second.toLowerCase());
}

/** The window with new tokens instead of `count` old ones, and their places. */
function readingOf(
  window: Window,
  j: number,
  count: number,
  added: readonly Token[],
  most: number,
): [Window, [number, number]] {
  const all = window.tokens.toSpliced(j, count, ...added);
  const extra = Math.max(all.length - most, 0);
  const dropped = j >= extra ? extra : 0; // a full window loses a token at the far end
  const tokens = all.slice(dropped, dropped + most);
  const reading = { ...window, tokens, first: 0, last: tokens.length };
  return [reading, [j - dropped, j - dropped + added.length]];
}

/** The letters to insert, delete or replace; more than MOST_EDITS is not counted. */
function distance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > MOST_EDITS) return MOST_EDITS + 1;
  const row = Array.from({ length: b.length + 1 }, (_, k) => k);
  a.forEach((letter, i) => {
    let before = row[0]!;
    row[0] = i + 1;
    b.forEach((same, k) => {
      const changed = before + Number(letter !== same);
      before = row[k + 1]!;
      row[k + 1] = Math.min(before + 1, row[k]! + 1, changed);
    });
  });
  return row.at(-1)!;
}
