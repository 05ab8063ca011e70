/** Reads windows: asks the model, and turns its answers into corrections. */

import { decode } from "./decision/decode.js";
import { accepts, isLowercaseOov, lowestThreshold, type Policy } from "./decision/policy.js";
import {
  bestApart,
  corrected,
  decide,
  type Fitting,
  type Proposal,
  propose,
} from "./decision/spacing.js";
import type { ValidWords } from "./decision/validWords.js";
import { Corrector as Tables, SPACING } from "./generated/root.js";
import type { Bundle } from "./model/bundle.js";
import { type Encoder, normalize } from "./model/encode.js";
import type { Floats, Forward, TopK } from "./model/forward.js";
import { byCodePoint, length } from "./text/characters.js";
import { BATCH_WORDS, type Window } from "./text/windows.js";
import type { Correction, Explanation } from "./types.js";

/** What a reader needs besides its policy. */
export interface Sources {
  readonly bundle: Bundle;
  readonly forward: Forward;
  readonly encoder: Encoder;
  /** Added to the logits of the user's words. */
  readonly dictionaryBias: number;
  readonly validWords: () => Promise<ValidWords>;
}

/** What is ranked beside the lexicon. */
interface RankedWords {
  /** Names the words. */
  readonly policy: Policy;
  /** Their output vectors and biases: [new, width + 1]. */
  readonly vectors: Floats;
}

/** Reads windows as a policy says. */
export class Reader {
  #vectors: Promise<Floats | undefined> | undefined;

  constructor(
    private readonly sources: Sources,
    private readonly policy: Policy,
  ) {}

  /**
   * The misspellings of a batch of windows. With a rewrite threshold, clear corrections are put
   * into the text and the rest of the sentence is read again. Corrections of blanks are not put
   * into the text; they stay as they are.
   */
  async read(batch: readonly Window[]): Promise<Correction[][]> {
    const gate = this.#gate;
    const topk = await this.#rank(batch, gate);
    let found = await this.#decide(batch, topk);
    if (this.policy.spacing) found = await this.#withBlanks(batch, topk, found);
    const { rewriteThreshold } = this.policy;
    if (!rewriteThreshold) return found;
    const spaced = found.map((each) => each.filter(({ kind }) => SPACING.includes(kind)));
    const clear = found.map((each) =>
      each.filter(({ score, kind }) => score >= rewriteThreshold && !SPACING.includes(kind)),
    );
    const least = Math.fround(1 - gate * Tables.SUSPECT_SHARE);
    const again = batch.flatMap((window, i) => {
      const row = rowOf(topk.keep, i).subarray(0, window.tokens.length);
      const suspects = row.filter((keep) => keep < least).length;
      return clear[i]!.length > 0 && clear[i]!.length < suspects ? [i] : [];
    });
    if (again.length) {
      const rewritten = again.map((i) => rewrite(batch[i]!, clear[i]!));
      const rest = await this.#decide(rewritten, await this.#rank(rewritten, gate));
      again.forEach((i, j) => {
        const settled = [...clear[i]!, ...spaced[i]!];
        const isTaken = (at: number) => settled.some(({ start, end }) => start <= at && at < end);
        found[i] = [...settled, ...rest[j]!.filter(({ start }) => !isTaken(start))];
      });
    }
    return found;
  }

