/** Cut tokens into sentences. */

import { Sentences } from "../generated/text.js";
import { first, isAlpha, isLower, length } from "./characters.js";
import { endOf, type Slice } from "./tokenize.js";

/** Index ranges of the sentences; together they cover all tokens, in order. */
export function sentences(text: string, tokens: readonly Slice[]): [number, number][] {
  const cuts = [0];
  for (let i = 1; i < tokens.length; i += 1) {
    if (startsSentence(text, tokens, i)) cuts.push(i);
  }
  cuts.push(tokens.length);
  return cuts.slice(1).map((end, i): [number, number] => [cuts[i]!, end]).filter(([a, b]) => a < b);
}

function startsSentence(text: string, tokens: readonly Slice[], i: number): boolean {
  const token = tokens[i]!;
  const gap = text.slice(endOf(tokens[i - 1]!), token.start);
  if (!gap) return false;
  const lineEnds = gap.split("\n").length - 1;
  if (lineEnds > 1 || (lineEnds && !isAlpha(first(token.text)))) return true;
  if (isLower(first(token.text))) return false;
  let j = i - 1;
  while (j > Math.max(0, i - Sentences.MAX_CLOSING) && Sentences.CLOSING.has(tokens[j]!.text)) {
    j -= 1;
  }
  if (!Sentences.SENTENCE_END.fullmatch(tokens[j]!.text)) return false;
  const before = j > 0 ? tokens[j - 1]!.text : "";
  const abbreviated =
    tokens[j]!.text === "." &&
    (Sentences.ABBREVIATIONS.has(before.toLowerCase()) || length(before) === 1);
  return !abbreviated;
}
