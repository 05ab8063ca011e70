/** Turn tokens into the numbers that a model reads. */

import { Encode } from "../generated/model.js";
import { caseShape, TITLE } from "../text/case.js";
import type { Window } from "../text/windows.js";
import { foldApostrophes, plainLetters } from "../text/words.js";
import type { Token, TokenKind } from "../types.js";
import type { Features, Ints } from "./forward.js";
import type { Lexicon } from "./lexicon.js";
import { ABSENT, ODD, type Vocabulary } from "./vocabulary.js";

const { CHAR_PAD, CHAR_UNKNOWN, CHAR_START, FIRST_CHARACTER, WORD_OFFSET, NOISE_FLAG } = Encode;
export const { WORD_UNKNOWN, WIDTH, LONGEST, PRONOUN } = Encode;
export type Casing = "lower" | "exact";

/** The spelling that a model sees: "lower" folds case, digits and apostrophes. */
export function normalize(
  text: string,
  kind: TokenKind = "word",
  casing: Casing = "lower",
): string {
  if (casing === "exact") return text;
  if (kind === "code") return Encode.CODE;
  const lowered = foldApostrophes(text.toLowerCase());
  return kind === "number" ? Encode.DIGIT.sub(lowered, () => "0") : lowered;
}

/**
 * How a model reads a normalized word outside its lexicon, and the class of the word. Foreign
 * letters in a word that is not in the vocabulary, as in *sựpported*, are replaced.
 */
export function classify(spelling: string, vocabulary: Vocabulary): [string, number] {
  const found = vocabulary.classOf(spelling);
  const plain = found === ABSENT ? plainLetters(spelling) : spelling;
  return plain === spelling ? [spelling, found] : [plain, ODD + vocabulary.classOf(plain)];
}

/** Turns tokens into features; see `Encoder` in Python. */
export class Encoder {
  #characters = new Map<string, number>();

  constructor(
    readonly lexicon: Lexicon,
    readonly characters: string,
    readonly casing: Casing,
    readonly spellOovOnly: boolean,
    readonly noisy: boolean,
    readonly vocabulary?: Vocabulary,
  ) {
    [...characters].forEach((c, i) => this.#characters.set(c, i + FIRST_CHARACTER));
  }

  /** Whether all characters of a word have a number. */
  canSpell(word: string): boolean {
    return [...word].every((character) => this.#characters.has(character));
  }

  /** Character rows of words: start, characters, padding: [words, WIDTH]. */
  spell(words: readonly string[]): Ints {
    const data = new BigInt64Array(words.length * WIDTH).fill(BigInt(CHAR_PAD));
    words.forEach((word, i) => {
      const row = data.subarray(i * WIDTH, (i + 1) * WIDTH);
      row[0] = BigInt(CHAR_START);
      [...word].slice(0, LONGEST).forEach((character, j) => {
        if (character !== "\0") {
          row[j + 1] = BigInt(this.#characters.get(character) ?? CHAR_UNKNOWN);
        }
      });
    });
    return { data, dims: [words.length, WIDTH] };
  }

  /** Encode a batch of windows, padded to the longest. */
  encode(windows: readonly Window[]): Features {
    const length = Math.max(0, ...windows.map(({ tokens }) => tokens.length));
    const dims = [windows.length, length];
    const table = () => new BigInt64Array(windows.length * length);
    const [words, shapes, slots, classes] = [table(), table(), table(), table()];
    // Row 0 spells nothing: padding, and words that are not spelled out.
    const rows = new Map([["", 0]]);
    windows.forEach((window, i) => {
      const row = window.tokens.map(({ text }) => caseShape(text));
      window.tokens.forEach((token, j) => {
        let spelling = normalize(token.text, token.kind, this.casing);
        let index = this.lexicon.index(spelling);
        if (index === undefined && this.vocabulary && token.kind !== "code") {
          const [read, number] = classify(spelling, this.vocabulary);
          spelling = read;
          classes[i * length + j] = BigInt(number);
          index = this.lexicon.index(spelling);
        }
        words[i * length + j] = BigInt(index === undefined ? WORD_UNKNOWN : index + WORD_OFFSET);
        if (index === undefined || !this.spellOovOnly) {
          if (!rows.has(spelling)) rows.set(spelling, rows.size);
          slots[i * length + j] = BigInt(rows.get(spelling)!);
        }
      });
      if (!row.some(Boolean)) capitalize(window.tokens, row);
      // A capital says nothing about a word that stands alone, as in a heading or a cell.
      if (window.lone && row[window.first] === TITLE) row[window.first] = 0;
      row.forEach((shape, j) => (shapes[i * length + j] = BigInt(shape)));
    });
    if (this.noisy) shapes.forEach((shape, j) => (shapes[j] = shape + BigInt(NOISE_FLAG)));
    return {
      words: { data: words, dims },
      shapes: { data: shapes, dims },
      slots: { data: slots, dims },
      spellings: this.spell([...rows.keys()]),
      ...(this.vocabulary && { classes: { data: classes, dims } }),
    };
  }
}

/** Give a sentence without capitals the usual ones: its first word and *I*. */
function capitalize(sentence: readonly Token[], shapes: number[]): void {
  let begun = false;
  sentence.forEach((token, j) => {
    const first = !begun && token.kind !== "mark";
    begun ||= first;
    if (token.kind === "word" && (first || PRONOUN.has(normalize(token.text)))) shapes[j] = TITLE;
  });
}
