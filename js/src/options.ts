/** The options of a corrector: checked and merged here, for every interface. */

import { Options as Tables, PRESETS, VARIANTS } from "./generated/root.js";
import { RespellError } from "./types.js";

/** Whether corrections may add or remove a blank; with "auto", if the model knows about blanks. */
export type Spacing = boolean | "auto";

/** The options that change an answer; what is missing is not set. */
export interface Options {
  readonly preset?: string | undefined;
  /** The least score of a correction; not set, the preset's. */
  readonly threshold?: number | undefined;
  /** The least score of a correction that is written without asking; not set, the preset's. */
  readonly fixThreshold?: number | undefined;
  /** Words that are always accepted, and may be suggested. */
  readonly dictionary?: Iterable<string> | undefined;
  readonly maxSuggestions?: number | undefined;
  /** With "en-GB" or "en-US", the other spelling is reported. */
  readonly variant?: string | undefined;
  /** Whether corrections may add or remove a blank (*alot*, *to gether*). */
  readonly spacing?: Spacing | undefined;
}

/** Options with a value for everything that has a default. */
export interface Settings {
  readonly preset: string;
  readonly threshold: number | undefined;
  readonly fixThreshold: number | undefined;
  readonly dictionary: ReadonlySet<string>;
  readonly maxSuggestions: number;
  readonly variant: string;
  readonly spacing: Spacing;
}

const DEFAULTS: Settings = {
  preset: "default",
  threshold: undefined,
  fixThreshold: undefined,
  dictionary: new Set(),
  maxSuggestions: Tables.MAX_SUGGESTIONS,
  variant: "auto",
  spacing: false,
};

/** Options on top of others. Dictionaries add up; a preset brings its own thresholds. */
export function merge(options: Options, base: Settings = DEFAULTS): Settings {
  checkNames(options);
  const words = wordsOf(options.dictionary ?? []);
  checkOptions(options);
  const own = options.preset !== undefined;
  return {
    preset: options.preset ?? base.preset,
    threshold: options.threshold ?? (own ? undefined : base.threshold),
    fixThreshold: options.fixThreshold ?? (own ? undefined : base.fixThreshold),
    dictionary: new Set([...base.dictionary, ...words]),
    maxSuggestions: options.maxSuggestions ?? base.maxSuggestions,
    variant: options.variant ?? base.variant,
    spacing: options.spacing ?? base.spacing,
  };
}

/** Throw if an option does not exist: a typing error would go unnoticed. */
function checkNames(options: Options): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown === undefined) return;
  throw new RespellError(`no option "${unknown}"; known are ${Object.keys(DEFAULTS).join(", ")}`);
}

/** Throw unless all values are of the right type and in range. */
function checkOptions(options: Options): void {
  const { preset, variant, maxSuggestions, spacing } = options;
  if (preset !== undefined && typeof preset !== "string") {
    throw new RespellError(`preset must be one of ${PRESETS.join(", ")}, not ${String(preset)}`);
  }
  if (variant !== undefined && !VARIANTS.includes(variant)) {
    throw new RespellError(`variant must be one of ${VARIANTS.join(", ")}, not ${variant}`);
  }
  checkThreshold("threshold", options.threshold);
  checkThreshold("fixThreshold", options.fixThreshold);
  if (maxSuggestions !== undefined) checkCount("maxSuggestions", maxSuggestions);
  if (spacing !== undefined && spacing !== "auto" && typeof spacing !== "boolean") {
    throw new RespellError(`spacing must be true, false or "auto", not ${String(spacing)}`);
  }
}

function wordsOf(dictionary: Iterable<string>): string[] {
  if (typeof dictionary !== "string" && Symbol.iterator in Object(dictionary)) {
    const words = [...dictionary];
    if (words.every((word) => typeof word === "string")) return words;
  }
  throw new RespellError("dictionary must be a list of words");
}

function checkThreshold(name: string, value: number | undefined): void {
  if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= 1)) {
    throw new RespellError(`${name} must be a number between 0 and 1, not ${String(value)}`);
  }
}

/** Throw unless a value is a whole number of at least 1. */
export function checkCount(name: string, value: unknown): void {
  if (!(Number.isInteger(value) && (value as number) >= 1)) {
    throw new RespellError(`${name} must be a whole number of at least 1, not ${String(value)}`);
  }
}
