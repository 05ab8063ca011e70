/** Run an ONNX model. The caller brings onnxruntime-web, as Node and browsers have their own. */

import type * as Ort from "onnxruntime-web";
import { Encode, Forward as Tables, Session } from "../generated/model.js";
import { RespellError } from "../types.js";
import { UserWordScorer } from "./compose.js";
import type { Features, Floats, Forward, Ints, TopK } from "./forward.js";

type Runtime = typeof Ort;
type Tensor = Ints | Floats;
type Values = Record<string, Tensor>;

const { INPUTS, OUTPUTS, NEW_WORDS, COMPOSED, CLASSES, KINDS } = Session;
const { CHAR_PAD, WORD_UNKNOWN } = Encode;
const { KINDS: NUMBER_OF_KINDS } = Tables;

/** Inputs with one number for each word. */
const WORD_TABLES = new Set(["words", "shapes", "slots", CLASSES]);
const NEVER = -1e4; // the logit of a word that is never likely

/** Load a model from its bytes. */
export async function openSession(
  runtime: Runtime,
  model: Uint8Array,
  name: string,
): Promise<Forward> {
  const options = {
    executionProviders: ["wasm"],
    logSeverityLevel: 3 as const,
    // Weights stored in 8 bits are converted once, when loading.
    extra: { session: { disable_quant_qdq: "1" } },
  };
  let session: Ort.InferenceSession;
  try {
    session = await runtime.InferenceSession.create(model, options);
  } catch (error) {
    throw new RespellError(`${name}: onnxruntime cannot load it (${line(error)})`);
  }
  const takes = new Map(session.inputMetadata.map((input) => [input.name, input]));
  checkInterface(name, [...takes.keys()], session.outputNames);
  const outputs = [...OUTPUTS, KINDS].filter((output) => session.outputNames.includes(output));

  let last: Promise<unknown> = Promise.resolve();
  /** Run the model after the runs that were asked for before: a session runs one at a time. */
  const run = (outputs: readonly string[], values: Values): Promise<Values> => {
    const known = Object.entries(values).filter(([input]) => takes.has(input));
    const feeds = Object.fromEntries(known.map(([key, value]) => [key, tensor(runtime, value)]));
    const answer = last.then(async () => {
      try {
        return (await session.run(feeds, outputs)) as unknown as Values;
      } catch (error) {
        throw new RespellError(`${name}: onnxruntime cannot run it (${line(error)})`);
      }
    });
    last = answer.catch(() => {});
    return answer;
  };
  const width = newWordWidth(name, takes.get(NEW_WORDS));
  const short = typeof dimension(takes.get("spellings"), 1) === "string"; // accepts any width

  const values = (features: Features, gate: number): Values => ({
    new_words: { data: new Float32Array(), dims: [0, width] },
    ...features,
    spellings: short ? trimmed(features.spellings) : features.spellings,
    gate: { data: Float32Array.of(gate), dims: [] },
  });
  const rank = async (features: Features, gate: number): Promise<TopK> => {
    if (takes.has(CLASSES) && !features.classes) {
      throw new RespellError(`${name}: needs the classes of words, but the model folder has none`);
    }
    const given = width ? withSuspect(features, width) : features;
    const answer = (await run(outputs, values(given, gate))) as unknown as TopK;
    const topk = given === features ? answer : withoutSuspect(answer, features);
    if (!fits(topk, features)) {
      throw new RespellError(`${name}: its output has wrong shapes or values`);
    }
    return topk;
  };
  const compose = async (spellings: Ints): Promise<Floats> => {
    const one = (value: number) => ({ data: BigInt64Array.of(BigInt(value)), dims: [1, 1] });
    const [words, zero] = [one(WORD_UNKNOWN), one(0)];
    const word = { words, shapes: zero, slots: zero, classes: zero, spellings };
    const features = withSuspect(word, width);
    const found = (await run([COMPOSED], values(features, 1)))[COMPOSED] as Floats;
    if (found.dims[0] !== spellings.dims[0] || found.dims[1] !== width) {
      throw new RespellError(`${name}: composes words of wrong shapes`);
    }
    return found;
  };
  return width ? new UserWordScorer(rank, compose) : { rank };
}

function tensor(runtime: Runtime, { data, dims }: Tensor): Ort.Tensor {
  return data instanceof BigInt64Array
    ? new runtime.Tensor("int64", data, dims)
    : new runtime.Tensor("float32", data, dims);
}

