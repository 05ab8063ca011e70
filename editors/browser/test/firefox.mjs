// Drives the extension in Firefox: node --experimental-websocket test/firefox.mjs FIREFOX ADDRESS
// Prints what it has seen as JSON. Firefox speaks WebDriver BiDi, so this needs no package.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

const [program, address] = process.argv.slice(2);
const extension = fileURLToPath(new URL("../dist/firefox", import.meta.url));
const profile = mkdtempSync(`${tmpdir()}/respell-`);
const firefox = spawn(program, ["--headless", "--remote-debugging-port=0", "--profile", profile]);
const left = new Promise((resolve) => firefox.once("exit", resolve));
const waiting = new Map();
let last = 0;

const url = await new Promise((resolve, reject) => {
  let printed = "";
  firefox.stderr.on("data", (data) => {
    printed += data;
    const found = /WebDriver BiDi listening on (ws:\S+)/.exec(printed);
    if (found) resolve(`${found[1]}/session`);
  });
  firefox.once("exit", () => reject(new Error(`Firefox stopped: ${printed}`)));
});
const socket = new WebSocket(url);
await new Promise((resolve) => socket.addEventListener("open", resolve));
socket.addEventListener("message", ({ data }) => {
  const { id, result, error, message } = JSON.parse(data);
  const call = waiting.get(id);
  if (!call) return;
  if (error) call.reject(new Error(`${error}: ${message}`));
  else call.resolve(result);
});

function send(method, params) {
  last += 1;
  const id = last;
  socket.send(JSON.stringify({ id, method, params }));
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let context;

/** The value of an expression in the page. */
async function evaluate(expression) {
  const given = { expression: `JSON.stringify(${expression} ?? null)`, target: { context }, awaitPromise: true };
  const { result } = await send("script.evaluate", given);
  return JSON.parse(result.value);
}

async function until(expression, wanted) {
  const deadline = Date.now() + 40_000;
  let value;
  do {
    value = JSON.stringify(await evaluate(expression));
    if (value === JSON.stringify(wanted)) return;
    await pause(100);
  } while (Date.now() < deadline);
  throw new Error(`${expression} is ${value}, not ${JSON.stringify(wanted)}`);
}

function click(x, y) {
  const actions = [
    { type: "pointerMove", x: Math.round(x), y: Math.round(y) },
    { type: "pointerDown", button: 0 },
    { type: "pointerUp", button: 0 },
  ];
  return send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
}

/** Press keys one after the other; the ones in `held` stay down. */
function press(keys, held = []) {
  const actions = [
    ...held.map((value) => ({ type: "keyDown", value })),
    ...[...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]),
    ...held.map((value) => ({ type: "keyUp", value })),
  ];
  return send("input.performActions", { context, actions: [{ type: "key", id: "keys", actions }] });
}

const CONTROL = "\uE009";
const DOWN = "\uE015";
const ENTER = "\uE007";
const MARKS = "[...CSS.highlights.values()].flatMap((all) => [...all].map(String))";

async function run() {
  await send("session.new", { capabilities: {} });
  await send("webExtension.install", { extensionData: { type: "path", path: extension } });
  ({ context } = await send("browsingContext.create", { type: "tab" }));
  await send("browsingContext.navigate", { context, url: address, wait: "complete" });
  await pause(1_000);
  for (const kind of ["editable", "textarea"]) {
    const node = `document.getElementById("${kind}")`;
    const text = kind === "editable" ? `${node}.innerText.trim()` : `${node}.value.trim()`;
    await evaluate(`${node}.focus()`);
    await press("I recieve teh mail. ");
    await until(text, "I recieve teh mail.");
    // The marks of a text area cannot be seen from outside; the menu shows that they are there.
    if (kind === "editable") await until(MARKS, ["recieve", "teh"]);
    else await pause(3_000);
    const { x, y } = await evaluate(`${node}.getBoundingClientRect()`);
    await click(x + 40, y + 14);
    await pause(500);
    await press([DOWN, ENTER]);
    await until(text, "I receive teh mail.");
    await press("z", [CONTROL]);
    await until(text, "I recieve teh mail.");
  }
  console.log("corrected and undone in an editable element and a text area");
}

try {
  await run();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  socket.close();
  firefox.kill();
  await left;
  rmSync(profile, { recursive: true, force: true });
}
