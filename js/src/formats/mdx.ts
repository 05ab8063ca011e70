/** MDX: hide imports, exports and expressions in Markdown. */

import { Mdx as Tables } from "../generated/formats.js";
import { endOf } from "../pattern.js";
import { before, first, isAlpha } from "../text/characters.js";
import { FILLER, hide, linesOf, type Step } from "./scanner.js";

const BLANK = new RegExp(`^[${FILLER} \\t\\r\\n]*$`);

/** Hides imports, exports and expressions in braces; see `mdx.py` for where they end. */
export class MdxLines implements Step {
  #depth = 0; // open braces
  #comment = false; // in a comment between braces
  #statement = false; // in an import or an export
  #gap = true; // the line before was blank

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    if (BLANK.test(line)) {
      this.#gap = true; // blank, or hidden by Markdown
      return line;
    }
    const goesOn = this.#comment || (this.#depth && Tables.CONTINUED.match(line));
    if (this.#gap && !goesOn) {
      this.#depth = 0;
      this.#statement = false;
    }
    if (this.#gap && !this.#depth) this.#statement = Tables.STATEMENT.match(line) !== null;
    this.#gap = false;
    const masked = this.#hideExpressions(line);
    return this.#statement ? hide(line) : masked;
  }

  #hideExpressions(line: string): string {
    const pieces: string[] = [];
    let at = 0;
    while (at < line.length) {
      const start = this.#depth ? at : openBrace(line, at);
      const end = this.#close(line, start);
      pieces.push(line.slice(at, start), hide(line.slice(start, end)));
      at = end;
    }
    return pieces.join("");
  }

  /** Where the expression ends, including the letters behind it. */
  #close(line: string, at: number): number {
    if (this.#comment) {
      const end = line.indexOf("*/", at);
      if (end < 0) return line.length;
      at = end + 2;
      this.#comment = false;
    }
    for (const token of Tables.INSIDE.finditer(line, at)) {
      this.#depth += Number(token[0] === "{") - Number(token[0] === "}");
      this.#comment = token[0] === "/*";
      if (this.#comment) break;
      if (this.#depth === 0) return lettersEnd(line, endOf(token));
    }
    return line.length;
  }
}

/** Where the next expression starts, including the letters before it. */
function openBrace(line: string, at: number): number {
  for (const match of Tables.OPEN.finditer(line, at)) {
    if (match.groups!["brace"] === undefined) continue;
    let start = match.index;
    while (start > at && isAlpha(before(line, start))) start -= before(line, start).length;
    return start;
  }
  return line.length;
}

function lettersEnd(line: string, end: number): number {
  while (end < line.length && isAlpha(first(line.slice(end, end + 2)))) {
    end += first(line.slice(end, end + 2)).length;
  }
  return end;
}
