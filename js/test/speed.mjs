// Prints the processor time, in seconds, that a check of a text takes: `node speed.mjs MODEL TEXT
// ROUNDS`, with the path of a file. Each round checks the text in other sentences.

import { readFileSync } from "node:fs";
import { load } from "../dist/node.js";

const [model, path, rounds] = process.argv.slice(2);
const text = readFileSync(path, "utf8");
const corrector = await load({ model });
await corrector.check("This is teh first text.");
const seconds = [];
for (let i = 0; i < Number(rounds); i += 1) {
  const numbered = text.replace(/(?<=[.!?]) /g, ` ${i} `); // sentences that it does not remember
  const before = process.cpuUsage();
  await corrector.check(numbered);
  const { user, system } = process.cpuUsage(before);
  seconds.push((user + system) / 1e6);
}
console.log(JSON.stringify(seconds));
