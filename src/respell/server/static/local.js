// Takes the place of api.js in a page without a server: a worker of this page checks the texts.

import { Client } from "./engine/client.js";
import { ApiError } from "./error.js";

const INSTALL_MS = 60_000; // for the small files of the page
const at = (path) => new URL(path, document.baseURI).href;
const FIRST = "This is teh first sentence.";
const STEP = 10; // percent: a screen reader reads every change
let opening = null;
let failed = false; // then only the user starts another download

/** The worker with the model, which is loaded once. */
function open(onProgress = () => {}) {
  opening ??= start(onProgress);
  return opening;
}

async function start(show) {
  const cached = !failed; // a file in the cache may be damaged
  failed = false;
  await controlled();
  const worker = new Worker(at("static/engine/worker.js"), { type: "module" });
  const client = new Client(worker);
  const places = { model: at("model"), data: at("data"), wasm: at("static/engine/ort.wasm") };
  try {
    const page = await settings();
    const onProgress = (bytes) => {
      const share = Math.min(bytes / page.bytes, 1);
      show(`Loading the model: ${STEP * Math.floor((100 / STEP) * share)} %`);
    };
    const model = await client.call("load", [{ ...places, packed: true, cached }], { onProgress });
    worker.addEventListener("error", () => {
      opening = null;
    });
    // Load what documents need, too, so that it is there without a network. The first sentence
    // takes long, because the browser compiles the engine meanwhile.
    client.call("checkDocument", [[FIRST], {}, "utf16"]).catch(() => {}); // it is tried again when needed
    return { client, info: { ...model, version: page.version } };
  } catch (error) {
    worker.terminate();
    failed = true;
    throw new ApiError(`The model cannot be used: ${error.message}. Your text is still here.`);
  }
}

/** What `respell page` has written about the page. */
async function settings() {
  try {
    return await (await fetch(at("page.json"))).json();
  } catch {
    throw new Error("page.json: could not be loaded; is there a connection?");
  }
}

/** Wait for the service worker, which keeps the files that are loaded from now on. */
async function controlled() {
  const workers = navigator.serviceWorker; // missing without https
  if (!workers || workers.controller) return;
  try {
    const registration = await workers.register(at("sw.js"));
    const installing = registration.installing ?? registration.waiting;
    if (installing) await Promise.race([taken(workers), given(installing), late()]);
  } catch {
    // The browser refuses: the page works, but not offline.
  }
}

function taken(workers) {
  return new Promise((resolve) => {
    workers.addEventListener("controllerchange", resolve, { once: true });
  });
}

/** The service worker has given up. */
function given(worker) {
  return new Promise((resolve) => {
    const look = () => worker.state === "redundant" && resolve();
    worker.addEventListener("statechange", look);
    look();
  });
}

function late() {
  return new Promise((resolve) => {
    setTimeout(resolve, INSTALL_MS);
  });
}

async function ask(name, given, signal) {
  const { client } = await open();
  try {
    return await client.call(name, given, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(`The text could not be checked: ${error.message}`, { status: 400 });
  }
}

/** The findings of each text, in order. */
export function correct(texts, { document, ...options }, signal) {
  const name = document ? "checkDocument" : "check";
  return ask(name, [texts, { maxSuggestions: 5, ...options }, "utf16"], signal);
}

/** What the model says about the word at an offset. */
export function explain(text, start, signal) {
  return ask("explain", [text, start, 5, "utf16"], signal);
}

/** Name, edition and presets of the model, and the version of the page. */
export async function info(onProgress) {
  if (failed) opening = null;
  return (await open(onProgress)).info;
}
