// nspell (Hunspell in JavaScript) with its English dictionary.
import { correctEach, firstSingle } from "../words.mjs";

export async function load(find) {
  const { default: nspell } = await find("nspell");
  const { default: dictionary } = await find("dictionary-en");
  const speller = nspell(dictionary);
  return correctEach((word) => (speller.correct(word) ? null : firstSingle(speller.suggest(word))));
}
