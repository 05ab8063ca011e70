/** reStructuredText: hide literal blocks, doctests, comments and directives without prose. */

import { Rst as Tables } from "../generated/formats.js";
import { endOf } from "../pattern.js";
import { trim } from "../text/characters.js";
import { hide, indentOf, linesOf, type Step } from "./scanner.js";

export class RstLines implements Step {
  #hiddenBelow: number | undefined; // lines indented deeper than this are hidden
  #options = false; // just after a directive: its options are not prose
  #doctest = false; // in a doctest, which ends at a blank line

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    const bare = trim(line);
    const indent = indentOf(line);
    this.#doctest = Boolean(bare) && (this.#doctest || bare.startsWith(">>>"));
    if (!bare) return line;
    if (this.#doctest || (this.#hiddenBelow !== undefined && indent > this.#hiddenBelow)) {
      return hide(line);
    }
    this.#hiddenBelow = undefined;
    const end = this.#markup(line, bare, indent);
    return hide(line.slice(0, end)) + line.slice(end);
  }

  /** How many characters at the start of a line are hidden. */
  #markup(line: string, bare: string, indent: number): number {
    if (bare === ".." || bare.startsWith(".. ")) return this.#explicit(line, indent);
    const field = Tables.FIELD.match(line);
    if (field) return this.#options ? line.length : endOf(field);
    this.#options = false;
    if (bare.endsWith("::")) this.#hiddenBelow = indent;
    return 0;
  }

  /** The same for a line that starts with two dots. */
  #explicit(line: string, indent: number): number {
    const footnote = Tables.FOOTNOTE.match(line);
    if (footnote) return endOf(footnote);
    const directive = Tables.DIRECTIVE.match(line);
    const name = directive?.groups!["_1"] ?? "";
    this.#options = directive !== null;
    if (!directive || Tables.CODE.has(name)) this.#hiddenBelow = indent;
    else if (Tables.PROSE.has(name)) return endOf(directive);
    return line.length;
  }
}