function dimension(
  input: Ort.InferenceSession.ValueMetadata | undefined,
  axis: number,
): number | string | undefined {
  return input?.isTensor ? input.shape[axis] : undefined;
}

/** The width of the rows of `new_words`; 0 if the model does not take them. */
function newWordWidth(name: string, input?: Ort.InferenceSession.ValueMetadata): number {
  if (!input) return 0;
  const width = dimension(input, 1);
  if (typeof width === "number") return width;
  throw new RespellError(`${name}: takes ${NEW_WORDS} without a fixed width`);
}

function checkInterface(name: string, takes: readonly string[], gives: readonly string[]): void {
  const missing = OUTPUTS.filter((output) => !gives.includes(output));
  if (missing.length) throw new RespellError(`${name}: lacks the outputs ${missing.join(", ")}`);
  const unknown = takes.filter((input) => !INPUTS.includes(input));
  if (unknown.length) {
    throw new RespellError(`${name}: needs unknown inputs ${unknown.join(", ")}`);
  }
  if (takes.includes(NEW_WORDS) && !gives.includes(COMPOSED)) {
    throw new RespellError(`${name}: takes ${NEW_WORDS}, but lacks the output ${COMPOSED}`);
  }
}

/** The columns in which some spelling has a character. */
function trimmed({ data, dims }: Ints): Ints {
  const [rows, width] = dims as [number, number];
  let used = 1;
  data.forEach((id, i) => {
    if (id !== BigInt(CHAR_PAD)) used = Math.max(used, (i % width) + 1);
  });
  const short = new BigInt64Array(rows * used);
  for (let row = 0; row < rows; row += 1) {
    short.set(data.subarray(row * width, row * width + used), row * used);
  }
  return { data: short, dims: [rows, used] };
}

/**
 * The same features, and something to rank: onnxruntime's WebAssembly divides by zero if no word is
 * ranked. Models that are exported now always rank one; older ones, such as the one in the package,
 * do not. A word outside the lexicon is always ranked if there are new words. So the batch gets a
 * new word that is never likely and a row with an unknown word, if it has none.
 */
function withSuspect(features: Features, width: number): Features {
  const never = new Float32Array(width);
  never[width - 1] = NEVER;
  const new_words = features.new_words ?? { data: never, dims: [1, width] };
  if (features.words.data.includes(BigInt(WORD_UNKNOWN))) return { ...features, new_words };
  const [rows, length] = features.words.dims as [number, number];
  const longer = (name: string, table: Ints): Ints => {
    const data = new BigInt64Array((rows + 1) * length);
    data.set(table.data);
    if (name === "words") data[rows * length] = BigInt(WORD_UNKNOWN);
    return { data, dims: [rows + 1, length] };
  };
  const tables = Object.entries(features).filter(([name]) => WORD_TABLES.has(name));
  const more = tables.map(([name, table]) => [name, longer(name, table as Ints)]);
  return { ...features, ...(Object.fromEntries(more) as object), new_words };
}

/** A ranking without the row that was added; other models may have added none. */
function withoutSuspect(topk: TopK, { words }: Features): TopK {
  const { keep, ...ranked } = topk;
  const size = words.data.length;
  const suspects = topk.positions.data.filter((place) => place < size).length; // in order
  const cut = <T extends Tensor>({ data, dims: [count, ...dims] }: T) => ({
    data: data.subarray(0, count ? (data.length / count) * suspects : 0),
    dims: [suspects, ...dims],
  });
  const rest = Object.entries(ranked).map(([name, value]) => [name, cut(value)]);
  return {
    keep: { data: keep.data.subarray(0, size), dims: words.dims },
    ...(Object.fromEntries(rest) as Omit<TopK, "keep">),
  };
}

/** Whether an output fits its input. */
function fits(topk: TopK, features: Features): boolean {
  const { keep, positions, ids, probabilities, cases, kinds } = topk;
  const suspects = positions.data.length;
  const ranked = ids.dims[0] === suspects && probabilities.data.length === ids.data.length;
  if (keep.data.length !== features.words.data.length || !ranked) return false;
  if (kinds && kinds.data.length !== suspects * NUMBER_OF_KINDS) return false;
  const inside = positions.data.every((place) => place >= 0n && place < keep.data.length);
  const likely = probabilities.data.every((p) => p >= 0 && p <= Session.MAX_PROBABILITY);
  return inside && likely && cases.data.length === suspects;
}

function line(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split(/\s+/).join(" ");
}
