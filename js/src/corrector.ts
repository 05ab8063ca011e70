/** Find the misspellings of texts, and correct them. */

import { Judge } from "./decision/adjust.js";
import type { Data } from "./decision/data.js";
import { Evidence } from "./decision/evidence.js";
import { accepts, isLight, NEGLIGIBLE, type Policy } from "./decision/policy.js";
import { confirmed, frequent, TermIndex } from "./decision/terms.js";
import { acceptedWords, suggestedWords, userCasing } from "./decision/userWords.js";
import type { Variant } from "./decision/variants.js";
import { mask } from "./formats/masker.js";
import { SHORTHAND } from "./generated/decision.js";
import { Corrector as Tables } from "./generated/root.js";
import { Memory } from "./memory.js";
import type { Bundle } from "./model/bundle.js";
import { Encoder, normalize } from "./model/encode.js";
import { isHiddenWord } from "./model/hiddenWords.js";
import type { Forward } from "./model/forward.js";
import { checkCount, merge, type Options, type Settings } from "./options.js";
import { Reader } from "./reader.js";
import { apply } from "./text/apply.js";
import { length, Offsets } from "./text/characters.js";
import { sentences } from "./text/sentences.js";
import { inCodePoints, slices, tokenizeWords } from "./text/tokenize.js";
import { batches, CARRIER_LENGTH, cut, inCarrierSentence, type Window } from "./text/windows.js";
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
  readonly readers: TermReaders;
}

/** Correctors that know the terms of a document. */
interface TermReaders {
  readonly key: string;
  /** Reads the sentences with terms. */
  readonly accepting: Corrector;
  /** Reads the sentences with words that are spelled almost like a term. */
  readonly suggesting: Corrector;
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

/**
 * Finds and corrects misspellings. One token in, one token out: only with `spacing` may a
 * correction of a text add or remove a blank.
 */
export class Corrector {
  readonly policy: Policy;
  readonly bundle: Bundle;
  #document: Document | undefined;
  #last: Kept | undefined; // with other options
  #readers: TermReaders | undefined;
  #memory: Memory;
  #reader: Reader;

  constructor(
    readonly engine: Engine,
    readonly settings: Settings = merge({}),
    accepted: readonly string[] = [], // words that are accepted, but not suggested
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
    const encoder = new Encoder(
      bundle.lexicon,
      characters,
      casing,
      spell_oov_only,
      noisy,
      bundle.vocabulary,
    );
    const light = isLight({ casing, mode: chosen.mode });
    const usual = bundle.preset("default");
    const comparable = usual.threshold_on === chosen.threshold_on ? usual : chosen;
    const words = acceptedWords([...dictionary, ...accepted], bundle.lexicon);
    this.policy = {
      threshold: threshold ?? chosen.threshold,
      thresholdOn: chosen.threshold_on,
      defaultThreshold: comparable.threshold,
      fixThreshold: fixThreshold ?? chosen.fix_threshold,
      oovThreshold: threshold === undefined ? chosen.oov_threshold : 1,
      nameThreshold: threshold === undefined ? chosen.name_threshold : 0,
      spacingThreshold: threshold ?? chosen.spacing_threshold,
      spacing: Boolean(spacing) && knowsBlanks,
      mode: chosen.mode,
      maxSuggestions,
      minProbability: NEGLIGIBLE,
      dictionary: new Set([...words, ...(light ? SHORTHAND : [])]),
      casing,
      rewriteThreshold: chosen.rewrite_threshold,
      vocabularyBias: forward.compose ? chosen.vocabulary_bias : null,
      userWords: forward.compose ? suggestedWords(dictionary, encoder) : new Map(),
      userCasing: userCasing(dictionary, bundle.lexicon),
      truecase: bundle.truecase,
      keepElongated: light,
    };
    this.#memory = new Memory(this.policy.spacing);
    const { dictionary_bias: dictionaryBias } = chosen;
    const { validWords } = engine.data;
    this.#reader = new Reader({ bundle, forward, encoder, dictionaryBias, validWords }, this.policy);
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
    const judge = new Judge(evidence, ...tables, this.policy, this.#variant);
    const words = frequent(evidence);
    const contexts = words.map((word) => evidence.contexts.get(word)!);
    const found = await this.#checkMasked(contexts, signal);
    const terms = confirmed(evidence, judge, words, found);
    const adapted = new Corrector(this.engine, this.settings);
    adapted.#memory = this.#memory;
    // While a document is edited, its terms seldom change.
    const key = terms.join(" ");
    if (this.#readers?.key !== key) {
      const accepting = new Corrector(this.engine, this.settings, terms);
      const suggesting = new Corrector(this.engine, merge({ dictionary: terms }, this.settings));
      this.#readers = { key, accepting, suggesting };
    }
    adapted.#document = { judge, terms: new TermIndex(terms), readers: this.#readers };
    return adapted;
  }

  async #checkMasked(masked: readonly string[], signal?: AbortSignal): Promise<Correction[][]> {
    const found = await this.#checkAll(masked.map((text) => this.#splitText(text)), signal);
    const judge = this.#document?.judge;
    return judge ? found.map((corrections, i) => judge.agreeing(masked[i]!, corrections)) : found;
  }

