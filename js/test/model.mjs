// Runs the model for another program: reads calls from stdin and writes answers to stdout, one
// JSON object in a line. benchmarks/js_cases.py asks it, so that both packages decide on the same
// numbers.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import * as runtime from "onnxruntime-web";
import { openSession } from "../dist/model/session.js";

runtime.env.wasm.numThreads = 1;
const forward = await openSession(runtime, new Uint8Array(readFileSync(process.argv[2])), "model");

const read = ([name, { data, dims }]) => {
  const typed = name === "new_words" ? Float32Array.from(data) : BigInt64Array.from(data, BigInt);
  return [name, { data: typed, dims }];
};
const write = ([name, { data, dims }]) => [name, { data: Array.from(data, Number), dims }];

for await (const line of createInterface({ input: process.stdin })) {
  const { inputs, gate } = JSON.parse(line);
  const features = Object.fromEntries(Object.entries(inputs).map(read));
  const answer = features.words
    ? await forward.rank(features, gate)
    : { composed: await forward.compose(features.spellings) };
  const outputs = Object.fromEntries(Object.entries(answer).map(write));
  process.stdout.write(`${JSON.stringify(outputs)}\n`);
}
