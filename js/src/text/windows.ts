/** Windows: the tokens that the model reads together. */

import { Windows } from "../generated/text.js";
import type { Token, TokenKind } from "../types.js";
import type { Offsets } from "./characters.js";

const outside = ({ text, kind }: { text: string; kind: string }): Token => ({
  start: Windows.OUTSIDE,
  text,
  kind: kind as TokenKind,
});
const BEFORE = Windows.BEFORE.map(outside);
const AFTER = Windows.AFTER.map(outside);
export const { BATCH_WORDS, CARRIER_LENGTH } = Windows;

/**
 * Tokens that the model reads together. Only those from `first` to before `last` are judged.
 * `owner` is the number of the text; `lone` marks a carrier sentence around one word.
 */
export interface Window {
  readonly owner: number;
  readonly tokens: readonly Token[];
  readonly first: number;
  readonly last: number;
  readonly lone: boolean;
  /** The text that the offsets of the tokens count in; null if the caller has split it. */
  readonly text: Offsets | null;
}

/** A sentence as one window or, if it is too long, as windows that overlap by a quarter. */
export function* cut(
  owner: number,
  tokens: readonly Token[],
  length: number,
  text: Offsets | null = null,
): Generator<Window> {
  const margin = length >> 3;
  let start = 0;
  for (;;) {
    const end = Math.min(start + length, tokens.length);
    const first = start ? margin : 0;
    const last = end < tokens.length ? length - margin : end - start;
    yield { owner, tokens: tokens.slice(start, end), first, last, lone: false, text };
    if (end === tokens.length) return;
    start += Math.max(1, length - 2 * margin);
  }
}

/** Put a word that stands alone into the sentence *the word "…" .*; see `windows.py`. */
export function inCarrierSentence(window: Window): Window {
  const [word, ...others] = window.tokens.filter((token) => token.kind !== "mark");
  if (!word || others.length) return window;
  if (!window.tokens.slice(window.first, window.last).includes(word)) return window;
  const first = BEFORE.length;
  return { ...window, tokens: [...BEFORE, word, ...AFTER], first, last: first + 1, lone: true };
}

/** Windows of similar length together, in batches of about BATCH_WORDS words. */
export function* batches(windows: readonly Window[]): Generator<Window[]> {
  let batch: Window[] = [];
  for (const window of [...windows].sort((a, b) => a.tokens.length - b.tokens.length)) {
    if (batch.length && (batch.length + 1) * window.tokens.length > BATCH_WORDS) {
      yield batch;
      batch = [];
    }
    batch.push(window);
  }
  if (batch.length) yield batch;
}
