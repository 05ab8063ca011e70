/** Takes the place of the web page's api.js: our own engine checks the texts. */

import { ask } from "../connection.js";
import type { CheckOptions, Found } from "../messages.js";
import { isEnglish } from "./language.js";

/** The findings of each text, in order; none in another language. */
export async function correct(texts: readonly string[], options: CheckOptions): Promise<Found[][]> {
  const english = await Promise.all(texts.map(isEnglish));
  const wanted = texts.filter((_, i) => english[i]);
  const found = wanted.length ? await ask("check", wanted, options) : [];
  let next = 0;
  return english.map((checked) => {
    if (!checked) return [];
    next += 1;
    return found[next - 1]!;
  });
}
