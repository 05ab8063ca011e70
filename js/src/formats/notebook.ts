/** Jupyter notebooks: show only the text of Markdown cells, at its place in the JSON file. */

import { Notebook as Tables } from "../generated/formats.js";
import { SCANNERS } from "../generated/grammars.js";
import { endOf } from "../pattern.js";
import { isSpace, length, Offsets } from "../text/characters.js";
import { FILLER, hide, Scanner, type Step } from "./scanner.js";

type Path = (string | null)[]; // the key in each open object, null for arrays

const CHARACTERS = new Map(Object.entries(Tables.CHARACTERS));
const CELL: Path = ["cells", null];
const CELL_TYPE: Path = [...CELL, "cell_type"];
const SOURCE: Path[] = [[...CELL, "source"], [...CELL, "source", null]];

/** A part of a string: an escape, which stands for one character, or text without escapes. */
interface Piece {
  readonly start: number;
  readonly raw: string;
  readonly text: string;
  readonly isEscape: boolean;
}

/** Hides a notebook except the text of its Markdown cells, across the blocks of a file. */
export class NotebookCells implements Step {
  #path: Path = [];
  #value = false; // a value comes next, not a key
  #string: string | undefined; // the start of the open string
  #escaped = false; // the last block ended with a backslash
  #markdown = false; // in a Markdown cell
  #masks: readonly Step[] = []; // for the text of the open cell
  #pieces: Piece[] = []; // the text of the open cell in this block

  constructor(private readonly openCell: () => Step) {}

  mask(text: string): string {
    const shown = text.split("");
    // A wide character has two units; hidden, it takes the place of the first.
    for (const { index, 0: c } of text.matchAll(/[^]/gv)) {
      shown[index] = hide(c);
      if (c.length > 1) shown[index + 1] = "";
    }
    let at = 0;
    while (at < text.length) {
      at = this.#string === undefined ? this.#outside(text, at, shown) : this.#within(text, at, shown);
    }
    this.#show(text, shown);
    return shown.join("");
  }

  /** Read on to the next mark that is not in a string. */
  #outside(text: string, at: number, shown: string[]): number {
    const found = Tables.SYNTAX.search(text, at);
    if (!found) return text.length;
    const mark = found[0];
    if ('",'.includes(mark) && this.#inSource()) shown[found.index] = " ";
    if (mark === '"') {
      this.#string = "";
    } else if (mark === ":" || mark === ",") {
      this.#value = mark === ":";
    } else if (mark === "[" || mark === "{") {
      this.#path.push(mark === "[" ? null : "");
      this.#value = false;
    } else {
      this.#path.pop();
      if (same(this.#path, CELL)) {
        this.#show(text, shown);
        this.#markdown = false;
        this.#masks = [];
      }
    }
    return endOf(found);
  }

  /** Read on to the end of a string. */
  #within(text: string, at: number, shown: string[]): number {
    if (this.#escaped) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    const found = Tables.CONTENT.match(text, at);
    const end = found ? endOf(found) : at;
    const content = text.slice(at, end);
    const source = this.#inSource();
    if (source) {
      for (const piece of Tables.PIECE.finditer(content)) {
        this.#pieces.push(pieceOf(at + piece.index, piece[0]));
      }
    }
    const start = (this.#string ?? "") + content;
    this.#string = [...start.slice(0, 2 * Tables.LONGEST_KEY)].slice(0, Tables.LONGEST_KEY).join("");
    this.#escaped = text[end] === "\\";
    if (text[end] === '"') {
      shown[end] = source ? " " : FILLER;
      this.#endString(this.#string);
    }
    return end + 1;
  }

  #endString(content: string): void {
    this.#string = undefined;
    if (same(this.#path, CELL_TYPE) && this.#value) {
      this.#markdown = content === "markdown";
    } else if (this.#path.length && this.#path.at(-1) !== null && !this.#value) {
      this.#path[this.#path.length - 1] = content;
    }
  }

  /** Whether a string at this place is the text of a Markdown cell. */
  #inSource(): boolean {
    const inArray = this.#path.at(-1) === null;
    const isSource = SOURCE.some((path) => same(this.#path, path));
    return this.#markdown && isSource && (inArray || this.#value);
  }

  /** Show the prose of the open cell that is in this block. */
  #show(text: string, shown: string[]): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    if (pieces.length && !this.#masks.length) {
      this.#masks = [new Scanner(SCANNERS["formulas"]!), this.openCell()];
    }
    let masked = pieces.map((piece) => piece.text).join("");
    for (const step of this.#masks) masked = step.mask(masked);
    const characters = [...hideEscapedWords(masked, pieces)];
    let at = 0;
    for (const piece of pieces) {
      const { start, raw } = piece;
      const count = length(piece.text);
      let written = characters.slice(at, at + count).join("");
      if (piece.isEscape) {
        const lineEnd = Tables.LINE_END.match(text, start + raw.length) ? "" : "\n";
        written = fill(piece, written, lineEnd);
      }
      shown.fill("", start, start + raw.length);
      shown[start] = written;
      at += count;
    }
  }
}

function pieceOf(start: number, raw: string): Piece {
  const isEscape = raw.startsWith("\\");
  return { start, raw, isEscape, text: isEscape ? escaped(raw) : raw };
}

/** The character that an escape stands for. */
function escaped(raw: string): string {
  if (length(raw) === 6) {
    const code = Number.parseInt(raw.slice(2), 16);
    if (!(code >= 0xd800 && code <= 0xdfff)) return String.fromCharCode(code);
  }
  return CHARACTERS.get(raw.slice(1)) ?? FILLER;
}

/** Hide words that contain escapes: their spelling in the file differs from the word. */
function hideEscapedWords(masked: string, pieces: readonly Piece[]): string {
  const escapes: number[] = [];
  let at = 0;
  for (const piece of pieces) {
    if (piece.isEscape) escapes.push(at);
    at += length(piece.text);
  }
  const offsets = new Offsets(masked);
  let next = 0;
  return Tables.WORD.sub(masked, (word) => {
    const start = offsets.toCodePoints(word.index);
    const end = offsets.toCodePoints(endOf(word));
    while (next < escapes.length && escapes[next]! < start) next += 1;
    return next < escapes.length && escapes[next]! < end ? hide(word[0]) : word[0];
  });
}

/** The masked character that an escape stands for, padded to the length of the escape. */
function fill({ raw }: Piece, character: string, lineEnd: string): string {
  const size = length(raw);
  if (character === "\n") return lineEnd.padStart(size);
  if (isSpace(character)) return " ".repeat(size);
  const fits = size === 2 && character !== FILLER;
  return fits ? ` ${character}` : FILLER.repeat(size);
}

function same(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, i) => key === other[i]);
}
