// What a model reads and what is found is the same as in Python, on cases that need no real model.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { apply, load } from "../dist/index.js";
import { Encoder } from "../dist/model/encode.js";
import { isHiddenWord } from "../dist/model/hiddenWords.js";
import { Lexicon } from "../dist/model/lexicon.js";
import { Vocabulary } from "../dist/model/vocabulary.js";
import { Offsets } from "../dist/text/characters.js";
import { tokenize } from "../dist/text/tokenize.js";
import { fakeRuntime } from "./fakeModel.mjs";
import { cases } from "./shared.mjs";

const DATA = new URL("../dist/data/", import.meta.url);

const windowOf = (text) => {
  const tokens = tokenize(text);
  const last = tokens.length;
  return { owner: 0, tokens, first: 0, last, lone: false, text: new Offsets(text) };
};

test("what a model with a vocabulary reads", async () => {
  const rows = cases("words.jsonl");
  assert.ok(rows.length >= 40);
  const seen = new Set();
  let count = 0;
  for (const { lexicon, characters, blocks, table, text, features, hidden } of rows) {
    const packed = new Uint8Array(gzipSync(blocks.join("\n")));
    const vocabulary = await Vocabulary.read(packed, "vocabulary.gz");
    for (const [word, number] of table) assert.equal(vocabulary.classOf(word), number, word);
    const encoder = new Encoder(new Lexicon(lexicon), characters, "lower", true, false, vocabulary);
    const found = encoder.encode([windowOf(text)]);
    const listed = Object.entries(found).map(([name, { data }]) => [name, [...data].map(Number)]);
    assert.deepEqual(Object.fromEntries(listed), features, text);
    for (const number of features.classes) seen.add(number);
    const places = [false, true].map((noisy) =>
      tokenize(text).filter((token) => isHiddenWord(token, encoder.lexicon, noisy)),
    );
    assert.deepEqual(places.map((tokens) => tokens.map(({ start }) => start)), hidden, text);
    count += hidden[1].length;
  }
  assert.ok(seen.size > 20);
  assert.ok(count > 20);
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

/** A folder with the files of a bundle. */
function bundleOf({ lexicon, config }) {
  const files = { "lexicon.txt": lexicon.map((word) => `${word}\n`).join(""), "model.onnx": "fake" };
  const hash = (content) => createHash("sha256").update(content).digest("hex");
  const sha256 = Object.fromEntries(Object.entries(files).map(([name, one]) => [name, hash(one)]));
  files["config.json"] = JSON.stringify({ ...config, sha256 });
  return async (name) => new TextEncoder().encode(files[name]);
}

const data = async (name) => new Uint8Array(readFileSync(new URL(name, DATA)));

test("missing and extra blanks, and valid words outside the lexicon", async (t) => {
  const rows = cases("fakes.jsonl");
  const counts = { nonword: 0, realword: 0, variant: 0, split: 0, join: 0, outside: 0, ways: 0 };
  for (const row of rows) {
    const { ask, text, answers, corrections } = row;
    const { max_suggestions: maxSuggestions, ...options } = row.options;
    const asked = new Set();
    const runtime = fakeRuntime(row, asked);
    const corrector = await load({ model: bundleOf(row), data, runtime });
    const given = ask === "checkTokens" ? text.split(" ") : text;
    const found = await corrector[ask](given, { ...options, maxSuggestions });
    assert.deepEqual(found, corrections, text);
    assert.deepEqual([...asked].sort(), Object.keys(answers).sort(), text);
    if (ask === "check") {
      const better = await corrector.correct(text, { ...options, maxSuggestions });
      assert.equal(better, apply(text, corrections));
    }
    for (const { kind, replacement, suggestions } of found) {
      counts[kind] += 1;
      counts.ways += Number(kind === "split" && suggestions.length > 1);
      counts.outside += Number(kind === "nonword" && !row.lexicon.includes(replacement.toLowerCase()));
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(rows.length >= 60);
  assert.ok(Object.values(counts).every((count) => count > 2), JSON.stringify(counts));
});