  /** The corrections found, and those of blanks that fit when the sentence is read again. */
  async #withBlanks(
    batch: readonly Window[],
    topk: TopK,
    found: readonly Correction[][],
  ): Promise<Correction[][]> {
    const { lexicon, config } = this.sources.bundle;
    const proposals = [...propose(batch, topk, lexicon, this.policy, config.length)];
    const exact = await this.#fitting(proposals.filter(({ misspelled }) => !misspelled));
    const others = await this.#fittingCorrected(proposals.filter(({ misspelled }) => misspelled));
    const fitting = [...exact, ...others].sort(
      ([one], [other]) =>
        one.window - other.window ||
        one.start - other.start ||
        byCodePoint(one.original, other.original),
    );
    const spaced = decide(fitting, this.policy);
    return found.map((each, i) => bestApart([...each, ...(spaced.get(i) ?? [])]));
  }

  /** The probabilities that all new words are right. */
  async #fitting(proposals: readonly Proposal[]): Promise<Fitting[]> {
    const fitting: Fitting[] = [];
    for (const some of inBatches(proposals)) {
      const readings = some.map(({ reading }) => reading);
      const { keep } = await this.#rank(readings, Tables.NOTHING_RANKED);
      some.forEach((one, i) => {
        fitting.push([one, Math.min(...rowOf(keep, i).subarray(...one.places))]);
      });
    }
    return fitting;
  }

  /** The same after the last new word has been corrected too. */
  async #fittingCorrected(proposals: readonly Proposal[]): Promise<Fitting[]> {
    const fitting: Fitting[] = [];
    for (const some of inBatches(proposals)) {
      const readings = some.map(({ reading }) => reading);
      const topk = await this.#rank(readings, this.#gate);
      const found = this.#decode(readings, topk);
      some.forEach((one, i) => {
        const last = one.places[1] - 1;
        const { start } = one.reading.tokens[last]!;
        const keep = Math.min(...rowOf(topk.keep, i).subarray(one.places[0], last));
        for (const correction of found[i]!) {
          if (correction.start !== start) continue;
          const fit = Math.min(keep, correction.score);
          fitting.push([corrected(one, correction.replacement), fit]);
        }
      });
    }
    return fitting;
  }

  /** The misspellings, also of valid words outside the lexicon. */
  async #decide(batch: readonly Window[], topk: TopK): Promise<Correction[][]> {
    const found = this.#decode(batch, topk);
    if (this.policy.vocabularyBias === null) return found;
    const valid = await this.sources.validWords();
    for (const [i, window] of batch.entries()) {
      const similar = this.#similarWords(window, rowOf(topk.keep, i), valid);
      if (!similar.size) continue;
      const { policy, vectors } = await this.#withWords([...similar.values()].flat());
      const ranking = await this.#rank([window], this.#gate, vectors);
      const [again] = this.#decode([window], ranking, policy);
      const others = found[i]!.filter(({ start }) => !similar.has(start));
      const better = again!.filter(({ start }) => similar.has(start));
      found[i] = [...others, ...better].sort((one, other) => one.start - other.start);
    }
    return found;
  }

  /** Valid words outside the lexicon that suspect words may be misspellings of, by offset. */
  #similarWords(window: Window, keep: Float32Array, valid: ValidWords): Map<number, string[]> {
    const { lexicon } = this.sources.bundle;
    const lowest = 1 - this.#gate * Tables.SUSPECT_SHARE;
    const similar = new Map<number, string[]>();
    for (let j = window.first; j < window.last; j += 1) {
      const { start, text, kind } = window.tokens[j]!;
      if (keep[j]! >= lowest || kind !== "word" || !isLowercaseOov(text, lexicon)) continue;
      const words = accepts(this.policy, text) ? [] : valid.similarWords(text, lexicon);
      if (words.length) similar.set(start, words);
    }
    return similar;
  }

  /**
   * These words beside those of the user. Each sentence is read alone: its answer must not depend
   * on the words of others.
   */
  async #withWords(words: readonly string[]): Promise<RankedWords> {
    const { userWords, vocabularyBias } = this.policy;
    const sorted = [...new Set(words)].sort(byCodePoint);
    const added = sorted.filter((word) => !userWords.has(word));
    const all = new Map([...userWords, ...added.map((word): [string, string] => [word, word])]);
    const own = await this.#userVectors();
    const rows = await this.#compose(added, vocabularyBias ?? 0);
    return { policy: { ...this.policy, userWords: all }, vectors: concatenated(own, rows)! };
  }

  /**
   * The least error probability of interest. No suggestion is likelier than the error itself, so
   * this bound changes no answer.
   */
  get #gate(): number {
    return lowestThreshold(this.policy) * 0.999;
  }

  #decode(batch: readonly Window[], topk: TopK, policy: Policy = this.policy): Correction[][] {
    return decode(batch, topk, this.sources.bundle.lexicon, policy);
  }

  async #rank(batch: readonly Window[], gate: number, vectors?: Floats): Promise<TopK> {
    const new_words = vectors ?? (await this.#userVectors());
    const features = this.sources.encoder.encode(batch);
    return this.sources.forward.rank(new_words ? { ...features, new_words } : features, gate);
  }

  /** Output vectors and biases of the user's words: [new, width + 1]. */
  #userVectors(): Promise<Floats | undefined> {
    this.#vectors ??= this.#compose([...this.policy.userWords.keys()], this.sources.dictionaryBias);
    return this.#vectors;
  }

  /** Output vectors and biases of words; undefined if there are none, or the model cannot. */
  async #compose(words: readonly string[], bias: number): Promise<Floats | undefined> {
    if (!words.length || !this.sources.forward.compose) return undefined;
    const rows = await this.sources.forward.compose(this.sources.encoder.spell(words));
    const width = rows.dims[1]!;
    const more = Math.fround(bias); // as numpy adds it
    const data = rows.data.map((value, i) => (i % width === width - 1 ? value + more : value));
    return { data, dims: rows.dims };
  }

  /** What the model says about the word at a place in a window, whether or not it is right. */
  async explain(window: Window, j: number, maxSuggestions: number): Promise<Explanation> {
    const policy = {
      ...this.policy,
      threshold: 0,
      dictionary: new Set<string>(),
      keepElongated: false,
      maxSuggestions,
      minProbability: 0,
    };
    const topk = await this.#rank([window], 0);
    const token = window.tokens[j]!;
    const row = topk.positions.data.findIndex((position) => Number(position) === j);
    let keep = topk.keep.data[j]!;
    let rest = pickRows(topk, []);
    if (row >= 0) {
      const own = this.#index(normalize(token.text, "word", policy.casing));
      const k = topk.ids.dims[1]!;
      const places = Array.from({ length: k }, (_, i) => row * k + i);
      // A model may also keep a word by naming it; that is not a candidate.
      const others = places.filter((place) => Number(topk.ids.data[place]) !== own);
      for (const place of places) {
        if (!others.includes(place)) keep += topk.probabilities.data[place]!;
      }
      if (others.length) rest = pickRows(topk, [row], others);
    }
    const [found] = decode([window], rest, this.sources.bundle.lexicon, policy);
    return {
      start: token.start,
      end: token.start + length(token.text),
      original: token.text,
      keep,
      candidates: found![0]?.suggestions ?? [],
    };
  }

  /** The model's number of a word of its lexicon or of the user's. */
  #index(normalized: string): number | undefined {
    const index = this.sources.bundle.lexicon.index(normalized);
    const own = [...this.policy.userWords.keys()].indexOf(normalized);
    return index ?? (own < 0 ? undefined : this.sources.bundle.lexicon.size + own);
  }
}

