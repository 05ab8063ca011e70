// What a model reads and what is decided is the same as in Python, on rankings that need no model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { decode } from "../dist/decision/decode.js";
import { Encoder } from "../dist/model/encode.js";
import { Lexicon } from "../dist/model/lexicon.js";
import { Vocabulary } from "../dist/model/vocabulary.js";
import { Offsets } from "../dist/text/characters.js";
import { tokenize } from "../dist/text/tokenize.js";
import { cases } from "./shared.mjs";

const windowOf = (text) => {
  const tokens = tokenize(text);
  const last = tokens.length;
  return { owner: 0, tokens, first: 0, last, lone: false, text: new Offsets(text) };
};

test("what a model with a vocabulary reads", async () => {
  const rows = cases("words.jsonl");
  assert.ok(rows.length >= 40);
  const seen = new Set();
  for (const { lexicon, characters, blocks, table, text, features } of rows) {
    const packed = new Uint8Array(gzipSync(blocks.join("\n")));
    const vocabulary = await Vocabulary.read(packed, "vocabulary.gz");
    for (const [word, number] of table) assert.equal(vocabulary.classOf(word), number, word);
    const encoder = new Encoder(new Lexicon(lexicon), characters, "lower", true, false, vocabulary);
    const found = encoder.encode([windowOf(text)]);
    const listed = Object.entries(found).map(([name, { data }]) => [name, [...data].map(Number)]);
    assert.deepEqual(Object.fromEntries(listed), features, text);
    for (const number of features.classes) seen.add(number);
  }
  assert.ok(seen.size > 20);
});

test("damaged vocabularies", async () => {
  const read = (content) => Vocabulary.read(new Uint8Array(content), "vocabulary.gz");
  const message = "vocabulary.gz: not a vocabulary, or damaged";
  const refuses = (content) => assert.rejects(() => read(content), { name: "RespellError", message });
  const good = gzipSync("aback3Eus4\nzoo1");
  assert.equal((await read(good)).classOf("Zoos"), 1);
  await refuses(good.subarray(0, good.length - 9));
  await refuses(gzipSync("aback3\nzoo"));
  await refuses(gzipSync(Buffer.from([0xff, 0x31])));
  await refuses([]);
});

test("kinds of errors lower the probability of a replacement", () => {
  const rows = cases("blanks.jsonl");
  const kinds = { nonword: 0, realword: 0 };
  for (const row of rows) {
    const { lexicon, text, keep, positions, ids, probabilities, cases, corrections } = row;
    const { threshold, spacing_threshold, spacing, max_suggestions } = row.policy;
    const ints = (data) => ({ data: BigInt64Array.from(data.flat(), BigInt), dims: dims(data) });
    const floats = (data) => ({ data: Float32Array.from(data.flat()), dims: dims(data) });
    const topk = {
      keep: floats([keep]),
      positions: ints(positions),
      ids: ints(ids),
      probabilities: floats(probabilities),
      cases: ints(cases),
      kinds: floats(row.kinds),
    };
    const policy = {
      threshold,
      fixThreshold: 0,
      oovThreshold: 1,
      spacingThreshold: spacing_threshold,
      spacing,
      mode: "light",
      maxSuggestions: max_suggestions,
      minProbability: 0.01,
      dictionary: new Set(),
      casing: "lower",
      rewriteThreshold: 0,
      userWords: new Map(),
      userCasing: new Map(),
      truecase: new Map(),
      keepElongated: false,
    };
    const [found] = decode([windowOf(text)], topk, new Lexicon(lexicon), policy);
    assert.deepEqual(found, corrections, text);
    for (const { kind } of found) kinds[kind] += 1;
  }
  assert.ok(Object.values(kinds).every((count) => count > 5), JSON.stringify(kinds));
});

function dims(table) {
  return Array.isArray(table[0]) ? [table.length, table[0].length] : [table.length];
}
