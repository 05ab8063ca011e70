/** Look up words outside the lexicon: technical terms, dictionary words and names. */

import { Vocabulary as Tables } from "../generated/decision.js";
import type { ReadFile } from "../model/bundle.js";
import { forms } from "../model/vocabulary.js";
import { bisectRight, length } from "../text/characters.js";
import { unpackGzip } from "../unpack.js";

export type WordClass = "technical" | "common" | "name";

export const CLASSES = Tables.CLASSES as readonly WordClass[];
const SHARED: Record<string, number> = Tables.SHARED;
const PART = new RegExp(Tables.PART.source, "v");

/** Words in sorted blocks; see `vocabulary.py`. */
export class Vocabulary {
  private constructor(private readonly blocks: ReadonlyMap<WordClass, readonly string[]>) {}

  static async read(readFile: ReadFile): Promise<Vocabulary> {
    const entries = CLASSES.map(async (name): Promise<[WordClass, string[]]> => {
      const content = await unpackGzip(await readFile(`${name}.txt.gz`));
      return [name, new TextDecoder().decode(content).split("\n")];
    });
    return new Vocabulary(new Map(await Promise.all(entries)));
  }

  /** The class of a word that the lexicon lacks, or null if it is in no table. */
  wordClass(word: string): WordClass | null {
    for (const form of forms(word)) {
      const found = CLASSES.find((name) => this.#isIn(form, name));
      if (found) return found;
    }
    return null;
  }

  #isIn(word: string, name: WordClass): boolean {
    if (length(word) < 3) return false;
    const blocks = this.blocks.get(name)!;
    // "[" comes between the digits and capitals of the format and the letters of a word.
    const i = bisectRight(blocks, `${word}[`) - 1;
    return i >= 0 && unpack(blocks[i]!).includes(word);
  }

  /** The words of a class that start with a prefix. */
  startingWith(name: WordClass, prefix: string): string[] {
    const blocks = this.blocks.get(name)!;
    const first = Math.max(bisectRight(blocks, prefix) - 1, 0);
    const last = bisectRight(blocks, prefix + Tables.AFTER_LETTERS);
    const words = blocks.slice(first, last).flatMap(unpack);
    return words.filter((word) => word.startsWith(prefix));
  }
}

/** A word in lower case, its possible singulars and its plural. */
export function inflections(word: string): string[] {
  const singulars = forms(word);
  return [...singulars, plural(singulars[0]!)];
}

/** The regular plural of a word in lower case. */
export function plural(word: string): string {
  if (Tables.TAKES_IES.search(word)) return `${word.slice(0, -1)}ies`;
  return word + (Tables.TAKES_ES.some((ending) => word.endsWith(ending)) ? "es" : "s");
}

/** The words of a block: `aback4us7es` is *aback*, *abacus*, *abacuses*. */
function unpack(block: string): string[] {
  const parts = block.split(PART);
  let word = parts[0]!;
  const words = [word];
  for (let i = 1; i + 1 < parts.length; i += 2) {
    word = word.slice(0, SHARED[parts[i]!]) + parts[i + 1]!;
    words.push(word);
  }
  return words;
}
