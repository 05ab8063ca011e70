/** The words that a model can suggest, with their indexes. */

import { RespellError } from "../types.js";

/** The lines of a file, without their ends. */
export function readLines(content: Uint8Array, name: string): string[] {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new RespellError(`${name}: not UTF-8`);
  }
  const lines = text.split("\n");
  if (!lines.at(-1)) lines.pop();
  return lines;
}

/** An ordered list of distinct words; a word's index is its place in the list. */
export class Lexicon {
  #index = new Map<string, number>();

  constructor(readonly words: readonly string[]) {
    words.forEach((word, i) => this.#index.set(word, i));
    if (this.#index.size !== words.length) throw new RespellError("a word is listed twice");
    if (this.#index.has("")) throw new RespellError("a word is empty");
  }

  get size(): number {
    return this.words.length;
  }

  /** The word's index, or undefined for a word outside the lexicon. */
  index(word: string): number | undefined {
    return this.#index.get(word);
  }

  has(word: string): boolean {
    return this.#index.has(word);
  }
}