/**
 * The window with corrections in their places; offsets stay as they were. The words no longer stand
 * so in the text, so the blanks between them are not judged again.
 */
function rewrite(window: Window, corrections: readonly Correction[]): Window {
  const written = new Map(corrections.map(({ start, replacement }) => [start, replacement]));
  const tokens = window.tokens.map((token) => ({
    ...token,
    text: written.get(token.start) ?? token.text,
  }));
  return { ...window, tokens, text: null };
}

function* inBatches(proposals: readonly Proposal[]): Generator<readonly Proposal[]> {
  const longest = Math.max(1, ...proposals.map(({ reading }) => reading.tokens.length));
  const size = Math.max(1, Math.floor(BATCH_WORDS / longest));
  for (let first = 0; first < proposals.length; first += size) {
    yield proposals.slice(first, first + size);
  }
}

/** A row of a table. */
function rowOf({ data, dims }: Floats, i: number): Float32Array {
  const width = dims[1]!;
  return data.subarray(i * width, (i + 1) * width);
}

/** The rows of two tables, either of which may be missing. */
function concatenated(one: Floats | undefined, other: Floats | undefined): Floats | undefined {
  if (!one || !other) return one ?? other;
  const data = new Float32Array(one.data.length + other.data.length);
  data.set(one.data);
  data.set(other.data, one.data.length);
  return { data, dims: [one.dims[0]! + other.dims[0]!, one.dims[1]!] };
}

/** A ranking with one row or none, and only some of its places. */
function pickRows(topk: TopK, rows: readonly number[], places: readonly number[] = []): TopK {
  const dims = [rows.length, places.length];
  return {
    keep: topk.keep,
    positions: { data: BigInt64Array.from(rows, (i) => topk.positions.data[i]!), dims: [rows.length] },
    ids: { data: BigInt64Array.from(places, (i) => topk.ids.data[i]!), dims },
    probabilities: { data: Float32Array.from(places, (i) => topk.probabilities.data[i]!), dims },
    cases: { data: BigInt64Array.from(rows, (i) => topk.cases.data[i]!), dims: [rows.length] },
  };
}
