// Decides when to send which parts of the text, and remembers the answers.

import { correct } from "./api.js";
import { hasLetters, pieces, place } from "./text.js";

const WAIT_MS = 250;
const IDLE_MS = 750; // without a key stroke, before the whole text is checked as one document
const MAX_DOCUMENT = 100_000; // characters
const FIRST_REQUEST = 1_500; // characters; a small request shows the first findings early
const MAX_REQUEST = 6_000;
const MAX_FILE_REQUEST = 200_000; // each request of a file is one document
const MAX_CACHE = 2_000_000; // characters

/**
 * Checks the newest text in pieces; sends only pieces that it does not know.
 *
 * When the user pauses, the whole text is sent as one document: words that recur in it or that
 * occur in its code are terms, which are then not underlined, in new pieces either.
 *
 * `hooks` has onAnswer(text, parts, complete), onError(error) and visibleStart(), the offset that
 * the user sees first: what follows it is checked first. `parts` is described at `place`.
 */
export class Checker {
  #cache = new Cache();
  #pending = new Set(); // cache keys of pieces that have been sent
  #target = null; // what is being checked
  #timer = 0;
  #document = NO_DOCUMENT;
  #running = null; // the request for a document

  constructor(hooks) {
    this.hooks = hooks;
  }

  /** Check this text after a short wait. */
  schedule(text, options, wait = WAIT_MS) {
    this.stop();
    this.#timer = setTimeout(() => this.#check(text, options), wait);
  }

  /** Send no more requests. Answers for pieces that are on their way are remembered. */
  stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#target = null;
  }

  async #check(text, options) {
    const all = pieces(text, options.format);
    const target = { text, options, all, keyOf: this.#cache.keys(options) };
    this.#target = target;
    if (this.#document.options !== JSON.stringify(options)) this.#document = NO_DOCUMENT;
    this.#deliver();
    let size = FIRST_REQUEST;
    while (this.#target === target) {
      const missing = this.#missing(target);
      if (!missing.length) {
        this.#timer = setTimeout(() => this.#checkDocument(target), IDLE_MS);
        return;
      }
      await this.#send(firstOf(missing, size), target);
      size = Math.min(2 * size, MAX_REQUEST);
    }
  }

  /** Check the whole text as one document, if its sentences have findings. */
  async #checkDocument(target) {
    const { text, options, all, keyOf } = target;
    const texts = all.filter(hasLetters);
    const alone = texts.map((piece) => this.#cache.get(keyOf(piece)) ?? []);
    const found = alone.some((findings) => findings.length);
    if (this.#target !== target || !found || text.length > MAX_DOCUMENT) return;
    if (this.#document.text === text) return;
    const running = new AbortController();
    this.#running = running;
    try {
      const results = await correct(texts, { ...options, document: true }, running.signal);
      const answers = new Map(texts.map((piece, i) => [keyOf(piece), results[i]]));
      const kept = new Set(results.flat().map(({ original }) => original));
      const flagged = alone.flat().map(({ original }) => original);
      const terms = new Set(flagged.filter((word) => !kept.has(word)));
      this.#document = { text, options: JSON.stringify(options), answers, terms };
      this.#deliver();
    } catch (error) {
      if (!running.signal.aborted) this.hooks.onError(error);
    }
  }

  /** The findings of a piece: in its document if they are known, else those of its sentences. */
  #findings(key) {
    const { answers, terms } = this.#document;
    return answers.get(key) ?? this.#cache.get(key)?.filter(({ original }) => !terms.has(original));
  }

  /** The pieces to send, those that the user sees first. */
  #missing({ all, keyOf }) {
    const visible = this.hooks.visibleStart();
    const [before, after] = [[], []];
    let end = 0;
    for (const piece of all) {
      end += piece.length;
      const key = keyOf(piece);
      if (this.#cache.has(key) || this.#pending.has(key) || !hasLetters(piece)) continue;
      (end > visible ? after : before).push(piece);
    }
    return [...new Set([...after, ...before])];
  }

  async #send(group, { options, keyOf }) {
    const keys = group.map(keyOf);
    for (const key of keys) this.#pending.add(key);
    try {
      const results = await correct(group, options);
      keys.forEach((key, i) => this.#cache.set(key, results[i]));
      this.#deliver();
    } catch (error) {
      const wanted = this.#target?.all.some((piece) => keys.includes(this.#target.keyOf(piece)));
      if (!wanted) return; // the text has changed
      this.stop();
      this.hooks.onError(error);
    } finally {
      for (const key of keys) this.#pending.delete(key);
    }
  }

  /** Report what is known about the newest text. */
  #deliver() {
    if (!this.#target) return;
    const { text, all, keyOf } = this.#target;
    const parts = all.map((piece) => {
      const known = this.#findings(keyOf(piece));
      return [piece, known ?? (hasLetters(piece) ? null : [])];
    });
    const complete = parts.every(([, findings]) => findings);
    if (complete) this.#cache.prune(new Set(all.map(keyOf)));
    this.hooks.onAnswer(text, parts, complete);
  }
}

/** What is known about the last text that was checked as one document. */
const NO_DOCUMENT = { text: null, options: null, answers: new Map(), terms: new Set() };

/** Answers by piece and options. */
class Cache {
  #answers = new Map();
  #numbers = new Map(); // of options, to keep the keys short
  #characters = 0;

  /** A function from a piece to its key. */
  keys(options) {
    const name = JSON.stringify(options);
    if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size);
    const number = this.#numbers.get(name);
    return (piece) => `${number} ${piece}`;
  }

  has(key) {
    return this.#answers.has(key);
  }

  get(key) {
    return this.#answers.get(key);
  }

  set(key, answer) {
    this.#answers.set(key, answer);
    this.#characters += key.length;
  }

  /** Forget other keys if there are too many. */
  prune(keys) {
    if (this.#characters <= MAX_CACHE) return;
    for (const key of this.#answers.keys()) {
      if (keys.has(key)) continue;
      this.#answers.delete(key);
      this.#characters -= key.length;
    }
  }
}

/** The first pieces, at least one, that have about this size together. */
function firstOf(all, size) {
  let sum = 0;
  const fits = all.findIndex((piece, i) => {
    sum += piece.length;
    return i > 0 && sum > size;
  });
  return fits < 0 ? all : all.slice(0, fits);
}

/** Check a whole text once, as a document. Markdown is sent in one request, as the command line reads it. */
export async function checkOnce(text, options, { signal, onProgress }) {
  const all = options.format === "markdown" ? [text] : pieces(text);
  const known = new Map();
  let rest = [...new Set(all)].filter(hasLetters);
  const count = rest.length;
  while (rest.length) {
    const group = firstOf(rest, MAX_FILE_REQUEST);
    const results = await correct(group, { ...options, document: true }, signal);
    group.forEach((piece, i) => known.set(piece, results[i]));
    rest = rest.slice(group.length);
    onProgress(1 - rest.length / count);
  }
  return place(all.map((piece) => [piece, known.get(piece) ?? []]));
}
