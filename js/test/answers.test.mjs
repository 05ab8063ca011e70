// The answers are the same as in Python, on the texts of benchmarks/js_cases.py.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../dist/node.js";
import { cases, MODEL } from "./shared.mjs";

const SAME = 1e-5; // of probabilities from the same program
const MARGINS = [0.001, 0.01, 0.05];

const base = await load({ model: MODEL });
const places = (all) => all.map((c) => `${c.start}-${c.end} ${c.replacement} ${c.kind}`);

const known = new Map();
const optionsOf = ({ preset, format, dictionary, variant, spacing }) => ({
  preset,
  format,
  dictionary,
  variant,
  spacing,
});
const keyOf = (row) => JSON.stringify([optionsOf(row), row.text]);

/** What the package finds in the text of each row, in their order. */
async function answers(rows) {
  const groups = new Map();
  for (const row of rows.filter((one) => !known.has(keyOf(one)))) {
    const key = JSON.stringify(optionsOf(row));
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  for (const group of groups.values()) {
    const texts = group.map(({ text }) => text);
    const found = await base.checkMany(texts, optionsOf(group[0]));
    group.forEach((row, i) => known.set(keyOf(row), found[i]));
  }
  return rows.map((row) => known.get(keyOf(row)));
}

function same(found, wanted, text) {
  assert.deepEqual(places(found), places(wanted), JSON.stringify(text));
  found.forEach((one, i) => {
    const other = wanted[i];
    const texts = (all) => all.map((suggestion) => suggestion.text);
    assert.deepEqual(texts(one.suggestions), texts(other.suggestions));
    assert.ok(Math.abs(one.score - other.score) < SAME, `${one.score}, not ${other.score}`);
    assert.ok(Math.abs(one.error_probability - other.error_probability) < SAME);
  });
}

test("answers to random texts", async () => {
  const rows = cases("answers.jsonl");
  assert.ok(rows.length >= 300);
  const found = await answers(rows);
  rows.forEach((row, i) => same(found[i], row.corrections, row.text));
});

const spaced = cases("spacing.jsonl");
test("missing and extra blanks", { skip: !spaced && "not written" }, async (t) => {
  const found = await answers(spaced);
  spaced.forEach((row, i) => same(found[i], row.corrections, row.text));
  const count = (kind) => found.flat().filter((one) => one.kind === kind).length;
  t.diagnostic(`${spaced.length} texts, ${count("split")} split, ${count("join")} joined`);
  assert.ok(count("split") > 0 && count("join") > 0);
});

test("documents, with the evidence of the whole text", async () => {
  const rows = cases("documents.jsonl");
  assert.ok(rows.length >= 10);
  for (const row of rows) {
    const found = await base.checkDocument(row.text, optionsOf(row));
    same(found, row.corrections, row.text.slice(0, 80));
  }
});

test("what the model says about a word", async () => {
  const all = [...cases("answers.jsonl"), ...(spaced ?? [])];
  const rows = all.filter(({ explained }) => explained);
  assert.ok(rows.length > 20);
  for (const row of rows) {
    const { text, explained } = row;
    const { start, keep, candidates } = explained;
    const { format: _, ...options } = optionsOf(row);
    const corrector = base.with(options);
    const found = await corrector.explain(text, start, { maxCandidates: 3 });
    assert.equal(found.start, start);
    assert.ok(Math.abs(found.keep - keep) < SAME, `${text}: ${found.keep}, not ${keep}`);
    const texts = (all) => all.map((candidate) => candidate.text);
    assert.deepEqual(texts(found.candidates), texts(candidates));
  }
});

// The native onnxruntime sums in another order, and the model rounds to 8 bits: its probabilities
// differ now and then, and so do answers whose score is near a threshold. They are counted.
const native = cases("native.jsonl");
test("answers with native probabilities", { skip: !native && "not written" }, async (t) => {
  const [different, changes] = [[], []];
  const found = await answers(native);
  native.forEach((row, i) => {
    if (places(found[i]).join() !== places(row.corrections).join()) different.push(row.margin);
    else found[i].forEach((one, j) => changes.push(Math.abs(one.score - row.corrections[j].score)));
  });
  changes.sort((one, other) => one - other);
  const share = (part) => Number(changes[Math.floor(part * (changes.length - 1))].toFixed(6));
  const within = (margin) => different.filter((one) => one <= margin).length;
  const summary = {
    answers: native.length,
    corrections: changes.length,
    different: different.length,
    different_near_a_threshold: Object.fromEntries(MARGINS.map((one) => [one, within(one)])),
    change_of_probability: { median: share(0.5), of_99_percent: share(0.99), most: share(1) },
  };
  t.diagnostic(JSON.stringify(summary));
  const file = process.env["RESPELL_SUMMARY"];
  if (file) writeFileSync(file, JSON.stringify(summary));
  assert.ok(different.length <= 0.02 * native.length);
});
