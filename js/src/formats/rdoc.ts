/** Comments of Ruby, as RDoc reads them: hide indented code; see `rdoc.py`. */

import { Rdoc as Tables } from "../generated/formats.js";
import { endOf } from "../pattern.js";
import { trim } from "../text/characters.js";
import { blankOut, FILLER, hide, indentOf, linesOf, type Step } from "./scanner.js";

/** Hides code: after an empty line or a colon, lines that are deeper than the text before. */
export class RdocLines implements Step {
  #margin: number | undefined; // where the text before is, if there is one
  #mayStart = false; // after an empty line or a colon
  #code = false;

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    const bare = trim(line);
    const indent = indentOf(line);
    if (!bare) {
      this.#mayStart = true;
      return line;
    }
    if (bare.startsWith(FILLER)) {
      // between comments
      this.#margin = undefined;
      this.#code = false;
      return line;
    }
    const item = Tables.ITEM.match(line);
    const deeper = this.#margin !== undefined && indent > this.#margin;
    this.#code = deeper && (this.#code || (this.#mayStart && !item));
    this.#mayStart = bare.endsWith(":");
    if (this.#code) return hide(line);
    this.#margin = indent;
    if (item) {
      // its text may go on where it starts, or one line below
      const rest = blankOut(item[0]) + line.slice(endOf(item));
      this.#margin = trim(rest) ? indentOf(rest) : undefined;
    }
    return line;
  }
}
