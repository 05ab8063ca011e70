// cspell's library with its settings for English prose; the first suggestion.
import { correctEach, firstSingle, like } from "../words.mjs";

export async function load(find) {
  const cspell = await find("cspell-lib");
  const settings = { ...(await cspell.getDefaultSettings()), language: "en" };
  const prose = cspell.combineTextAndLanguageSettings(settings, "", ["plaintext"]);
  const dictionary = await cspell.getDictionary(prose);
  return correctEach((word) => {
    if (dictionary.has(word, { ignoreCase: true })) {
      return null;
    }
    const found = dictionary.suggest(word, { numSuggestions: 5, ignoreCase: true });
    const answer = firstSingle(found.map((suggestion) => suggestion.word));
    return answer && like(word, answer);
  });
}
