/** For Node: load a model from a folder. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as runtime from "onnxruntime-web";
import { type Corrector, load as loadWith, type Options, RespellError } from "./index.js";

export * from "./index.js";

const DATA = fileURLToPath(new URL("data", import.meta.url));

/** Load the model in a folder. */
export async function load({
  model,
  ...options
}: Options & { readonly model: string }): Promise<Corrector> {
  if (typeof model !== "string") throw new RespellError("model must be the path of a model folder");
  runtime.env.wasm.numThreads = 1;
  const files = (name: string) => read(join(model, name));
  return loadWith({ ...options, runtime, model: files, data: (name) => read(join(DATA, name)) });
}

async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw new RespellError(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
