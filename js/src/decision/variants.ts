/** British and American spellings of words, from the table variants.txt. */

import { Variants as Tables } from "../generated/decision.js";
import type { ReadFile } from "../model/bundle.js";
import { transferCase } from "../text/case.js";
import { length } from "../text/characters.js";
import type { Correction, Suggestion, Token } from "../types.js";

export type Variant = "en-GB" | "en-US";

export class Variants {
  #american = new Map<string, string>(); // American spellings by British ones
  #british = new Map<string, string>();
  #accepted = new Set<string>(); // spellings of one variant that are accepted in the other, too

  private constructor(words: readonly string[]) {
    for (let i = 0; i + 2 < words.length; i += 3) {
      const [british, american, mark] = words.slice(i, i + 3) as [string, string, string];
      this.#american.set(british, american);
      this.#british.set(american, british);
      if (mark !== "-") this.#accepted.add(mark === "us" ? american : british);
    }
  }

  static async read(readFile: ReadFile): Promise<Variants> {
    const text = new TextDecoder().decode(await readFile("variants.txt"));
    return new Variants(text.slice(text.indexOf("\n\n") + 2).trim().split(/\s+/));
  }

  /** The variant whose spelling this is, or null if it is accepted in both. */
  variantOf(word: string): Variant | null {
    const [form] = stem(word);
    if (this.#accepted.has(form)) return null;
    if (this.#american.has(form)) return "en-GB";
    return this.#british.has(form) ? "en-US" : null;
  }

  /** The word in the usual spelling of a variant, in the same case. */
  toVariant(word: string, variant: Variant): string {
    const [form, ending] = stem(word);
    const forms = variant === "en-US" ? this.#american : this.#british;
    if (!forms.has(form)) return word;
    const other = this.#american.get(form) ?? this.#british.get(form)!;
    return transferCase(word.slice(0, form.length), other) + ending;
  }

  /** The variant of a document, by the counts of its words; null if undecided or mixed. */
  detect(counts: ReadonlyMap<string, number>): Variant | null {
    const evidence = { "en-GB": 0, "en-US": 0 };
    for (const [word, count] of counts) {
      const variant = this.variantOf(word);
      if (variant) evidence[variant] += Math.min(count, Tables.MAX_PER_WORD);
    }
    const { "en-GB": british, "en-US": american } = evidence;
    const clear = (one: number, other: number) =>
      one >= Math.max(Tables.MIN_EVIDENCE, Tables.MIN_RATIO * other);
    if (clear(british, american)) return "en-GB";
    return clear(american, british) ? "en-US" : null;
  }

  /**
   * A correction with its suggestions in the spelling of a variant, if there is one. Null if the
   * original is the spelling of the first suggestion in this variant.
   */
  inVariant(correction: Correction, variant: Variant | null): Correction | null {
    if (!variant) return correction;
    const suggestions = new Map<string, Suggestion>();
    for (const { text, probability } of correction.suggestions) {
      const written = this.toVariant(text, variant);
      if (!suggestions.has(written)) suggestions.set(written, { text: written, probability });
    }
    const best = suggestions.values().next().value!;
    if (best.text === correction.original) return null;
    suggestions.delete(correction.original);
    return { ...correction, replacement: best.text, suggestions: [...suggestions.values()] };
  }

  /** The correction of a word that is spelled as in the other variant, or null. */
  otherVariant({ start, text }: Token, variant: Variant): Correction | null {
    if ([null, variant].includes(this.variantOf(text))) return null;
    const replacement = this.toVariant(text, variant);
    return {
      start,
      end: start + length(text),
      original: text,
      replacement,
      suggestions: [{ text: replacement, probability: 1 }],
      kind: "variant",
      error_probability: 1,
      score: 1,
    };
  }
}

/** The word in lower case without a possessive ending, and the ending. */
function stem(word: string): [string, string] {
  const ending = Tables.ENDINGS.find((one) => word.endsWith(one)) ?? "";
  return [word.slice(0, word.length - ending.length).toLowerCase(), ending];
}
