/** Is a text English? The browser's own detector answers; it sends nothing. */

const ENOUGH = 40; // characters; the detector guesses at less

/**
 * Whether to check a text. On an English page, or one that does not tell its language, a text is
 * English unless the detector is sure of another language; on others it must be sure of English.
 */
export async function isEnglish(text: string): Promise<boolean> {
  const { isReliable, languages } = await chrome.i18n.detectLanguage(text);
  const best = languages.toSorted((one, other) => other.percentage - one.percentage)[0]?.language;
  const sure = isReliable && text.length >= ENOUGH;
  const { lang } = document.documentElement;
  const expected = !lang || /^en\b/i.test(lang);
  return sure ? best === "en" : expected;
}
