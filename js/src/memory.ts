/** What was found in the latest sentences: a text that has changed a little is checked again. */

import { length } from "./text/characters.js";
import type { Window } from "./text/windows.js";
import type { Correction } from "./types.js";

const MOST = 20_000; // sentences

/** Remembers what a reader found in windows. What it finds depends on the window alone. */
export class Memory {
  #found = new Map<string, readonly Correction[]>(); // offsets count from the first word

  /** `spacing` says whether the blanks between the words matter. */
  constructor(private readonly spacing: boolean) {}

  /** What was found in such a window, at the place of this one; undefined if it is not known. */
  recall(window: Window): Correction[] | undefined {
    return this.#found.get(this.#key(window))?.map((one) => moved(one, placeOf(window)));
  }

  /** Remember what was found in a window. */
  keep(window: Window, corrections: readonly Correction[]): void {
    const relative = corrections.map((one) => moved(one, -placeOf(window)));
    this.#found.set(this.#key(window), relative);
    if (this.#found.size > MOST) this.#found.delete(this.#found.keys().next().value!);
  }

  #key(window: Window): string {
    const { tokens, first, last, lone, text } = window;
    const place = placeOf(window);
    const parts = tokens.flatMap(({ kind, text, start }) => [kind, text, lone ? 0 : start - place]);
    const { start, text: word } = tokens[last - 1]!;
    const shown = this.spacing ? text?.slice(place, start + length(word)) : null;
    return JSON.stringify([first, last, shown, ...parts]);
  }
}

function placeOf({ tokens, first }: Window): number {
  return tokens[first]!.start;
}

function moved(correction: Correction, by: number): Correction {
  return { ...correction, start: correction.start + by, end: correction.end + by };
}
