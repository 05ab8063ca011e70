/** What a word is made of. */

import { Words } from "../generated/text.js";
import { isCombining } from "./characters.js";

const ASCII = /^[\0-\x7f]*$/;
const LOOKALIKES: Readonly<Record<string, string>> = Words.LOOKALIKES;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** Replace typographic apostrophes by straight ones. */
export function foldApostrophes(text: string): string {
  return text.replaceAll("\u2019", "'");
}

/** Whether 's is part of the word, as in *it's*, and not a possessive. */
export function isContractionInS(word: string): boolean {
  return Words.CONTRACTIONS_IN_S.has(foldApostrophes(word.toLowerCase()));
}

/** A lower-case word with its foreign letters replaced by the English ones they look like. */
export function plainLetters(word: string): string {
  if (isAscii(word)) return word;
  const letters = [...word.normalize("NFKD")].filter((letter) => !isCombining(letter));
  return letters.map((letter) => LOOKALIKES[letter] ?? letter).join("");
}
