/** Takes the place of the web page's api.js: our own engine checks the texts. */

import { ask } from "../connection.js";
import type { CheckOptions, Found } from "../messages.js";
import { isEnglish } from "./language.js";

interface Options extends CheckOptions {
  /** Whether the texts are the parts of one document. */
  readonly document?: boolean;
}

/** The findings of each text, in order; none in another language. */
export async function correct(
  texts: readonly string[],
  { document = false, ...options }: Options,
): Promise<Found[][]> {
  const english = await Promise.all(texts.map(isEnglish));
  const wanted = texts.filter((_, i) => english[i]);
  const found = wanted.length ? await ask(document ? "checkDocument" : "check", wanted, options) : [];
  let next = 0;
  return english.map((checked) => {
    if (!checked) return [];
    next += 1;
    return found[next - 1]!;
  });
}
