// Takes the place of api.js in a page without a server: a worker of this page checks the texts.

import { Client } from "./engine/client.js";
import { ApiError } from "./error.js";

const CONTROL_MS = 4_000;
const CACHES = "respell "; // the names of our caches begin so; see offline.js
const at = (path) => new URL(path, document.baseURI).href;
let opening = null;
let cached = true; // whether files may come from a cache

/** The worker with the model, which is loaded once. */
function open() {
  opening ??= start().catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function start() {
  await controlled();
  const page = await (await fetch(at("page.json"))).json();
  const worker = new Worker(at("static/engine/worker.js"), { type: "module" });
  const client = new Client(worker);
  const places = { model: at("model"), data: at("data"), wasm: at("static/engine/ort.wasm") };
  try {
    const model = await client.call("load", [{ ...places, packed: true, cached }], (bytes) => {
      const share = Math.min(99, Math.round((100 * bytes) / page.bytes));
      document.getElementById("about").textContent = `Loading the model: ${share} %`;
    });
    worker.addEventListener("error", () => {
      opening = null;
    });
    return { client, info: { ...model, version: page.version } };
  } catch (error) {
    worker.terminate();
    cached = false;
    await forget();
    document.getElementById("about").textContent = "";
    throw new ApiError(`The model cannot be used: ${error.message}. Your text is still here.`);
  }
}

/** Wait for the service worker, which keeps the files that are loaded from now on. */
async function controlled() {
  const workers = navigator.serviceWorker; // missing without https
  if (!workers || workers.controller) return;
  const taken = new Promise((resolve) => {
    workers.addEventListener("controllerchange", resolve, { once: true });
  });
  const late = new Promise((resolve) => {
    setTimeout(resolve, CONTROL_MS);
  });
  await workers.register(at("sw.js")).then(
    () => Promise.race([taken, late]),
    () => {}, // the browser refuses: the page works, but not offline
  );
}

/** Forget stored files, one of which is damaged. */
async function forget() {
  if (!globalThis.caches) return;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(CACHES)).map((name) => caches.delete(name)));
}

async function ask(name, given, signal) {
  const { client } = await open();
  signal?.throwIfAborted();
  try {
    const answer = await client.call(name, given);
    signal?.throwIfAborted();
    return answer;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(`The text could not be checked: ${error.message}`, { status: 400 });
  }
}

/** The findings of each text, in order. */
export function correct(texts, options, signal) {
  return ask("check", [texts, { maxSuggestions: 5, ...options }, "utf16"], signal);
}

/** What the model says about the word at an offset. */
export function explain(text, start, signal) {
  return ask("explain", [text, start, 5, "utf16"], signal);
}

/** Name, edition and presets of the model, and the version of the page. */
export async function info() {
  return (await open()).info;
}
