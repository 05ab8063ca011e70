/** Manual pages in roff: hide macros, tags, examples and the synopsis; headings stay. */

import { Man as Tables } from "../generated/formats.js";
import { endOf, type Match } from "../pattern.js";
import { blankOut, hide, linesOf, type Step } from "./scanner.js";

const ENDS = new Map(Object.entries(Tables.ENDS));
const EDGES = /^[ \t\r\n"]+|[ \t\r\n"]+$/g;

export class ManLines implements Step {
  #end: string | undefined; // the macro that ends the open example
  #tag = false; // the next line is the tag of a paragraph, or in another font
  #section = "";
  #names = false; // in the section NAME, before the dash

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    const name = this.#section === "NAME" ? Tables.NAME.match(line) : null;
    const hidden =
      this.#end || this.#tag || this.#section === "SYNOPSIS" || (this.#names && !name);
    this.#names &&= !name;
    const control = Tables.CONTROL.match(line);
    if (control) {
      const { _1, _2 } = control.groups!;
      const macro = _1 || _2 || "";
      const start = endOf(control);
      const end = this.#macro(line, macro, start);
      if (Tables.WORDS.has(macro) && !hidden) return opaqueWords(line, start);
      return hide(line.slice(0, end)) + line.slice(end);
    }
    this.#tag = false;
    if (hidden) return hide(line);
    const end = name ? endOf(name) : 0;
    return hide(line.slice(0, end)) + Tables.ZERO_WIDTH.sub(line.slice(end), fill);
  }

  /** How many characters of a line with a macro are hidden. */
  #macro(line: string, name: string, end: number): number {
    const argument = line.slice(end).replace(EDGES, "");
    if (name === '\\"') return line.length;
    if (name === this.#end || (Tables.HEADINGS.has(name) && this.#end !== ".")) {
      this.#end = undefined;
    }
    if (this.#end === undefined) {
      this.#end = Tables.FILLED.match(line) ? undefined : ENDS.get(name);
      this.#tag = Tables.TAG_FOLLOWS.has(name) || (Tables.FONTS.has(name) && !argument);
      if (name === "SH" || name === "Sh") {
        this.#section = argument.toUpperCase();
        this.#names = this.#section === "NAME";
      }
      if (Tables.PROSE.has(name)) return end;
    }
    return line.length;
  }
}

/**
 * A line with a macro: white space for its name, filler for its arguments.
 * A mark at the end stays, because the sentence needs it.
 */
function opaqueWords(line: string, start: number): string {
  let end = line.replace(/[ \t\r\n]+$/, "").length - 1;
  if (end < start || !Tables.MARKS.has(line[end]!) || line[end - 1] === ".") end = line.length;
  return blankOut(line.slice(0, start)) + hide(line.slice(start, end)) + line.slice(end);
}

/** White space for a mark of no width, filler for an abbreviation such as e\&.g\&. */
function fill(match: Match): string {
  return match[0] === "\\&" ? blankOut(match[0]) : hide(match[0]);
}
