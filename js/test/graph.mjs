// Runs any ONNX graph for benchmarks/rounding.py: reads calls from stdin and writes answers to
// stdout, one JSON object in a line. Tables of numbers are bytes in base64.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import * as runtime from "onnxruntime-web";

const ARRAYS = {
  bool: Uint8Array,
  float32: Float32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
};

runtime.env.wasm.numThreads = 1;
const session = await runtime.InferenceSession.create(new Uint8Array(readFileSync(process.argv[2])), {
  executionProviders: ["wasm"],
  logSeverityLevel: 3,
  extra: { session: { disable_quant_qdq: "1" } },
});

const read = ([name, { type, dims, bytes }]) => {
  const data = new Uint8Array(Buffer.from(bytes, "base64")); // a copy, so it is aligned
  return [name, new runtime.Tensor(type, new ARRAYS[type](data.buffer), dims)];
};
const write = ([name, { type, dims, data }]) => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return [name, { type, dims, bytes }];
};

for await (const line of createInterface({ input: process.stdin })) {
  const { inputs, outputs } = JSON.parse(line);
  const feeds = Object.fromEntries(Object.entries(inputs).map(read));
  const found = await session.run(feeds, outputs);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(Object.entries(found).map(write)))}\n`);
}
