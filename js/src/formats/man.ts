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

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    const control = Tables.CONTROL.match(line);
    if (control) {
      const { _1, _2 } = control.groups!;
      const end = this.#macro(line, _1 || _2 || "", endOf(control));
      return hide(line.slice(0, end)) + line.slice(end);
    }
    const hidden = this.#end || this.#tag || this.#section === "SYNOPSIS";
    this.#tag = false;
    if (hidden) return hide(line);
    const name = this.#section === "NAME" ? Tables.NAME.match(line) : null;
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
      if (name === "SH" || name === "Sh") this.#section = argument.toUpperCase();
      if (Tables.PROSE.has(name)) return end;
    }
    return line.length;
  }
}

/** White space for a mark of no width, filler for an abbreviation such as e\&.g\&. */
function fill(match: Match): string {
  return match[0] === "\\&" ? blankOut(match[0]) : hide(match[0]);
}
