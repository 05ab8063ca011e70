/** A worker that checks texts, so that the page never waits. */

import * as runtime from "onnxruntime-web/wasm";
import type { Corrector } from "./corrector.js";
import { load, Offsets, RespellError } from "./index.js";
import type { ReadFile } from "./model/bundle.js";
import type { Calls, Found, Places, Reply, Request, Units } from "./protocol.js";
import type { Correction } from "./types.js";
import { unpackGzip } from "./unpack.js";

type Answers = {
  [N in keyof Calls]: (...given: Parameters<Calls[N]>) => Promise<ReturnType<Calls[N]>>;
};

const REPORT_BYTES = 1 << 20;

let corrector: Corrector | undefined;
let queue: Promise<unknown> = Promise.resolve();
let received = 0;
let report: (bytes: number) => void = () => {};

const answers: Answers = {
  async load({ model, data, wasm, packed = false, cached = true }: Places) {
    const files = (folder: string) => reader(folder, packed, cached ? "default" : "reload");
    runtime.env.wasm.numThreads = 1;
    runtime.env.wasm.wasmBinary = await files("")(wasm);
    const folders = { model: files(`${model}/`), data: files(`${data}/`) };
    corrector = await load({ ...folders, runtime });
    delete runtime.env.wasm.wasmBinary; // compiled by now
    const { config, lexicon } = corrector.bundle;
    const { name, edition, presets } = config;
    return { name, edition, presets, lexicon: lexicon.size };
  },
  async check(texts, options, units) {
    return texts.length ? found(texts, options, units, await loaded().checkMany(texts, options)) : [];
  },
  async checkDocument(texts, options, units) {
    return found(texts, options, units, await loaded().checkParts(texts, options));
  },
  async explain(text, start, maxCandidates, units) {
    const offsets = offsetsIn(text, units);
    const answer = await loaded().explain(text, offsets.toCodePoints(start), { maxCandidates });
    return { ...answer, ...placed(answer, offsets) };
  },
};

function loaded(): Corrector {
  if (!corrector) throw new RespellError("the model has not been loaded");
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
  texts: readonly string[],
  { format: _, ...options }: Parameters<Calls["check"]>[1],
  units: Units,
  corrections: readonly Correction[][],
): Found[][] {
  const same = loaded().with(options);
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
  let response: Response;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  try {
    response = await fetch(path, { cache });
    if (response.ok && response.body) {
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
        pieces.push(piece);
        count(piece.length);
      }
    }
  } catch {
    throw new RespellError(`${shown(path)}: could not be loaded; is there a connection?`);
  }
  if (!response.ok) throw new RespellError(`${shown(path)}: missing (status ${response.status})`);
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

async function answer({ id, name, given }: Request): Promise<Reply> {
  report = (bytes) => postMessage({ id, received: bytes } satisfies Reply);
  try {
    const act = answers[name] as (...given: unknown[]) => Promise<unknown>;
    return { id, answer: await act(...given) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

// One call after the other, in the order of the messages.
addEventListener("message", ({ data }: MessageEvent<Request>) => {
  queue = queue.then(async () => postMessage(await answer(data)));
});
