/** Org: hide blocks of code, keywords, drawers, planning lines, comments and rulers. */

import { Org as Tables } from "../generated/formats.js";
import { endOf, type Pattern } from "../pattern.js";
import { hide, linesOf, type Step } from "./scanner.js";

const ENDS = new Map(Object.entries(Tables.BLOCK_ENDS));

export class OrgLines implements Step {
  #end: Pattern | undefined; // what ends the open block or drawer

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    if (this.#end) {
      if (!this.#end.match(line)) return hide(line);
      this.#end = undefined;
    }
    const block = Tables.BLOCK.match(line)?.groups!["_1"];
    if (block) this.#end = ENDS.get(block.toUpperCase());
    else if (Tables.DRAWER.match(line)) this.#end = Tables.DRAWER_END;
    if (this.#end || Tables.MARKUP.match(line)) return hide(line);
    const label = Tables.LABEL.match(line);
    if (label) return hide(label[0]) + line.slice(endOf(label));
    const tags = Tables.HEADLINE.match(line) ? Tables.TAGS.search(line) : null;
    const end = tags ? tags.index : line.length;
    return line.slice(0, end) + hide(line.slice(end));
  }
}
