// Tokens and masks are the same as in Python, on the cases of benchmarks/js_cases.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mask } from "../dist/formats/masker.js";
import { sentences } from "../dist/text/sentences.js";
import { slices, tokenize, tokenizeWords } from "../dist/text/tokenize.js";
import { cases } from "./shared.mjs";

const listed = (tokens) => tokens.map(({ start, text, kind }) => [start, text, kind]);

test("tokens and sentences", () => {
  const all = cases("tokens.jsonl");
  assert.ok(all.length > 500);
  for (const row of all) {
    if (row.words) {
      assert.deepEqual(listed(tokenizeWords(row.words, { noisy: row.noisy })), row.tokens);
    } else {
      assert.deepEqual(listed(tokenize(row.text)), row.tokens, JSON.stringify(row.text));
      assert.deepEqual(sentences(row.text, slices(row.text)), row.sentences);
    }
  }
});

test("masks of all formats", () => {
  const all = cases("masks.jsonl");
  assert.ok(new Set(all.map(({ format }) => format)).size > 30);
  for (const { format, text, masked } of all) {
    assert.equal(mask(text, format), masked, `${format} ${JSON.stringify(text)}`);
  }
});
