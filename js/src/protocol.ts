/** The messages between a page and the worker that checks its texts. */

import type { CheckOptions as AllOptions } from "./corrector.js";
import type { Correction, Explanation } from "./types.js";

/** Where the worker finds its files; relative addresses count from the worker. */
export interface Places {
  /** The folder of the model. */
  readonly model: string;
  /** The folder of the tables of variants and words. */
  readonly data: string;
  /** The WebAssembly file of onnxruntime-web. */
  readonly wasm: string;
  /** Whether all files but config.json are compressed, with ".gz" after their names. */
  readonly packed?: boolean;
  /** Whether the browser may take the files from its cache; not if one of them was damaged. */
  readonly cached?: boolean;
}

/** The options of a check, without those that cannot be sent. */
export type CheckOptions = Omit<AllOptions, "signal">;

export type Units = "codepoint" | "utf16";

/** A correction, and whether it is sure enough to be written without asking. */
export interface Found extends Correction {
  readonly automatic: boolean;
}

/** The model and what it offers. */
export interface Info {
  readonly name: string;
  readonly edition: number;
  readonly lexicon: number;
  readonly presets: Readonly<Record<string, { readonly threshold: number }>>;
}

/** What a page can ask for, and the answers. */
export interface Calls {
  load(places: Places): Info;
  check(texts: readonly string[], options: CheckOptions, units: Units): Found[][];
  /** The texts are the parts of one document. */
  checkDocument(texts: readonly string[], options: CheckOptions, units: Units): Found[][];
  explain(text: string, start: number, maxCandidates: number, units: Units): Explanation;
}

export type Name = keyof Calls;

export interface Request<N extends Name = Name> {
  readonly id: number;
  readonly name: N;
  readonly given: Parameters<Calls[N]>;
}

/** What the page sends: a call, or that it no longer wants the answer. */
export type Message = Request | { readonly id: number; readonly cancel: true };

/** What the worker sends. `received` counts the bytes that have arrived; the answer comes later. */
export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly received: number };
