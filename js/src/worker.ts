/** A worker that checks texts, so that the page never waits. */

import * as runtime from "onnxruntime-web/wasm";
import type { Corrector } from "./corrector.js";
import { load, Offsets, RespellError } from "./index.js";
import type { ReadFile } from "./model/bundle.js";
import type { Calls, Found, Message, Places, Reply, Request, Units } from "./protocol.js";
import type { Correction } from "./types.js";
import { unpackGzip } from "./unpack.js";

type Answers = {
  [N in keyof Calls]: (
    given: Parameters<Calls[N]>,
    signal: AbortSignal,
  ) => Promise<ReturnType<Calls[N]>>;
};

const REPORT_BYTES = 1 << 20;

let loaded: Promise<Corrector> | undefined;
const running = new Map<number, AbortController>();
let received = 0;
let report: (bytes: number) => void = () => {};

const answers: Answers = {
  async load([places]) {
    loaded = open(places);
    const { config, lexicon } = (await loaded).bundle;
    const { name, edition, presets } = config;
    return { name, edition, presets, lexicon: lexicon.size };
  },
  async check([texts, options, units], signal) {
    const corrector = await ready();
    const corrections = await corrector.checkMany(texts, { ...options, signal });
    return found(corrector, texts, options, units, corrections);
  },
  async checkDocument([texts, options, units], signal) {
    const corrector = await ready();
    const corrections = await corrector.checkParts(texts, { ...options, signal });
    return found(corrector, texts, options, units, corrections);
  },
  async explain([text, start, maxCandidates, units]) {
    const offsets = offsetsIn(text, units);
    const corrector = await ready();
    const answer = await corrector.explain(text, offsets.toCodePoints(start), { maxCandidates });
    return { ...answer, ...placed(answer, offsets) };
  },
};

function ready(): Promise<Corrector> {
  if (!loaded) throw new RespellError("the model has not been loaded");
  return loaded;
}

async function open({ model, data, wasm, packed = false, cached = true }: Places) {
  const files = (folder: string) => reader(folder, packed, cached ? "default" : "reload");
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmBinary = await files("")(wasm);
  const folders = { model: files(`${model}/`), data: files(`${data}/`) };
  const corrector = await load({ ...folders, runtime });
  delete runtime.env.wasm.wasmBinary; // compiled by now
  return corrector;
}

type Converter = Pick<Offsets, "toUtf16" | "toCodePoints">;

function offsetsIn(text: string, units: Units): Converter {
  const same = (offset: number) => offset;
  return units === "utf16" ? new Offsets(text) : { toUtf16: same, toCodePoints: same };
}

function placed({ start, end }: { start: number; end: number }, offsets: Converter) {
  return { start: offsets.toUtf16(start), end: offsets.toUtf16(end) };
}

function found(
  corrector: Corrector,
  texts: readonly string[],
  { format: _, ...options }: Parameters<Calls["check"]>[1],
  units: Units,
  corrections: readonly Correction[][],
): Found[][] {
  const same = corrector.with(options);
  return corrections.map((all, i) => {
    const offsets = offsetsIn(texts[i]!, units);
    return all.map((one) => ({
      ...one,
      ...placed(one, offsets),
      automatic: same.isAutomatic(one),
    }));
  });
}

/** Reads the files of a folder. */
function reader(folder: string, packed: boolean, cache: RequestCache): ReadFile {
  return async (name) => {
    const compressed = packed && !name.endsWith(".json");
    const path = folder + name + (compressed && !name.endsWith(".gz") ? ".gz" : "");
    const content = await download(path, cache);
    if (!compressed || name.endsWith(".gz")) return content;
    try {
      return await unpackGzip(content);
    } catch (error) {
      throw new RespellError(`${shown(path)}: ${(error as Error).message}`);
    }
  };
}

async function download(path: string, cache: RequestCache): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let status = 0;
  try {
    const response = await fetch(path, { cache });
    const body = response.body!.getReader();
    if (!response.ok) status = response.status;
    for (let next = await body.read(); !status && !next.done; next = await body.read()) {
      pieces.push(next.value);
      count(next.value.length);
    }
  } catch {
    throw new RespellError(`${shown(path)}: could not be loaded; is there a connection?`);
  }
  if (status) throw new RespellError(`${shown(path)}: missing (status ${status})`);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** The address without the host. */
function shown(path: string): string {
  return new URL(path, location.href).pathname;
}

/** Tell the page now and then how many bytes have arrived. */
function count(bytes: number): void {
  const before = Math.floor(received / REPORT_BYTES);
  received += bytes;
  if (Math.floor(received / REPORT_BYTES) > before) report(received);
}

async function answer({ id, name, given }: Request): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  if (name === "load") report = (bytes) => post({ id, received: bytes });
  try {
    const act = answers[name] as (given: unknown, signal: AbortSignal) => Promise<unknown>;
    post({ id, answer: await act(given, controller.signal) });
  } catch (error) {
    post({ id, error: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

function post(reply: Reply): void {
  postMessage(reply);
}

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if ("cancel" in data) running.get(data.id)?.abort();
  else void answer(data);
});
