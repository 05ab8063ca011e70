/** Find the misspellings of texts, and correct them. */

import { Judge } from "./decision/adjust.js";
import type { Data } from "./decision/data.js";
import { decode } from "./decision/decode.js";
import { Evidence } from "./decision/evidence.js";
import {
  accepts,
  isLight,
  isLowercaseOov,
  lowestThreshold,
  NEGLIGIBLE,
  type Policy,
} from "./decision/policy.js";
import { bestApart, decide, propose } from "./decision/spacing.js";
import { confirmed, frequent, TermIndex } from "./decision/terms.js";
import { acceptedWords, suggestedWords, userCasing } from "./decision/userWords.js";
import type { ValidWords } from "./decision/validWords.js";
import type { Variant } from "./decision/variants.js";
import { mask } from "./formats/masker.js";
import { SHORTHAND } from "./generated/decision.js";
import { Corrector as Tables, SPACING } from "./generated/root.js";
import type { Bundle } from "./model/bundle.js";
import { Memory } from "./memory.js";
import { Encoder, normalize } from "./model/encode.js";
import type { Floats, Forward, TopK } from "./model/forward.js";
import { checkCount, merge, type Options, type Settings } from "./options.js";
import { apply } from "./text/apply.js";
import { byCodePoint, length, Offsets } from "./text/characters.js";
import { sentences } from "./text/sentences.js";
import { inCodePoints, slices, tokenizeWords } from "./text/tokenize.js";
import {
  BATCH_WORDS,
  batches,
  CARRIER_LENGTH,
  cut,
  inCarrierSentence,
  type Window,
} from "./text/windows.js";
import { type Correction, type Explanation, RespellError, type Token } from "./types.js";

/** The options of one check. */
export interface CheckOptions extends Options {
  /** The markup to skip, such as "markdown" or "python". */
  readonly format?: string | undefined;
  /** Cancels the check; it stops between two batches of sentences. */
  readonly signal?: AbortSignal | undefined;
}

/** What correctors share: the model and the large tables. */
export interface Engine {
  readonly bundle: Bundle;
  readonly forward: Forward;
  readonly data: Data;
}

/** What a corrector knows about a document. */
interface Document {
  readonly judge: Judge;
  readonly terms: TermIndex;
  /** Reads the sentences with words that are spelled like a term. */
  readonly suggester: Corrector;
}

/** A corrector that is kept for the next call, and what it is for. */
interface Kept {
  readonly key: string;
  readonly corrector: Corrector;
}

/** The tokens of a text by sentences; the text is null if the caller has split it. */
interface Split {
  readonly text: Offsets | null;
  readonly sentences: readonly Token[][];
}

/** What is ranked beside the lexicon. */
interface RankedWords {
  /** Names the words. */
  readonly policy: Policy;
  /** Their output vectors and biases: [new, width + 1]. */
  readonly vectors: Floats;
}

/**
 * Finds and corrects misspellings. One token in, one token out: only with `spacing` may a
 * correction of a text add or remove a blank.
 */
export class Corrector {
  readonly policy: Policy;
  readonly bundle: Bundle;
  #document: Document | undefined;
  #last: Kept | undefined; // with other options
  #suggester: Kept | undefined; // with the terms of a document
  #memory: Memory;
  #encoder: Encoder;
  #bias: number;
  #vectors: Promise<Floats | undefined> | undefined;

  constructor(
    readonly engine: Engine,
    readonly settings: Settings = merge({}),
  ) {
    const { bundle, forward } = engine;
    this.bundle = bundle;
    const { preset, threshold, fixThreshold, dictionary, maxSuggestions, spacing } = settings;
    const knowsBlanks = bundle.config.spacing ?? false;
    if (spacing === true && !knowsBlanks) {
      throw new RespellError(
        "this model does not find missing or extra spaces; turn the option spacing off",
      );
    }
    const chosen = bundle.preset(preset);
    const { casing, characters, noise_flag, spell_oov_only } = bundle.config;
    const noisy = chosen.mode === "noisy" && noise_flag;
    this.#bias = chosen.dictionary_bias;
    this.#encoder = new Encoder(
      bundle.lexicon,
      characters,
      casing,
      spell_oov_only,
      noisy,
      bundle.vocabulary,
    );
    const light = isLight({ casing, mode: chosen.mode });
    this.policy = {
      threshold: threshold ?? chosen.threshold,
      thresholdOn: chosen.threshold_on,
      fixThreshold: fixThreshold ?? chosen.fix_threshold,
      oovThreshold: threshold === undefined ? chosen.oov_threshold : 1,
      spacingThreshold: threshold ?? chosen.spacing_threshold,
      spacing: Boolean(spacing) && knowsBlanks,
      mode: chosen.mode,
      maxSuggestions,
      minProbability: NEGLIGIBLE,
      dictionary: new Set([...acceptedWords(dictionary, bundle.lexicon), ...(light ? SHORTHAND : [])]),
      casing,
      rewriteThreshold: chosen.rewrite_threshold,
      vocabularyBias: forward.compose ? chosen.vocabulary_bias : null,
      userWords: forward.compose ? suggestedWords(dictionary, this.#encoder) : new Map(),
      userCasing: userCasing(dictionary, bundle.lexicon),
      truecase: bundle.truecase,
      keepElongated: light,
    };
    this.#memory = new Memory(this.policy.spacing);
  }

