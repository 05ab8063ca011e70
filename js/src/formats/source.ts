/** Source code: hide everything except comments and docstrings. */

import { endOf, Pattern } from "../pattern.js";
import { blankOut, hide, type Step } from "./scanner.js";
import type { Span, Syntax } from "./tables.js";

const PLACE = "\\u{e000}"; // in `closes`: what the start has matched

/** Hides source code except its comments, across the blocks of a file. */
export class Comments implements Step {
  /** The end of the open span, and the span if it is shown. */
  #inside: { closes: Pattern; shown: Span | undefined } | undefined;
  #depth = 0; // open brackets, where they matter

  constructor(private readonly syntax: Syntax) {}

  /** Whether the text so far ends inside a comment or docstring. */
  get goesOn(): boolean {
    return this.#inside?.shown !== undefined;
  }

  mask(text: string): string {
    const pieces: string[] = [];
    let at = 0;
    while (at < text.length) {
      const [shown, end]: [string, number] = this.#inside
        ? this.#close(text, at, this.#inside.closes, this.#inside.shown)
        : this.#open(text, at);
      pieces.push(shown);
      at = end;
    }
    return pieces.join("");
  }

  /** Skip the code up to the next span, and what opens it. */
  #open(text: string, at: number): [string, number] {
    const { grammar, spans } = this.syntax;
    const match = grammar.search(text, at);
    if (!match) return [hide(text.slice(at)), text.length];
    const name = grammar.lastGroup(match)!;
    const span = spans[name]!;
    this.#depth += Number(name === "bracket") - Number(name === "bracket_end");
    this.#depth = Math.max(this.#depth, 0);
    const shown = span.shown && !(span.alone && this.#depth) ? span : undefined;
    if (span.closes) {
      const end = escape(match.groups![`${name}_end`] ?? "");
      const { source } = span.closes;
      const closes = source.includes(PLACE) ? new Pattern(source.replaceAll(PLACE, () => end)) : span.closes;
      this.#inside = { closes, shown };
    }
    const write = shown ? blankOut : hide;
    return [hide(text.slice(at, match.index)) + write(match[0]), endOf(match)];
  }

  #close(text: string, at: number, closes: Pattern, span: Span | undefined): [string, number] {
    let match = closes.search(text, at);
    while (match?.[0].startsWith("\\")) match = closes.search(text, endOf(match));
    const start = match ? match.index : text.length;
    const end = match ? endOf(match) : text.length;
    if (match) this.#inside = undefined;
    if (!span) return [hide(text.slice(at, end)), end];
    let body = text.slice(at, start);
    if (span.margin) body = span.margin.sub(body, (mark) => blankOut(mark[0]));
    return [body + blankOut(text.slice(start, end)), end];
  }
}

/** A text as a regular expression that matches it. */
function escape(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&");
}
