/** Tables that are too large for the program: read when they are first needed. */

import type { ReadFile } from "../model/bundle.js";
import { ValidWords } from "./validWords.js";
import { Variants } from "./variants.js";
import { Vocabulary } from "./vocabulary.js";

/** Where the tables come from. */
export class Data {
  #variants: Promise<Variants> | undefined;
  #vocabulary: Promise<Vocabulary> | undefined;
  #validWords: Promise<ValidWords> | undefined;

  constructor(private readonly readFile: ReadFile) {}

  /** The British and American spellings. */
  variants(): Promise<Variants> {
    return (this.#variants ??= Variants.read(this.readFile));
  }

  /** Words outside the lexicon. */
  vocabulary(): Promise<Vocabulary> {
    return (this.#vocabulary ??= Vocabulary.read(this.readFile));
  }

  /** Words outside the lexicon, by their spelling. */
  validWords(): Promise<ValidWords> {
    return (this.#validWords ??= this.vocabulary().then((words) => new ValidWords(words)));
  }
}
