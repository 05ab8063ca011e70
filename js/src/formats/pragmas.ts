/** Pragmas: hide the lines that the author has excluded from checking. */

import { Pragmas as Tables } from "../generated/formats.js";
import { hide, linesOf } from "./scanner.js";

/** Hides excluded lines, across the blocks of a file. */
export class Pragmas {
  #off = false;
  #next = false;

  /** Hide the lines of `masked` that pragmas in `text` exclude. */
  mask(text: string, masked: string): string {
    if (!(this.#off || this.#next || text.includes("respell:"))) return masked;
    const shown = linesOf(masked);
    return linesOf(text)
      .map((line, i) => (this.#hides(line) ? hide(shown[i]!) : shown[i]!))
      .join("");
  }

  #hides(line: string): boolean {
    const found = new Set([...Tables.PRAGMA.finditer(line)].map((match) => match.groups!["_1"]));
    const hidden = this.#off || this.#next || found.has("ignore") || found.has("off");
    this.#off = (this.#off || found.has("off")) && !found.has("on");
    this.#next = found.has("ignore-next-line");
    return hidden;
  }
}
