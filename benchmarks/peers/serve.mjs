// Run an adapter in node: what serve.py does for Python. `node serve.mjs ADAPTER.mjs`
//
// An adapter exports `load(find)`, which gives (a promise of) the function from tokens to tokens.
// `find` imports packages of the peer's own folder, $PEER_FOLDER: `peers install` writes it there.
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

// What a peer prints must not get between the answers.
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
