/** The vocabulary of a model: which words outside its lexicon are valid; see `vocabulary.py`. */

import { Vocabulary as Tables } from "../generated/model.js";
import { bisectRight } from "../text/characters.js";
import { foldApostrophes } from "../text/words.js";
import { RespellError } from "../types.js";
import { unpackGzip } from "../unpack.js";

export const { ABSENT, ODD } = Tables;
const UNPACKED = 256; // blocks that are kept

/** A table of words and their classes, in sorted blocks. */
export class Vocabulary {
  #unpacked = new Map<string, ReadonlyMap<string, number>>();

  constructor(private readonly blocks: readonly string[]) {}

  /** Read the contents of a file of this name. */
  static async read(content: Uint8Array<ArrayBuffer>, name: string): Promise<Vocabulary> {
    let blocks: string[];
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      blocks = text.decode(await unpackGzip(content)).split("\n");
    } catch {
      throw new RespellError(`${name}: not a vocabulary, or damaged`);
    }
    if (blocks.every((block) => Tables.PART.match(block))) return new Vocabulary(blocks);
    throw new RespellError(`${name}: not a vocabulary, or damaged`);
  }

  /**
   * The class of a word, ABSENT if it is not in the table. Case does not matter. A plural or
   * possessive has the class of its stem.
   */
  classOf(word: string): number {
    for (const form of forms(word)) {
      const found = this.#find(form);
      if (found !== ABSENT) return found;
    }
    return ABSENT;
  }

  #find(word: string): number {
    const i = bisectRight(this.blocks, word + Tables.AFTER_CODES) - 1;
    return i >= 0 ? (this.#unpack(this.blocks[i]!).get(word) ?? ABSENT) : ABSENT;
  }

  #unpack(block: string): ReadonlyMap<string, number> {
    let words = this.#unpacked.get(block);
    if (!words) {
      if (this.#unpacked.size >= UNPACKED) this.#unpacked.clear();
      words = new Map(wordsOf(block));
      this.#unpacked.set(block, words);
    }
    return words;
  }
}

/** The word in lower case, without 's, and its possible singulars. */
export function forms(word: string): string[] {
  const stem = foldApostrophes(word.toLowerCase()).replace(/'s$/, "").replace(/'$/, "");
  const found = [stem];
  if (Tables.PLURAL_IN_ES.some((ending) => stem.endsWith(ending))) found.push(stem.slice(0, -2));
  if (stem.endsWith("s") && !Tables.NO_PLURAL_IN_S.search(stem)) found.push(stem.slice(0, -1));
  return found;
}

/** The words of a block with their classes: `aback3Eus4` is *aback* and *abacus*. */
function* wordsOf(block: string): Generator<[string, number]> {
  let letters: string[] = [];
  for (const { groups } of Tables.PART.finditer(block)) {
    const { _1: shared, _2: rest, _3: code } = groups as { _1: string; _2: string; _3: string };
    letters = [...letters.slice(0, shared ? Tables.SHARED.indexOf(shared) : 0), ...rest];
    yield [letters.join(""), Tables.CODES.indexOf(code)];
  }
}
