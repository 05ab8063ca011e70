// The example of docs/browser.md prints what the page says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const page = readFileSync(new URL("../../docs/browser.md", import.meta.url), "utf8");
const folder = fileURLToPath(new URL("..", import.meta.url));

test("the example of the documentation", (t) => {
  const [[, code]] = page.matchAll(/^```js\n(.*?)^```/gms);
  const file = `${folder}dist/example.mjs`;
  t.after(() => rmSync(file));
  writeFileSync(file, code);
  const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
  const promised = [...code.matchAll(/^console.*; \/\/ (.*)$/gm)].map(([, output]) => output);
  assert.equal(promised.length, 3);
  assert.deepEqual(printed.trim().split("\n"), promised);
});
