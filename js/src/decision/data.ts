/** Tables that are too large for the program: read when they are first needed. */

import type { ReadFile } from "../model/bundle.js";
import { ValidWords } from "./validWords.js";
import { Variants } from "./variants.js";
import { Vocabulary } from "./vocabulary.js";

/** Where the tables come from. */
export class Data {
  /** The British and American spellings. */
  readonly variants: () => Promise<Variants>;
  /** Words outside the lexicon. */
  readonly vocabulary: () => Promise<Vocabulary>;
  /** Words outside the lexicon, by their spelling. */
  readonly validWords: () => Promise<ValidWords>;

  constructor(readFile: ReadFile) {
    this.variants = once(() => Variants.read(readFile));
    this.vocabulary = once(() => Vocabulary.read(readFile));
    this.validWords = once(async () => new ValidWords(await this.vocabulary()));
  }
}

/** Read once. After a failure, as without a network, the next call reads again. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
