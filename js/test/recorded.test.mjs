// With the same probabilities, the answers are the same as in Python, without any exception.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Data } from "../dist/decision/data.js";
import { Bundle } from "../dist/model/bundle.js";
import { compare } from "./recorded.mjs";
import { cases, MODEL } from "./shared.mjs";

const read = (folder) => async (name) => new Uint8Array(readFileSync(new URL(name, folder)));

const rows = cases("recorded.jsonl");
test("answers with recorded probabilities", { skip: !rows && "not written" }, async (t) => {
  const [bundle] = await Bundle.read(read(new URL(`file://${MODEL}/`)));
  const data = new Data(read(new URL("../dist/data/", import.meta.url)));
  const { examples, ...summary } = await compare(rows, bundle, data);
  t.diagnostic(JSON.stringify(summary));
  const file = process.env["RESPELL_RECORDED"];
  if (file) writeFileSync(file, JSON.stringify(summary));
  assert.deepEqual(examples, []);
  assert.ok(summary.same, `a probability differs by ${summary.most}`);
  assert.ok(summary.corrections > summary.texts / 2);
});
