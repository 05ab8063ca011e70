/** Put corrections into a text. */

import { type Correction, RespellError } from "../types.js";
import { Offsets } from "./characters.js";

/** Replace every corrected word by its first suggestion. */
export function apply(text: string, corrections: readonly Correction[]): string {
  const offsets = new Offsets(text);
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, original, replacement } of [...corrections].sort(byStart)) {
    const [from, to] = [offsets.toUtf16(start), offsets.toUtf16(end)];
    if (from < done || text.slice(from, to) !== original) {
      throw new RespellError(`correction of "${original}" at ${start} does not fit the text`);
    }
    pieces.push(text.slice(done, from), replacement);
    done = to;
  }
  pieces.push(text.slice(done));
  return pieces.join("");
}

function byStart(one: Correction, other: Correction): number {
  return one.start - other.start;
}
