// Run an adapter in Node, as serve.py does in Python: node serve.mjs ADAPTER.mjs
//
// An adapter exports `load(find)`, which returns the function that corrects tokens, or a promise of
// it. `find` imports packages from the folder of the peer, $PEER_FOLDER; `peers install` writes it.
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

// The output of a peer must not mix with the answers.
console.log = console.error;
const { find } = await import(pathToFileURL(path.resolve(process.env.PEER_FOLDER, "find.mjs")));
const adapter = await import(pathToFileURL(path.resolve(process.argv[2])));
const correct = await adapter.load(find);

let waiting = [];
for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line.trim()) {
    waiting.push(JSON.parse(line));
    continue;
  }
  let answers = "";
  for (const tokens of waiting) {
    answers += JSON.stringify(await correct(tokens)) + "\n";
  }
  process.stdout.write(answers);
  waiting = [];
}
