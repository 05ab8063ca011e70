// Decides when to send the text to the server, and drops outdated responses.

import { correct } from "./api.js";
import { hasLetters, pieces } from "./text.js";

const WAIT_MS = 250;
const MAX_REQUEST = 20_000;

/** Checks a text in pieces; sends only pieces that have changed. */
export class Checker {
  #known = new Map();
  #options = "{}";
  #timer = 0;
  #running = null;

  /** `onAnswer(text, findings)` and `onError(error)` are called for the newest text only. */
  constructor({ onAnswer, onError }) {
    this.onAnswer = onAnswer;
    this.onError = onError;
  }

  /** Check this text after a short wait; a check in progress is dropped. */
  schedule(text, options, wait = WAIT_MS) {
    this.stop();
    this.#timer = setTimeout(() => this.#check(text, options), wait);
  }

  /** Drop the check in progress. */
  stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
  }

  async #check(text, options) {
    const running = new AbortController();
    this.#running = running;
    if (this.#options !== JSON.stringify(options)) {
      this.#options = JSON.stringify(options);
      this.#known = new Map();
    }
    try {
      const all = pieces(text);
      const known = await answers(all, options, this.#known, running.signal);
      if (this.#running !== running) return;
      this.#known = known;
      this.onAnswer(text, placed(all, known));
    } catch (error) {
      if (this.#running === running) this.onError(error);
    }
  }
}

/** A map from every piece to its findings; requests those that are not known yet. */
async function answers(all, options, known, signal, onProgress = () => {}) {
  const found = new Map();
  const missing = [];
  for (const piece of new Set(all)) {
    if (known.has(piece)) found.set(piece, known.get(piece));
    else if (hasLetters(piece)) missing.push(piece);
    else found.set(piece, []);
  }
  const groups = batches(missing);
  for (const [done, group] of groups.entries()) {
    const results = await correct(group, options, signal);
    group.forEach((piece, i) => {
      found.set(piece, results[i]);
      known.set(piece, results[i]); // kept even if a later request fails
    });
    onProgress((done + 1) / groups.length);
  }
  return found;
}

/** Groups of pieces, each small enough for one request. */
function batches(all) {
  const groups = [];
  let size = Infinity;
  for (const piece of all) {
    if (size + piece.length > MAX_REQUEST) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1).push(piece);
    size += piece.length;
  }
  return groups;
}

/** The findings of pieces, with offsets in the whole text. */
function placed(all, known) {
  const findings = [];
  let offset = 0;
  for (const piece of all) {
    for (const found of known.get(piece)) {
      findings.push({ ...found, start: found.start + offset, end: found.end + offset });
    }
    offset += piece.length;
  }
  return findings;
}

/** Check a whole text. With a format it is sent in one piece: markup may span blank lines. */
export async function checkOnce(text, options, { signal, onProgress }) {
  const all = options.format ? [text] : pieces(text);
  return placed(all, await answers(all, options, new Map(), signal, onProgress));
}
