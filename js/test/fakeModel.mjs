// A model that gives the answers that Python has written down, as an onnxruntime would.

import { Encode, Forward } from "../dist/generated/model.js";

const { CHAR_UNKNOWN, FIRST_CHARACTER, WIDTH, WORD_OFFSET, WORD_PAD } = Encode;
const RANKED = 4;
const NEVER = -1000; // the bias of words that are never meant

class Tensor {
  constructor(type, data, dims) {
    Object.assign(this, { type, data, dims });
  }
}

/** An onnxruntime with this one model; `asked` collects what it is asked. */
export function fakeRuntime({ lexicon, config, composes, answers }, asked = new Set()) {
  const letters = new Map([...config.characters].map((c, i) => [i + FIRST_CHARACTER, c]));
  letters.set(CHAR_UNKNOWN, "?");
  const spelled = (row) => Array.from(row, (number) => letters.get(Number(number)) ?? "").join("");
  const known = new Set(lexicon);

  const rank = ({ words, shapes, slots, spellings, new_words, gate }) => {
    const rows = rowsOf(spellings).map(spelled);
    const beside = (new_words ? rowsOf(new_words) : []).filter((row) => row.at(-1) > NEVER);
    const named = beside.map((row) => `${spelled(row.subarray(0, -1))} ${row.at(-1).toFixed(4)}`);
    const [, length] = words.dims;
    const keep = new Float32Array(words.data.length).fill(1);
    const ranked = [];
    rowsOf(words).forEach((row, i) => {
      const [own, form] = [rowsOf(slots)[i], rowsOf(shapes)[i]];
      const read = [...row].filter((number) => number !== BigInt(WORD_PAD)).map((number, j) =>
        own[j] ? rows[Number(own[j])] : (lexicon[Number(number) - WORD_OFFSET] ?? ""),
      );
      if (read.join("") === "") return; // something to rank, see session.ts
      const cases = form.slice(0, read.length).join("");
      const least = gate.data[0].toFixed(6);
      const question = [read.join(" "), cases, least, ...named].join("|");
      const answer = answers[question];
      if (!answer) throw new Error(`Python does not ask: ${question}`);
      asked.add(question);
      for (const [j, found] of Object.entries(answer)) {
        const at = i * length + Number(j);
        keep[at] = 1 - found[0];
        const isNew = named.length > 0 && !known.has(read[j]);
        if (isNew || found[0] >= gate.data[0]) ranked.push([at, found]);
      }
    });
    const ints = (values, dims) => new Tensor("int64", BigInt64Array.from(values, BigInt), dims);
    const floats = (values, dims) => new Tensor("float32", Float32Array.from(values), dims);
    const column = (k) => ranked.flatMap(([, found]) => found[k]);
    const size = ranked.length;
    return {
      keep: floats(keep, words.dims),
      positions: ints(ranked.map(([position]) => position), [size]),
      ids: ints(column(1), [size, RANKED]),
      probabilities: floats(column(2), [size, RANKED]),
      cases: ints(column(3), [size]),
      kinds: floats(column(4), [size, Forward.KINDS]),
    };
  };

  /** The numbers of the characters, and no bias. */
  const compose = ({ spellings }) => {
    const rows = rowsOf(spellings);
    const data = new Float32Array(rows.length * (WIDTH + 1));
    rows.forEach((row, i) => data.set(Array.from(row, Number), i * (WIDTH + 1)));
    return { composed: new Tensor("float32", data, [rows.length, WIDTH + 1]) };
  };

  const shapes = { spellings: ["rows", "width"], new_words: ["new", WIDTH + 1] };
  const inputs = ["words", "shapes", "slots", "spellings", "gate", ...(composes ? ["new_words"] : [])];
  const outputs = ["keep", "positions", "ids", "probabilities", "cases"];
  if (config.spacing) outputs.push("kinds");
  const session = {
    inputMetadata: inputs.map((name) => ({ name, isTensor: true, shape: shapes[name] ?? [] })),
    outputNames: composes ? [...outputs, "composed"] : outputs,
    async run(feeds, wanted) {
      const all = wanted.includes("composed") ? compose(feeds) : rank(feeds);
      return Object.fromEntries(wanted.map((name) => [name, all[name]]));
    },
  };
  return { Tensor, InferenceSession: { create: async () => session } };
}

/** The rows of a table. */
function rowsOf({ data, dims: [count, width] }) {
  return Array.from({ length: count }, (_, i) => data.subarray(i * width, (i + 1) * width));
}
