/**
 * A bundle: a model folder with config.json, lexicon.txt and model.onnx. It may also have
 * truecase.txt, the usual capitals of words, and vocabulary.gz, valid words outside the lexicon.
 */

import { Bundle as Tables, PRESET, Version } from "../generated/model.js";
import { RespellError } from "../types.js";
import type { Casing } from "./encode.js";
import { Lexicon, readLines } from "./lexicon.js";
import { Vocabulary } from "./vocabulary.js";

export interface Preset {
  readonly threshold: number;
  /** Whether `threshold` is about the score or the error probability. */
  readonly threshold_on: "score" | "error_probability";
  readonly fix_threshold: number;
  /** The least score of a correction that is written into a file without asking. */
  readonly write_threshold: number;
  readonly oov_threshold: number;
  readonly name_threshold: number;
  /** The least score of a correction that adds or removes a blank. */
  readonly spacing_threshold: number;
  readonly mode: "light" | "noisy";
  readonly rewrite_threshold: number;
  readonly dictionary_bias: number;
  /** Added to the logits of valid words outside the lexicon; null: they are not suggested. */
  readonly vocabulary_bias: number | null;
}

/** The contents of config.json. */
export interface Config {
  readonly format: number;
  readonly name: string;
  readonly edition: number;
  readonly casing: Casing;
  readonly keep: boolean;
  readonly spell_oov_only: boolean;
  readonly noise_flag: boolean;
  readonly characters: string;
  readonly length: number;
  readonly presets: Readonly<Record<string, Preset>>;
  readonly sha256: Readonly<Record<string, string>>;
  /** Whether the model finds missing and extra blanks. */
  readonly spacing?: boolean;
}

/** Reads a file of a folder. Throws an error with a readable message if it cannot. */
export type ReadFile = (name: string) => Promise<Uint8Array<ArrayBuffer>>;

const { CONFIG } = Version;
const { LEXICON, MODEL, TRUECASE, VOCABULARY } = Tables;

/** A model folder that has been read and checked. */
export class Bundle {
  private constructor(
    readonly config: Config,
    readonly lexicon: Lexicon,
    /** Words with capitals of their own: lower case -> usual case. */
    readonly truecase: ReadonlyMap<string, string>,
    /** Valid words outside the lexicon, for models that read their classes. */
    readonly vocabulary: Vocabulary | undefined,
  ) {}

  /**
   * Read a folder, and the bytes of its ONNX file. Throws if it is incomplete or a file does not
   * match its hash.
   */
  static async read(readFile: ReadFile): Promise<[Bundle, Uint8Array<ArrayBuffer>]> {
    const config = parse(await readFile(CONFIG));
    const checked = async (name: string) => {
      const content = await readFile(name);
      const hash = await sha256(content);
      if (hash !== undefined && hash !== config.sha256[name]) {
        throw new RespellError(`${name}: damaged, its SHA-256 differs from ${CONFIG}`);
      }
      return content;
    };
    const optional = (name: string) => (name in config.sha256 ? checked(name) : undefined);
    const [words, model, usual, valid] = await Promise.all([
      checked(LEXICON),
      checked(MODEL),
      optional(TRUECASE),
      optional(VOCABULARY),
    ]);
    const lexicon = new Lexicon(readLines(words, LEXICON));
    const truecase = usual ? readLines(usual, TRUECASE) : [];
    const byLower = new Map(truecase.map((word) => [word.toLowerCase(), word]));
    const vocabulary = valid && (await Vocabulary.read(valid, VOCABULARY));
    return [new Bundle(config, lexicon, byLower, vocabulary), model];
  }

  /** The preset of this name. */
  preset(name: string): Preset {
    const found = Object.hasOwn(this.config.presets, name) && this.config.presets[name];
    if (found) return { ...(PRESET as typeof PRESET & Pick<Preset, "mode">), ...found };
    const known = Object.keys(this.config.presets).join(", ");
    throw new RespellError(`no preset "${name}" in this model; it has ${known}`);
  }
}

function parse(content: Uint8Array): Config {
  let raw: Config;
  try {
    raw = JSON.parse(new TextDecoder().decode(content)) as Config;
  } catch {
    throw new RespellError(`${CONFIG}: not readable as JSON`);
  }
  if (raw?.format !== Tables.FORMAT) {
    throw new RespellError(`${CONFIG}: not a model of format ${Tables.FORMAT}`);
  }
  if (!raw.presets?.["default"] || typeof raw.characters !== "string" || !(raw.length >= 1)) {
    throw new RespellError(`${CONFIG}: keys are missing; is it a respell model?`);
  }
  return raw;
}

/** SHA-256 in hexadecimal; undefined where the browser has no cryptography (without https). */
async function sha256(content: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
