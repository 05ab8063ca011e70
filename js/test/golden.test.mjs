// The shipped model gives the same answers as in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../dist/node.js";
import { BUNDLE } from "./shared.mjs";

// The model rounds to 8 bits: where two processors differ in the last digit of a sum, one may round
// up and the other down.
const CLOSE = 0.05;

const rows = readFileSync(`${BUNDLE}/golden.jsonl`, "utf8").trim().split("\n").map(JSON.parse);

function same(found, wanted) {
  const places = (all) => all.map((c) => [c.start, c.end, c.original, c.replacement, c.kind]);
  assert.deepEqual(places(found), places(wanted));
  found.forEach((correction, i) => {
    assert.deepEqual(Object.keys(correction), Object.keys(wanted[i]));
    assert.ok(Math.abs(correction.score - wanted[i].score) <= CLOSE, `score of ${correction.original}`);
  });
}

for (const preset of ["default", "noisy", "careful"]) {
  test(`golden answers of ${preset}`, async () => {
    const corrector = await load({ model: BUNDLE, preset });
    const own = rows.filter((row) => row.preset === preset);
    assert.ok(own.length > 30);
    for (const row of own) {
      const { text, tokens, corrections } = row;
      const found = tokens ? await corrector.checkTokens(tokens) : await corrector.check(text);
      same(found, corrections);
    }
  });
}
