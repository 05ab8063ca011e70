/** Hide what rules match; every character keeps its place. */

import { Scanner as Tables } from "../generated/formats.js";
import { endOf, type Pattern } from "../pattern.js";
import { before, first, isAlpha } from "../text/characters.js";
import type { Grammar, Rule } from "./tables.js";

/** Replaces every hidden character that is not white space. */
export const { FILLER } = Tables;

/** The text with FILLER for every visible character; a wide character becomes a narrow one. */
export function hide(text: string): string {
  return Tables.VISIBLE.sub(text, () => FILLER);
}

/** The text as spaces: a sentence goes on across it. */
export function blankOut(text: string): string {
  return Tables.VISIBLE.sub(text, () => " ");
}

/** The lines of a text from an offset on, with their ends. */
export function linesOf(text: string, at = 0): string[] {
  return Tables.LINE.findall(text, at);
}

/** The width of a text without line ends if tabs stop at every fourth column. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character === "\t" ? 4 - (width % 4) : 1;
  return width;
}

/** The width of the white space at the start of a line. */
export function indentOf(line: string): number {
  return widthOf(/^[ \t]*/.exec(line)![0]);
}

/** Masks the blocks of a file, one after the other. */
export interface Step {
  mask(text: string): string;
}

/** Hides what the rules match, from left to right, across the blocks of a file. */
export class Scanner implements Step {
  #inside: Rule | undefined; // the rule that is still open

  constructor(private readonly table: Grammar) {}

  mask(text: string): string {
    const pieces: string[] = [];
    let at = 0;
    while (at < text.length) {
      const [start, end] = this.#inside ? this.#close(text, at, this.#inside) : this.#open(text, at);
      pieces.push(text.slice(at, start), hide(text.slice(start, end)));
      at = end;
    }
    return pieces.join("");
  }

  #open(text: string, at: number): [number, number] {
    const { grammar, rules } = this.table;
    const match = grammar.search(text, at);
    if (!match) return [text.length, text.length];
    const rule = rules[grammar.lastGroup(match)!]!;
    let start = Math.min(match.index + rule.keep, endOf(match));
    this.#inside = rule.closes ? rule : undefined;
    while (rule.word && start > at && joins(before(text, start), rule)) {
      start -= before(text, start).length;
    }
    return [start, wordEnd(text, endOf(match), rule)];
  }

  #close(text: string, at: number, rule: Rule): [number, number] {
    const match = (rule.closes as Pattern).search(text, at);
    if (!match) return [at, text.length];
    this.#inside = undefined;
    return [at, wordEnd(text, endOf(match), rule)];
  }
}

function wordEnd(text: string, end: number, rule: Rule): number {
  while (rule.word && end < text.length) {
    const character = first(text.slice(end, end + 2));
    if (!joins(character, rule)) break;
    end += character.length;
  }
  return end;
}

function joins(character: string, rule: Rule): boolean {
  return isAlpha(character) || rule.glue.includes(character);
}
