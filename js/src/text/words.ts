/** What a word is made of. */

import { Words } from "../generated/text.js";
import { isCombining } from "./characters.js";

const ASCII = /^[\0-\x7f]*$/;
const LOOKALIKES: Readonly<Record<string, string>> = Words.LOOKALIKES;
const DIGITS: Readonly<Record<string, string>> = Words.DIGITS;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** Replace typographic apostrophes by straight ones. */
export function foldApostrophes(text: string): string {
  return text.replaceAll("\u2019", "'");
}

/** Whether 's is part of the word, as in *it's*, and not a possessive. */
export function isContractionInS(word: string): boolean {
  return Words.CONTRACTIONS_IN_S.has(foldApostrophes(word.toLowerCase()));
}

/** A lower-case word, its foreign letters and digits replaced by the letters they look like. */
export function plainLetters(word: string): string {
  let letters = [...word];
  if (!isAscii(word)) {
    letters = [...word.normalize("NFKD")].filter((letter) => !isCombining(letter));
    letters = [...letters.map((letter) => LOOKALIKES[letter] ?? letter).join("")];
  }
  const plain = letters.join("");
  if (!Words.DIGITS_INSIDE.fullmatch(plain)) return plain;
  return letters.map((letter) => DIGITS[letter] ?? letter).join("");
}
