/** Evidence from a whole document: which words are right there. It counts; adjust.ts decides. */

import { Evidence as Tables } from "../generated/decision.js";
import { FILLER } from "../formats/scanner.js";
import type { Lexicon } from "../model/lexicon.js";
import { endOf } from "../pattern.js";
import { isUpperText, length, Offsets } from "../text/characters.js";
import { foldApostrophes } from "../text/words.js";
import { inflections } from "./vocabulary.js";

/** Counts pairs of neighbouring words in a fixed amount of memory. */
export class PairCounts {
  #counts = new Uint8Array(Tables.PAIR_SLOTS);

  /** Count the pairs in a sequence of words. */
  add(words: readonly string[]): void {
    const hashes = new Map([...new Set(words)].map((word) => [word, crc32(word)]));
    const hashed = words.map((word) => hashes.get(word)!);
    for (let i = 1; i < hashed.length; i += 1) {
      const place = slot(hashed[i - 1]!, hashed[i]!);
      this.#counts[place] = Math.min(255, this.#counts[place]! + 1);
    }
  }

  /** How often the pair occurs, at most 255. */
  count(first: string, second: string): number {
    return this.#counts[slot(crc32(first), crc32(second))]!;
  }
}

const ENCODER = new TextEncoder();
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/** The CRC-32 of a word, as Python's: pairs that share a slot there do so here. */
function crc32(word: string): number {
  let crc = 0xffffffff;
  for (const byte of ENCODER.encode(word)) crc = CRC[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function slot(first: number, second: number): number {
  return ((Math.imul(first, Tables.PAIR_FACTOR) + second) >>> 0) % Tables.PAIR_SLOTS;
}

/** Counts of words and pairs of words in prose, and the words that occur in code. */
export class Evidence {
  readonly words = new Map<string, number>();
  /** How many words have been counted. */
  total = 0;
  readonly pairs = new PairCounts();
  readonly code = new Set<string>();
  /** The text around the first occurrence of an unknown word. */
  readonly contexts = new Map<string, string>();

  constructor(readonly known: Lexicon) {}

  /** Count the words of a text; `masked` shows its prose. */
  add(text: string, masked: string): void {
    const lowered = folded(masked);
    const spellings = Tables.WORD.findall(lowered);
    this.pairs.add(spellings);
    const counts = new Map<string, number>();
    for (const spelling of spellings) counts.set(spelling, (counts.get(spelling) ?? 0) + 1);
    const fresh = new Set<string>();
    for (const [spelling, count] of counts) {
      const word = withoutPossessive(spelling);
      const before = this.words.get(word);
      if (before === undefined && this.words.size >= Tables.MAX_WORDS) continue;
      if (before === undefined && length(word) > 2 && !this.known.has(word)) fresh.add(word);
      this.words.set(word, (before ?? 0) + count);
      this.total += count;
    }
    this.#keepContexts(fresh, masked, lowered);
    for (const match of Tables.CODE_LIKE.finditer(masked)) this.addCode(match[0]);
    if (masked.includes(FILLER)) this.#addHidden(text, masked);
  }

  #keepContexts(words: Set<string>, masked: string, lowered: string): void {
    if (length(lowered) !== length(masked)) return;
    const [places, shown] = [new Offsets(lowered), new Offsets(masked)];
    for (const match of Tables.WORD.finditer(lowered)) {
      if (words.size === 0 || this.contexts.size >= Tables.MAX_CONTEXTS) return;
      const word = withoutPossessive(match[0]);
      if (!words.delete(word)) continue;
      const place = places.toCodePoints(match.index);
      const start = shown.toUtf16(Math.max(0, place - Tables.CONTEXT));
      const end = shown.toUtf16(place + length(word) + Tables.CONTEXT);
      this.contexts.set(word, masked.slice(start, end));
    }
  }

  /** Collect the words of what is hidden. */
  #addHidden(text: string, masked: string): void {
    const [all, shown] = [new Offsets(text), new Offsets(masked)];
    const inText = (at: number) => all.toUtf16(shown.toCodePoints(at));
    let at = 0;
    for (const match of Tables.SHOWN.finditer(masked)) {
      this.addCode(text.slice(at, inText(match.index)));
      at = inText(endOf(match));
    }
    this.addCode(text.slice(at));
  }

  /** Collect the words inside identifiers, paths or code, capitals included. */
  addCode(text: string): void {
    if (this.code.size >= Tables.MAX_WORDS) return;
    const code = Tables.ENCODED.sub(text, () => " ");
    for (const part of Tables.PART.findall(code)) this.code.add(part.toLowerCase());
    for (const word of Tables.WORD.findall(code)) {
      this.code.add(base(word));
      if (isUpperText(word)) this.code.add(word);
    }
  }

  /** How often a word occurs in prose, its plural or singular included. */
  occurrences(word: string): number {
    return this.#unknownForms(word).reduce((sum, form) => sum + (this.words.get(form) ?? 0), 0);
  }

  /** Whether the code has a word, its plural or its singular. */
  inCode(word: string): boolean {
    return this.#unknownForms(word).some((form) => this.code.has(form));
  }

  // Forms that are known say nothing: *alls* is wrong, though *all* is frequent.
  #unknownForms(word: string): string[] {
    return inflections(word).filter(
      (form) => form === word || !this.known.has(form),
    );
  }
}

/** The words before and after a span of a text, as they are counted; "" if there is none. */
export function neighbours(before: string, after: string): [string, string] {
  const last = Tables.WORD.findall(folded(before)).at(-1);
  return [last ?? "", Tables.WORD.search(folded(after))?.[0] ?? ""];
}

function folded(text: string): string {
  return foldApostrophes(text.toLowerCase());
}

/** A word in lower case, without a possessive. */
export function base(word: string): string {
  return withoutPossessive(folded(word));
}

function withoutPossessive(word: string): string {
  return word.endsWith("'s") ? word.slice(0, -2) : word;
}
