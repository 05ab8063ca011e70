/** Characters as Python sees them: code points, with Python's notion of white space. */

import { Characters } from "../generated/text.js";

const LETTER = /^\p{L}$/v;
const ALPHANUMERIC = /^[\p{L}\p{N}]$/v;
const LOWER = /^\p{Lowercase}$/v;
const UPPER = /^\p{Uppercase}$/v;
const CASED = /[\p{Uppercase}\p{Lowercase}\p{Lt}]/v;
const NOT_UPPER = /[\p{Lowercase}\p{Lt}]/v;
const DIGIT = new RegExp(`[${Characters.DIGIT}]`, "v");
const LEADING = new RegExp(`^[${Characters.SPACE}]*`, "v");
const SPACE = new RegExp(`^[${Characters.SPACE}]$`, "v");
const LAST_MARK = "\u0345";
const WIDE = /[\ud800-\udbff][\udc00-\udfff]/;

export const isAlpha = (character: string): boolean => LETTER.test(character);
export const isAlphanumeric = (character: string): boolean => ALPHANUMERIC.test(character);
export const isSpace = (character: string): boolean => SPACE.test(character);
export const isLower = (character: string): boolean => LOWER.test(character);
export const isUpper = (character: string): boolean => UPPER.test(character);
export const hasDigit = (text: string): boolean => DIGIT.test(text);

/** Whether a text has letters with a case, and all are capitals. */
export function isUpperText(text: string): boolean {
  return CASED.test(text) && !NOT_UPPER.test(text);
}

/** A text without white space at its start. */
export function trimStart(text: string): string {
  return text.slice(LEADING.exec(text)![0].length);
}

/** A text without white space at its end. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

export function trim(text: string): string {
  return trimEnd(trimStart(text));
}

/** The first code point, or "". */
export function first(text: string): string {
  const code = text.codePointAt(0);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** The code point that ends before an offset. */
export function before(text: string, at: number): string {
  const wide = at > 1 && isWide(text.slice(at - 2, at));
  return text.slice(wide ? at - 2 : at - 1, at);
}

function isWide(text: string): boolean {
  return WIDE.test(text);
}

/** How many code points a text has. */
export function length(text: string): number {
  if (!isWide(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a decomposed character combines with another: `unicodedata.combining` in Python. */
export function isCombining(character: string): boolean {
  if (character === LAST_MARK) return true;
  // Marks are put in the order of their combining classes, and this one has the highest.
  const marks = LAST_MARK + character;
  return marks.normalize("NFD") !== marks;
}

/** The order of Python's strings. */
export function byCodePoint(one: string, other: string): number {
  const both = Math.min(one.length, other.length);
  for (let i = 0; i < both; i += 1) {
    if (one[i] !== other[i]) return one.codePointAt(i)! - other.codePointAt(i)!;
  }
  return one.length - other.length;
}

/** How many of the sorted texts are not behind a limit: `bisect_right` in Python. */
export function bisectRight(sorted: readonly string[], limit: string): number {
  return lowerBound(sorted, (text) => byCodePoint(text, limit) > 0);
}

/** Converts offsets in one text between UTF-16 units and code points. */
export class Offsets {
  #wide: number[] = []; // the offsets of wide characters, in code points

  constructor(readonly text: string) {
    if (!isWide(text)) return;
    let at = 0;
    for (const character of text) {
      if (character.length > 1) this.#wide.push(at);
      at += 1;
    }
  }

  /** The number of UTF-16 units before a code point. */
  toUtf16(offset: number): number {
    return offset + lowerBound(this.#wide, (place) => place >= offset);
  }

  /** The text between two code points. */
  slice(start: number, end: number): string {
    return this.text.slice(this.toUtf16(start), this.toUtf16(end));
  }

  /** The number of code points before a UTF-16 unit. */
  toCodePoints(units: number): number {
    return units - lowerBound(this.#wide, (place, i) => place + i >= units);
  }
}

function lowerBound<T>(sorted: readonly T[], reached: (one: T, i: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reached(sorted[middle]!, middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
