/** Rank the user's own words beside the lexicon, with output vectors composed from spellings. */

import { Compose } from "../generated/model.js";
import type { Features, Floats, Forward, Ints, TopK } from "./forward.js";

/** A Forward that can also rank words outside the lexicon. */
export class UserWordScorer implements Forward {
  #cache = new Map<string, Float32Array>();

  constructor(
    private readonly forward: Forward["rank"],
    private readonly composing: NonNullable<Forward["compose"]>,
  ) {}

  /** Rank the words of the lexicon and those of `features.new_words`. */
  rank(features: Features, gate: number): Promise<TopK> {
    return this.forward(features, gate);
  }

  /**
   * Output vectors and biases of spelled words: [words, width + 1]. Results are cached:
   * dictionaries grow word by word, and texts share words.
   */
  async compose({ data, dims }: Ints): Promise<Floats> {
    const [count, wide] = dims as [number, number];
    const spelled = Array.from({ length: count }, (_, i) => data.subarray(i * wide, (i + 1) * wide));
    const keys = spelled.map((row) => row.join());
    const found = new Map<string, Float32Array>();
    const places = new Map<string, number>(); // of words that are not known yet
    keys.forEach((key, i) => {
      const known = this.#cache.get(key);
      if (known) found.set(key, known);
      else if (!places.has(key)) places.set(key, i);
    });
    const missing = [...places];
    for (let start = 0; start < missing.length; start += Compose.CHUNK) {
      const chunk = missing.slice(start, start + Compose.CHUNK);
      const rows = new BigInt64Array(chunk.length * wide);
      chunk.forEach(([, i], row) => rows.set(spelled[i]!, row * wide));
      const composed = await this.composing({ data: rows, dims: [chunk.length, wide] });
      const width = composed.dims[1]!;
      // Copies, because a view of one row would keep the whole chunk alive.
      chunk.forEach(([key], row) => found.set(key, composed.data.slice(row * width, (row + 1) * width)));
    }
    const together = new Map([...this.#cache, ...found]);
    this.#cache = together.size <= Compose.CACHED ? together : found;
    const width = found.get(keys[0]!)!.length;
    const all = new Float32Array(count * width);
    keys.forEach((key, i) => all.set(found.get(key)!, i * width));
    return { data: all, dims: [count, width] };
  }
}
