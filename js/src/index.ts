/** Context-aware English spelling correction: load a model and check texts. */

import type * as Ort from "onnxruntime-web";
import { Corrector } from "./corrector.js";
import { Data } from "./decision/data.js";
import { Bundle, type ReadFile } from "./model/bundle.js";
import { openSession } from "./model/session.js";
import { merge, type Options } from "./options.js";

export { Corrector, type CheckOptions } from "./corrector.js";
export { FORMATS, formatInEditor, formatOf, ignoreComment } from "./formats/languages.js";
export type { ReadFile } from "./model/bundle.js";
export type { Options } from "./options.js";
export { apply } from "./text/apply.js";
export { Offsets } from "./text/characters.js";
export * from "./types.js";

/** What to load, and with what. */
export interface LoadOptions extends Options {
  /** Reads the files of the model. */
  readonly model: ReadFile;
  /** Reads the tables of variants and words, which documents need. */
  readonly data: ReadFile;
  /** onnxruntime-web; Node and browsers have their own builds of it. */
  readonly runtime: typeof Ort;
}

/** Load a model. */
export async function load({
  model,
  data,
  runtime,
  ...options
}: LoadOptions): Promise<Corrector> {
  const settings = merge(options);
  const [bundle, content] = await Bundle.read(model);
  const forward = await openSession(runtime, content, "model.onnx");
  return new Corrector({ bundle, forward, data: new Data(data) }, settings);
}
