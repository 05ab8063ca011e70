/** Adjust the scores of corrections by the evidence of a document; see `adjust.py`. */

import { Adjust, Evidence as Tables } from "../generated/decision.js";
import { SPACING } from "../generated/root.js";
import { forms } from "../model/vocabulary.js";
import { first, isUpper, length, Offsets } from "../text/characters.js";
import { countEdits } from "../text/edits.js";
import type { Correction } from "../types.js";
import { base, type Evidence, neighbours } from "./evidence.js";
import { measureOf, type Policy, thresholdFor } from "./policy.js";
import type { Variant, Variants } from "./variants.js";
import { CLASSES, inflections, type Vocabulary } from "./vocabulary.js";

type Features = Record<string, number>;

const WEIGHTS: Record<string, Features> = Adjust.WEIGHTS;

/** Decides for one document. */
export class Judge {
  readonly #variant: Variant | null;

  constructor(
    private readonly evidence: Evidence,
    private readonly variants: Variants,
    private readonly vocabulary: Vocabulary,
    private readonly policy: Policy,
    chosen: Variant | null,
  ) {
    this.#variant = chosen ?? variants.detect(evidence.words);
  }

  /**
   * The corrections of a masked text that agree with the evidence. Suggestions are spelled as in the
   * document, unless the user has chosen a variant.
   */
  agreeing(text: string, corrections: readonly Correction[]): Correction[] {
    const offsets = new Offsets(text);
    return corrections
      .filter((correction) => !this.rejects(offsets, correction))
      .map((correction) => this.variants.inVariant(correction, this.#variant))
      .filter((correction) => correction !== null);
  }

  /**
   * Whether the score or error probability of a correction, adjusted by the evidence, is below the
   * threshold that is about it.
   */
  rejects(text: Offsets, correction: Correction): boolean {
    const weights = WEIGHTS[this.#judgedAs(correction)];
    if (!weights) return false;
    if (this.#isFormOfATerm(correction)) return true;
    const features = Object.entries(this.#features(new Around(text, correction), correction));
    const change = features.reduce((sum, [name, value]) => sum + weights[name]! * value, 0);
    const odds = logOdds(correction.error_probability) + change;
    const measure = measureOf(this.policy, correction);
    const share = measure / Math.max(correction.error_probability, Adjust.CERTAIN);
    const { defaultThreshold, spacingThreshold } = this.policy;
    const isSpacing = SPACING.includes(correction.kind);
    const even = logOdds(isSpacing ? spacingThreshold : defaultThreshold);
    const sure = logOdds(share * probability(odds)) - even;
    const threshold = isSpacing
      ? spacingThreshold
      : thresholdFor(this.policy, correction.original, this.evidence.known);
    const doubt = 1 + (Adjust.DOUBT - 1) * Math.min(this.evidence.total / Adjust.LARGE, 1);
    return probability(even + sure / doubt) < threshold;
  }

  /** Whose weights a correction has: an unknown word that is split may be a term, too. */
  #judgedAs({ kind, original }: Correction): string {
    const unknown = !this.evidence.known.has(base(original));
    return kind === "split" && unknown ? "nonword" : kind;
  }

  /** What the weights are multiplied with. */
  #features(around: Around, correction: Correction): Features {
    const rest = [...correction.original].slice(1).join("");
    const unknown = correction.kind !== "realword";
    return {
      capitals: Number(rest.toLowerCase() !== rest),
      ...(unknown
        ? this.#ofUnknownWord(around, correction)
        : this.#ofKnownWord(around, correction)),
    };
  }

  #ofUnknownWord(around: Around, { original, replacement, kind }: Correction): Features {
    const word = base(original);
    const letters = Math.max(length(word), 1);
    const other = base(replacement);
    const [before, after] = other.split(" ");
    const used =
      kind === "split"
        ? this.evidence.pairs.count(before!, after!)
        : (this.evidence.words.get(other) ?? 0);
    let found = this.vocabulary.wordClass(word);
    // Many misspellings are somebody's name.
    if (found === "name" && !isUpper(first(original))) found = null;
    return {
      foreign: this.#foreign(around),
      repeated: Math.log2(Math.max(this.evidence.occurrences(word), 1)) / letters,
      code: Number(this.evidence.inCode(word)) / letters,
      ...Object.fromEntries(CLASSES.map((name) => [name, Number(found === name)])),
      plural: Number([...forms(word)].slice(1).some((form) => this.#isKnown(form))),
      prefixed: Number(length(other) > 2 && word.endsWith(other)),
      distance: Math.max(countEdits(word, other) - 1, 0),
      used: Math.min(Math.log2(1 + used), Adjust.MOST),
      unused: Number(used === 0 && this.evidence.total >= Adjust.LARGE),
    };
  }

  #ofKnownWord(around: Around, correction: Correction): Features {
    const word = base(correction.original);
    const place = this.evidence.known.index(word) ?? 0;
    const rare = Math.log2(Math.max(place / Adjust.FREQUENT, 1));
    const pairs = this.#pairs(around, correction);
    const count = this.evidence.words.get(word) ?? 0;
    return {
      better_pair: Math.max(...pairs),
      worse_pair: Math.min(...pairs),
      repeated: Math.log2(Math.max(count, 1)) * Number(place >= Adjust.RARE),
      code: Number(this.evidence.code.has(word)) * rare,
      glued: Number(around.isGlued),
    };
  }

  /** How much oftener a word occurs beside each neighbour than its replacement does. */
  #pairs(around: Around, { original, replacement }: Correction): [number, number] {
    const [before, after] = neighbours(
      around.before(Tables.NEIGHBOUR),
      around.after(Tables.NEIGHBOUR),
    );
    const { pairs } = this.evidence;
    const [word, other] = [original.toLowerCase(), replacement.toLowerCase()];
    const oftener = (own: number, others: number): number => {
      const share = (Math.max(own - 1, 0) + Adjust.SMOOTHING) / (others + Adjust.SMOOTHING);
      return Math.min(Math.log2(share), Adjust.MOST);
    };
    return [
      oftener(pairs.count(before, word), pairs.count(before, other)),
      oftener(pairs.count(word, after), pairs.count(other, after)),
    ];
  }

  /** How many of ten words nearby are unknown, beyond the share that typing errors reach. */
  #foreign(around: Around): number {
    const text = `${around.before(Adjust.NEARBY)} ${around.after(Adjust.NEARBY)}`;
    const words = [...Adjust.WORD.finditer(text)].map(([word]) => word!);
    const unknown = words.filter(
      (word) => !this.#isKnown(base(word)) && !this.vocabulary.wordClass(word),
    ).length;
    return 10 * Math.max(unknown / Math.max(words.length, 4) - Adjust.TYPING_ERRORS, 0);
  }

  /** Whether a word would be replaced by its own plural or singular, which is a term. */
  #isFormOfATerm({ original, replacement }: Correction): boolean {
    const term = base(replacement);
    return !this.#isKnown(term) && inflections(base(original)).includes(term);
  }

  #isKnown(word: string): boolean {
    return this.evidence.known.has(word);
  }
}

/** The text around a correction. */
class Around {
  constructor(
    private readonly text: Offsets,
    private readonly correction: Correction,
  ) {}

  /** At most so many characters before the word. */
  before(count: number): string {
    const { start } = this.correction;
    return this.text.slice(Math.max(0, start - count), start);
  }

  /** At most so many characters after the word. */
  after(count: number): string {
    const { end } = this.correction;
    return this.text.slice(end, end + count);
  }

  /** Whether the word is part of a chain such as *nd/fix-path* or *process(es)*. */
  get isGlued(): boolean {
    const before = Adjust.GLUE_BEFORE.fullmatch(this.before(2));
    return before !== null || Adjust.GLUE_AFTER.fullmatch(this.after(2)) !== null;
  }
}

function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

/** The log odds of a probability, within bounds. */
function logOdds(probability: number): number {
  const inside = Math.min(Math.max(probability, Adjust.CERTAIN), 1 - Adjust.CERTAIN);
  return Math.log(inside / (1 - inside));
}
