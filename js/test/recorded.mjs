// Decides on the answers of a model that Python has written down; see benchmarks/js_recorded.py.
// Runs in Node and in a browser.

import { Corrector } from "../dist/corrector.js";
import { Encode } from "../dist/generated/model.js";
import { merge } from "../dist/options.js";

const SAME = 1e-6; // of probabilities that are computed from the same numbers

/** The answers of a model, by what it was asked. */
export class RecordedModel {
  #answers = new Map();
  #composed = new Map();

  constructor(rows) {
    for (const { answers = {}, composed = {} } of rows) {
      for (const [key, answer] of Object.entries(answers)) this.#answers.set(key, answer);
      for (const [key, bytes] of Object.entries(composed)) this.#composed.set(key, floats(bytes));
    }
  }

  /** How many questions it can answer. */
  get size() {
    return this.#answers.size;
  }

  async rank(features, gate) {
    const [count, length] = features.words.dims;
    const keys = await Promise.all(
      Array.from({ length: count }, (_, i) => question(features, i, gate)),
    );
    const keep = new Float32Array(count * length).fill(1);
    const found = { positions: [], ids: [], probabilities: [], cases: [], kinds: [] };
    keys.forEach((key, i) => {
      const answer = this.#answers.get(key);
      if (!answer) throw new Error("Python does not ask the model this");
      keep.set(floats(answer.keep).subarray(0, length), i * length);
      found.positions.push(...answer.positions.map((position) => i * length + position));
      found.ids.push(...answer.ids.flat());
      found.probabilities.push(...floats(answer.probabilities));
      found.cases.push(...answer.cases);
      found.kinds.push(...floats(answer.kinds));
    });
    const size = found.positions.length;
    const table = (numbers) => ({
      data: numbers,
      dims: [size, size ? numbers.length / size : 0],
    });
    return {
      keep: { data: keep, dims: [count, length] },
      positions: table(BigInt64Array.from(found.positions, BigInt)),
      ids: table(BigInt64Array.from(found.ids, BigInt)),
      probabilities: table(Float32Array.from(found.probabilities)),
      cases: table(BigInt64Array.from(found.cases, BigInt)),
      ...(found.kinds.length && { kinds: table(Float32Array.from(found.kinds)) }),
    };
  }

  async compose({ data, dims: [count, width] }) {
    const rows = [];
    for (let i = 0; i < count; i += 1) {
      const row = this.#composed.get(await digest(ints(data.subarray(i * width, (i + 1) * width))));
      if (!row) throw new Error("Python does not compose this word");
      rows.push(row);
    }
    const all = new Float32Array(rows.flatMap((row) => [...row]));
    return { data: all, dims: [count, all.length / count] };
  }
}

/** Check the texts of the cases; what differs from Python, and the largest change of a number. */
export async function compare(rows, bundle, data) {
  const forward = new RecordedModel(rows);
  const correctors = new Map();
  const different = [];
  let [corrections, most] = [0, 0];
  for (const row of rows) {
    const { preset, dictionary, variant, format, text } = row;
    const key = JSON.stringify([preset, dictionary, variant]);
    if (!correctors.has(key)) {
      const settings = merge({ preset, dictionary, variant });
      correctors.set(key, new Corrector({ bundle, forward, data }, settings));
    }
    const corrector = correctors.get(key);
    const ask = row.document ? "checkDocument" : "check";
    const found = await corrector[ask](text, { format }).catch(String);
    if (shown(found) !== shown(row.corrections)) {
      different.push({ text, found, wanted: row.corrections });
      continue;
    }
    corrections += found.length;
    found.forEach((one, i) => {
      const pairs = [
        [one.score, row.corrections[i].score],
        [one.error_probability, row.corrections[i].error_probability],
        ...one.suggestions.map((suggestion, j) => [
          suggestion.probability,
          row.corrections[i].suggestions[j].probability,
        ]),
      ];
      for (const [mine, other] of pairs) most = Math.max(most, Math.abs(mine - other));
    });
  }
  const summary = { texts: rows.length, sentences: forward.size, corrections };
  return { ...summary, different: different.length, most, same: most <= SAME, examples: different.slice(0, 3) };
}

/** The corrections without their probabilities. */
function shown(found) {
  if (typeof found === "string") return found;
  const listed = found.map(({ start, end, original, replacement, kind, suggestions }) => [
    ...[start, end, original, replacement, kind],
    ...suggestions.map(({ text }) => text),
  ]);
  return JSON.stringify(listed);
}

/** What the model is asked about a sentence, as a hash. */
function question({ words, shapes, slots, spellings, classes, new_words }, i, gate) {
  const [, length] = words.dims;
  const rowOf = ({ data }) => data.subarray(i * length, (i + 1) * length);
  const all = rowOf(words);
  const n = all.filter((number) => number !== BigInt(Encode.WORD_PAD)).length;
  const tables = [words, shapes, ...(classes ? [classes] : [])];
  const spelled = [...rowOf(slots).subarray(0, n)].flatMap((slot) => {
    const at = Number(slot) * Encode.WIDTH;
    return [...spellings.data.subarray(at, at + Encode.WIDTH)];
  });
  const numbers = [...tables.flatMap((table) => [...rowOf(table).subarray(0, n)]), ...spelled];
  const more = new_words ? [...new_words.data] : [];
  return digest(ints(numbers), new Float32Array([gate, ...more]));
}

const ints = (numbers) => Int32Array.from(numbers, Number);

function floats(bytes) {
  return new Float32Array(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer);
}

async function digest(...parts) {
  const content = await new Blob(parts).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
