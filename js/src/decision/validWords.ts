/** Valid words outside the lexicon that an unknown word may be a misspelling of. */

import { ValidWords as Tables } from "../generated/decision.js";
import type { Lexicon } from "../model/lexicon.js";
import { byCodePoint, first, isAlpha, length } from "../text/characters.js";
import { countEdits } from "../text/edits.js";
import { plural, type Vocabulary, type WordClass } from "./vocabulary.js";

const { SHORTEST, LONG, MOST } = Tables;
const SUGGESTED = Tables.SUGGESTED as readonly WordClass[];

/** The words that start with one letter. */
interface Words {
  readonly words: readonly string[];
  readonly lengths: readonly number[];
  /** The letters of each word as bits. */
  readonly letters: readonly number[];
}

/** Finds valid words by their spelling. */
export class ValidWords {
  readonly #words = new Map<string, Words>();

  constructor(private readonly vocabulary: Vocabulary) {}

  /**
   * Valid words outside the lexicon that are spelled almost like an unknown word in lower case. The
   * first letter must be right: it nearly always is, and so only few words have to be unpacked.
   */
  similarWords(word: string, lexicon: Lexicon): string[] {
    if (length(word) < SHORTEST - 1 || ![...word].every(isAlpha)) return [];
    if (this.vocabulary.wordClass(word) !== null) return [];
    const found = new Map<string, readonly [edits: number, word: string]>();
    const add = (edits: number, other: string) => found.set(`${edits} ${other}`, [edits, other]);
    for (const [edits, other] of this.#near(word)) add(edits, other);
    if (word.endsWith("s")) {
      // The tables have no regular plurals.
      for (const [edits, other] of this.#near(word.slice(0, -1))) add(edits, plural(other));
    }
    return [...found.values()]
      .sort(([one, a], [other, b]) => one - other || byCodePoint(a, b))
      .map(([, other]) => other)
      .filter((other) => !lexicon.has(other))
      .slice(0, MOST);
  }

  /** The words of the tables that few edits lead to, with their number. */
  *#near(word: string): Generator<[edits: number, word: string]> {
    const size = length(word);
    const most = size >= LONG ? 2 : 1;
    const { words, lengths, letters } = this.#startingWith(first(word));
    const own = lettersOf(word);
    for (let i = 0; i < words.length; i += 1) {
      // An edit changes at most two letters of the set.
      const differing = countBits(letters[i]! ^ own);
      if (Math.abs(lengths[i]! - size) > most || differing > 2 * most) continue;
      const edits = countEdits(word, words[i]!);
      if (edits <= most) yield [edits, words[i]!];
    }
  }

  #startingWith(letter: string): Words {
    let found = this.#words.get(letter);
    if (!found) {
      const every = SUGGESTED.flatMap((name) => this.vocabulary.startingWith(name, letter));
      const words = every.filter((word) => length(word) >= SHORTEST);
      found = { words, lengths: words.map(length), letters: words.map(lettersOf) };
      this.#words.set(letter, found);
    }
    return found;
  }
}

/** The letters of a word as bits; some letters outside a to z share one. */
function lettersOf(word: string): number {
  let bits = 0;
  for (const letter of word) bits |= 1 << (letter.codePointAt(0)! & 31);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest; rest &= rest - 1) count += 1;
  return count;
}