  /** The text with every automatic correction. */
  async correct(text: string, options: CheckOptions = {}): Promise<string> {
    const { format, signal, ...others } = options;
    const corrector = this.with(others);
    const found = await corrector.check(text, { format, signal });
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
    const { text: offsets, sentences } = this.#splitText(text);
    for (const sentence of sentences) {
      for (const cutting of cut(0, sentence, this.bundle.config.length, offsets)) {
        const window = this.#inContext(cutting);
        for (let j = window.first; j < window.last; j += 1) {
          const token = window.tokens[j]!;
          const inside = token.start <= start && start < token.start + length(token.text);
          if (inside && token.kind === "word") return this.#reader.explain(window, j, maxCandidates);
        }
      }
    }
    throw new RespellError(`no word at ${start}`);
  }

  /** The sentences of a masked text. */
  #splitText(text: string): Split & { readonly text: Offsets } {
    const found = slices(text);
    const offsets = new Offsets(text);
    const tokens = this.#withHiddenWords(inCodePoints(found, offsets));
    const cuts = sentences(text, found);
    return { text: offsets, sentences: cuts.map(([a, b]) => tokens.slice(a, b)) };
  }

  /** The tokens with words such as *he11o*, if the model has learnt to read them. */
  #withHiddenWords(tokens: readonly Token[]): Token[] {
    const { lexicon, vocabulary } = this.bundle;
    if (!vocabulary) return [...tokens];
    const noisy = this.policy.mode === "noisy";
    const hidden = (token: Token) => isHiddenWord(token, lexicon, noisy);
    return tokens.map((token) => (hidden(token) ? { ...token, kind: "word" } : token));
  }

  #splitWords(words: readonly string[]): Token[] {
    if (this.policy.casing === "lower") {
      return this.#withHiddenWords(tokenizeWords(words, { noisy: this.policy.mode === "noisy" }));
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
    const { policy } = this.#document?.readers.accepting ?? this;
    const checked = ({ kind, text }: Token) => kind === "word" && !accepts(policy, text);
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
      const answers = await this.#reader.read(batch);
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

  /** What is found in windows with words like the terms of the document, and the other windows. */
  async #checkNearTerms(
    windows: readonly Window[],
    owners: number,
    signal?: AbortSignal,
  ): Promise<[Correction[][], readonly Window[]]> {
    const found = Array.from({ length: owners }, (): Correction[] => []);
    if (!this.#document) return [found, windows];
    const { terms, readers } = this.#document;
    const { accepting, suggesting } = readers;
    const far: Window[] = [];
    const near: Window[] = [];
    const withTerms: Window[] = [];
    for (const window of windows) {
      const like = window.tokens
        .slice(window.first, window.last)
        .filter(
          ({ kind, text }) =>
            kind === "word" && !this.bundle.lexicon.has(normalize(text)) && terms.near(text),
        );
      const misspelled = like.some(({ text }) => !accepts(accepting.policy, text));
      (misspelled ? near : like.length ? withTerms : far).push(window);
    }
    for (const [reader, some] of [[suggesting, near], [accepting, withTerms]] as const) {
      if (!some.length) continue;
      const answers = await reader.checkWindows(some, owners, signal);
      answers.forEach((corrections, owner) => found[owner]!.push(...corrections));
    }
    return [found, far];
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
      .filter(({ kind, text }) => kind === "word" && !accepts(this.policy, text))
      .filter(({ start }) => !isFlagged(start))
      .map((token) => variants.otherVariant(token, variant));
    const written = found.map((correction) => variants.inVariant(correction, variant));
    return [...written, ...others].filter((one) => one !== null);
  }

  /** Put a lone word into a carrier sentence, if the model reads text and has room for it. */
  #inContext(window: Window): Window {
    const exact = this.policy.casing !== "lower";
    return exact || this.bundle.config.length < CARRIER_LENGTH ? window : inCarrierSentence(window);
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