  /** The misspellings of a text, in order. */
  async check(text: string, options: CheckOptions = {}): Promise<Correction[]> {
    const [found] = await this.checkMany([text], options);
    return found!;
  }

  /** The misspellings of each text, in order. */
  async checkMany(texts: readonly string[], options: CheckOptions = {}): Promise<Correction[][]> {
    const { format = "plain", signal, ...others } = options;
    checkTexts("checkMany", "check", texts);
    return this.with(others).#checkMasked(texts.map((text) => mask(text, format)), signal);
  }

  /**
   * The misspellings of a document, given the evidence of the whole text. Words that recur or occur
   * in code are terms: they are not flagged, and their misspellings are corrected to them.
   */
  async checkDocument(text: string, options: CheckOptions = {}): Promise<Correction[]> {
    const [found] = await this.checkParts([text], options);
    return found!;
  }

  /** The misspellings of the parts of one document, given the evidence of all parts. */
  async checkParts(parts: readonly string[], options: CheckOptions = {}): Promise<Correction[][]> {
    const { format = "plain", signal, ...others } = options;
    checkTexts("checkParts", "checkDocument", parts);
    const evidence = new Evidence(this.bundle.lexicon);
    const masked = parts.map((part) => mask(part, format));
    parts.forEach((part, i) => evidence.add(part, masked[i]!));
    const adapted = await this.with(others).withEvidence(evidence, signal);
    return adapted.#checkMasked(masked, signal);
  }

  /** A corrector for the document that the evidence comes from. */
  async withEvidence(evidence: Evidence, signal?: AbortSignal): Promise<Corrector> {
    const { data } = this.engine;
    const tables = await Promise.all([data.variants(), data.vocabulary()]);
    const judge = new Judge(evidence, ...tables, this.policy.threshold, this.#variant);
    const words = frequent(evidence);
    const contexts = words.map((word) => evidence.contexts.get(word)!);
    const found = await this.#checkMasked(contexts, signal);
    const terms = confirmed(evidence, judge, words, found);
    const adapted = new Corrector(this.engine, this.settings);
    adapted.#memory = this.#memory;
    // While a document is edited, its terms seldom change.
    if (this.#suggester?.key !== terms.join(" ")) {
      const suggester = new Corrector(this.engine, merge({ dictionary: terms }, this.settings));
      this.#suggester = { key: terms.join(" "), corrector: suggester };
    }
    const { corrector: suggester } = this.#suggester!;
    adapted.#document = { judge, terms: new TermIndex(terms), suggester };
    return adapted;
  }

  async #checkMasked(masked: readonly string[], signal?: AbortSignal): Promise<Correction[][]> {
    const found = await this.#checkAll(masked.map(splitText), signal);
    const judge = this.#document?.judge;
    return judge ? found.map((corrections, i) => judge.agreeing(masked[i]!, corrections)) : found;
  }

  /** The text with every automatic correction. */
  async correct(text: string, options: CheckOptions = {}): Promise<string> {
    const found = await this.check(text, options);
    const { format: _, ...others } = options;
    const corrector = this.with(others);
    return apply(text, found.filter((one) => corrector.isAutomatic(one)));
  }

  /** The misspellings of a split sentence; offsets count in `tokens.join(" ")`. */
  async checkTokens(tokens: readonly string[], options: Options = {}): Promise<Correction[]> {
    if (!Array.isArray(tokens) || !tokens.every((token) => typeof token === "string")) {
      throw new RespellError("tokens must be a list of words");
    }
    const corrector = this.with(options);
    const [found] = await corrector.#checkAll([
      { text: null, sentences: [corrector.#splitWords(tokens)] },
    ]);
    return found!;
  }

  /** The same corrector with other options; it shares the model. The last one is kept. */
  with(options: Options): Corrector {
    if (!Object.values(options).some((value) => value !== undefined)) return this;
    const settings = merge(options, this.settings);
    const key = JSON.stringify({ ...settings, dictionary: [...settings.dictionary] });
    if (this.#last?.key !== key) {
      this.#last = { key, corrector: new Corrector(this.engine, settings) };
    }
    return this.#last.corrector;
  }

