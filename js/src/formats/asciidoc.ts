/** AsciiDoc: hide blocks of code, comments, attributes, block macros and literal paragraphs. */

import { Asciidoc as Tables } from "../generated/formats.js";
import { endOf, type Match } from "../pattern.js";
import { length, trimEnd } from "../text/characters.js";
import { hide, linesOf, type Step } from "./scanner.js";

export class AsciidocLines implements Step {
  #end: string | undefined; // what ends the open block of code
  #code = false; // the next block is code, by its attributes
  #hidden = false; // in a paragraph of code
  #gap = true; // at the start of a paragraph
  #term = false; // the last line was a term whose text follows
  #title = ""; // the last line, if it may be a title
  #section = "";
  #continued = false; // the last line was an attribute that goes on here
  #table = false;

  mask(text: string): string {
    return linesOf(text)
      .map((line) => this.#line(line))
      .join("");
  }

  #line(line: string): string {
    const bare = trimEnd(line);
    if (this.#end !== undefined) {
      if (bare === this.#end) this.#end = undefined;
      return hide(line);
    }
    const title = this.#title;
    this.#title = "";
    if (!bare || Tables.CONTINUATION.match(bare)) {
      this.#gap = true;
      this.#hidden = false;
      this.#term &&= !bare;
      return hide(line);
    }
    if (this.#hidden) return hide(line);
    if (this.#isUnderline(bare, title) || this.#isDelimiter(bare) || this.#isMarkup(bare)) {
      return hide(line);
    }
    return this.#paragraph(line, bare);
  }

  /** Whether the line underlines a title; dashes of another length open a block of code. */
  #isUnderline(bare: string, title: string): boolean {
    const mark = bare[0]!;
    if (!"=-~^+".includes(mark) || bare !== mark.repeat(bare.length)) return false;
    if (Math.abs(bare.length - length(title)) > 1) return false;
    if (bare.length < 3 || title.endsWith(":")) return false;
    this.#section = title;
    this.#gap = true;
    return true;
  }

  /** Whether the line delimits a block. A block of code is hidden up to its end. */
  #isDelimiter(bare: string): boolean {
    const delimiter = Tables.DELIMITER.match(bare) ?? Tables.FENCE.match(bare);
    if (!delimiter) return false;
    if (this.#code || ".+/`".includes(bare[0]!) || bare.startsWith("----")) {
      this.#end = delimiter.groups!["_1"];
    } else if ("|,:!".includes(bare[0]!)) {
      this.#table = !this.#table;
    }
    this.#code = false;
    this.#gap = true;
    this.#term = false;
    return true;
  }

  /** Whether the line is an attribute or a comment. */
  #isMarkup(bare: string): boolean {
    if (this.#continued || Tables.ATTRIBUTE.match(bare)) {
      this.#continued = bare.endsWith(" \\");
      return true;
    }
    const attributes = Tables.BLOCK_ATTRIBUTES.match(bare);
    if (attributes) {
      this.#code ||= Tables.CODE.has(attributes.groups!["_1"] ?? "");
      this.#gap = true;
      return true;
    }
    return Tables.COMMENT.match(bare) !== null;
  }

  #paragraph(line: string, bare: string): string {
    const macro = Tables.MACRO.match(bare);
    if (macro) return hide(line.slice(0, endOf(macro))) + line.slice(endOf(macro));
    const title = Tables.TITLE.match(bare);
    if (title) {
      this.#section = title.groups!["_1"]!;
      this.#gap = true;
      this.#term = false;
      return line;
    }
    const term = this.#table ? null : Tables.TERM.match(line);
    if (this.#gap) {
      this.#hidden = this.#code || (!term && this.#isLiteral(line));
      this.#title = bare;
    }
    this.#gap = this.#code = false;
    this.#term = term !== null && endOf(term) === bare.length;
    if (this.#hidden || this.#section === "SYNOPSIS") return hide(line);
    return this.#prose(line, term);
  }

  /** Whether a paragraph is code because its first line is indented. */
  #isLiteral(line: string): boolean {
    return " \t".includes(line[0]!) && !(this.#term || this.#table || Tables.ITEM.match(line));
  }

  #prose(line: string, term: Match | null): string {
    if (this.#table) return Tables.CELL.sub(line, (cell) => hide(cell[0]));
    if (term && Tables.CODE_TERM.match(term.groups!["_1"]!)) {
      return hide(line.slice(0, endOf(term))) + line.slice(endOf(term));
    }
    const name = this.#section === "NAME" ? Tables.NAME.match(line) : null;
    const end = name ? endOf(name) : 0;
    return hide(line.slice(0, end)) + line.slice(end);
  }
}