  /** Whether a correction is sure enough to be written without asking. */
  isAutomatic({ score }: Correction): boolean {
    return score >= this.policy.fixThreshold;
  }

  /** What the model says about the word at an offset, whether or not it is right. */
  async explain(
    text: string,
    start: number,
    { maxCandidates = 8 } = {},
  ): Promise<Explanation> {
    checkCount("maxCandidates", maxCandidates);
    const { text: offsets, sentences } = splitText(text);
    for (const sentence of sentences) {
      for (const cutting of cut(0, sentence, this.bundle.config.length, offsets)) {
        const window = this.#inContext(cutting);
        for (let j = window.first; j < window.last; j += 1) {
          const token = window.tokens[j]!;
          const inside = token.start <= start && start < token.start + length(token.text);
          if (inside && token.kind === "word") return this.#explain(window, j, maxCandidates);
        }
      }
    }
    throw new RespellError(`no word at ${start}`);
  }

  async #explain(window: Window, j: number, maxSuggestions: number): Promise<Explanation> {
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
    const [found] = decode([window], rest, this.bundle.lexicon, policy);
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
    const index = this.bundle.lexicon.index(normalized);
    const own = [...this.policy.userWords.keys()].indexOf(normalized);
    return index ?? (own < 0 ? undefined : this.bundle.lexicon.size + own);
  }

  #splitWords(words: readonly string[]): Token[] {
    if (this.policy.casing === "lower") {
      return tokenizeWords(words, { noisy: this.policy.mode === "noisy" });
    }
    let start = 0;
    const tokens = words.map((text): Token => {
      const token: Token = { start, text, kind: "word" };
      start += length(text) + 1;
      return token;
    });
    return tokens.filter(({ text }) => text);
  }

  /** Check texts given as tokenized sentences, a group at a time. */
  async #checkAll(texts: readonly Split[], signal?: AbortSignal): Promise<Correction[][]> {
    const found: Correction[][] = [];
    let group: Window[] = [];
    let [owners, words] = [0, 0];
    for (const { text, sentences } of texts) {
      for (const sentence of sentences) {
        group.push(...this.#windows(owners, sentence, text));
        words += sentence.length;
      }
      owners += 1;
      if (words + owners < Tables.LOOK_AHEAD_WORDS) continue;
      found.push(...(await this.checkWindows(group, owners, signal)));
      [group, owners, words] = [[], 0, 0];
    }
    found.push(...(await this.checkWindows(group, owners, signal)));
    return found;
  }

  /** The windows of a sentence; none if it has no word to check. */
  #windows(owner: number, tokens: readonly Token[], text: Offsets | null): Window[] {
    const checked = ({ kind, text }: Token) => kind === "word" && !accepts(this.policy, text);
    return tokens.some(checked) ? [...cut(owner, tokens, this.bundle.config.length, text)] : [];
  }

  /** The misspellings in windows of many texts, for each of the owners 0 to `owners` - 1. */
  async checkWindows(
    windows: readonly Window[],
    owners: number,
    signal?: AbortSignal,
  ): Promise<Correction[][]> {
    signal?.throwIfAborted();
    const [found, far] = await this.#checkNearTerms(windows, owners, signal);
    const inContext = far.map((window) => this.#inContext(window));
    const read = new Map<Window, readonly Correction[]>();
    for (const window of inContext) {
      const known = this.#memory.recall(window);
      if (known) read.set(window, known);
    }
    for (const batch of batches(inContext.filter((window) => !read.has(window)))) {
      await pause();
      signal?.throwIfAborted();
      const answers = await this.#read(batch);
      batch.forEach((window, i) => {
        read.set(window, answers[i]!);
        this.#memory.keep(window, answers[i]!);
      });
    }
    for (const window of inContext) {
      const judged = window.tokens.slice(window.first, window.last);
      const places = new Set(judged.map(({ start }) => start));
      const inside = read.get(window)!.filter(({ start }) => places.has(start));
      found[window.owner]!.push(...(await this.#inVariant(judged, inside)));
    }
    for (const corrections of found) corrections.sort((one, other) => one.start - other.start);
    return found;
  }

  /** What the suggester finds in windows that may have misspelled terms, and the other windows. */
  async #checkNearTerms(
    windows: readonly Window[],
    owners: number,
    signal?: AbortSignal,
  ): Promise<[Correction[][], readonly Window[]]> {
    const none = Array.from({ length: owners }, (): Correction[] => []);
    if (!this.#document) return [none, windows];
    const { terms, suggester } = this.#document;
    const isNear = (window: Window) =>
      window.tokens
        .slice(window.first, window.last)
        .some(
          ({ kind, text }) =>
            kind === "word" &&
            !this.bundle.lexicon.has(normalize(text)) &&
            terms.near(text) &&
            !accepts(this.policy, text),
        );
    const near = windows.filter(isNear);
    const found = near.length ? await suggester.checkWindows(near, owners, signal) : none;
    return [found, windows.filter((window) => !near.includes(window))];
  }

  /** The spelling that the user has chosen; if null, suggestions follow the document. */
  get #variant(): Variant | null {
    const { variant } = this.settings;
    return variant === "auto" ? null : (variant as Variant);
  }

  /** Corrections in the wanted variant, and words in the spelling of the other variant. */
  async #inVariant(tokens: readonly Token[], found: Correction[]): Promise<Correction[]> {
    const variant = this.#variant;
    if (!variant) return found;
    const variants = await this.engine.data.variants();
    const isFlagged = (at: number) => found.some(({ start, end }) => start <= at && at < end);
    const others = tokens
      .filter(({ kind, start }) => kind === "word" && !isFlagged(start))
      .map((token) => variants.otherVariant(token, variant));
    const written = found.map((correction) => variants.inVariant(correction, variant));
    return [...written, ...others.filter((one) => one !== null)];
  }

  /** Put a lone word into a carrier sentence, if the model reads text and has room for it. */
  #inContext(window: Window): Window {
    const exact = this.policy.casing !== "lower";
    return exact || this.bundle.config.length < CARRIER_LENGTH ? window : inCarrierSentence(window);
  }

  /**
   * The misspellings of a batch of windows. With a rewrite threshold, clear corrections are put
   * into the text and the rest of the sentence is read again. Corrections of blanks are not put
   * into the text; they stay as they are.
   */
  async #read(batch: readonly Window[]): Promise<Correction[][]> {
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
    const { lexicon, config } = this.bundle;
    const proposals = [...propose(batch, topk, lexicon, this.policy, config.length)];
    const longest = Math.max(1, ...proposals.map(({ reading }) => reading.tokens.length));
    const size = Math.max(1, Math.floor(BATCH_WORDS / longest));
    const fits: number[] = [];
    for (let first = 0; first < proposals.length; first += size) {
      const some = proposals.slice(first, first + size);
      const readings = some.map(({ reading }) => reading);
      const { keep } = await this.#rank(readings, Tables.NOTHING_RANKED);
      some.forEach(({ places: [from, to] }, i) => {
        fits.push(Math.min(...rowOf(keep, i).subarray(from, to)));
      });
    }
    const spaced = decide(proposals, fits, this.policy);
    return found.map((each, i) => bestApart([...each, ...(spaced.get(i) ?? [])]));
  }

  /** The misspellings, also of valid words outside the lexicon. */
  async #decide(batch: readonly Window[], topk: TopK): Promise<Correction[][]> {
    const found = this.#decode(batch, topk);
    if (this.policy.vocabularyBias === null) return found;
    const valid = await this.engine.data.validWords();
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
    const { lexicon } = this.bundle;
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
    return decode(batch, topk, this.bundle.lexicon, policy);
  }

  async #rank(batch: readonly Window[], gate: number, vectors?: Floats): Promise<TopK> {
    const new_words = vectors ?? (await this.#userVectors());
    const features = this.#encoder.encode(batch);
    return this.engine.forward.rank(new_words ? { ...features, new_words } : features, gate);
  }

  /** Output vectors and biases of the user's words: [new, width + 1]. */
  #userVectors(): Promise<Floats | undefined> {
    this.#vectors ??= this.#compose([...this.policy.userWords.keys()], this.#bias);
    return this.#vectors;
  }

  /** Output vectors and biases of words; undefined if there are none, or the model cannot. */
  async #compose(words: readonly string[], bias: number): Promise<Floats | undefined> {
    if (!words.length || !this.engine.forward.compose) return undefined;
    const rows = await this.engine.forward.compose(this.#encoder.spell(words));
    const width = rows.dims[1]!;
    const more = Math.fround(bias); // as numpy adds it
    const data = rows.data.map((value, i) => (i % width === width - 1 ? value + more : value));
    return { data, dims: rows.dims };
  }
}

function checkTexts(many: string, one: string, texts: unknown): void {
  if (!Array.isArray(texts)) {
    throw new RespellError(`${many} takes a list of texts; use ${one} for one`);
  }
}

/** Let others work between two batches: a page can show what it has, and a worker read messages. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The sentences of a masked text. */
function splitText(text: string): Split & { readonly text: Offsets } {
  const found = slices(text);
  const offsets = new Offsets(text);
  const tokens = inCodePoints(found, offsets);
  const cuts = sentences(text, found);
  return { text: offsets, sentences: cuts.map(([a, b]) => tokens.slice(a, b)) };
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
