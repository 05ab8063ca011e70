/** The messages between the local engine and its worker thread. */

import type { CheckOptions } from "../../../js/src/corrector.js";
import type { CorrectionKind } from "../../../js/src/types.js";

export interface Request {
  readonly id: number;
  readonly text: string;
  readonly options: Omit<CheckOptions, "signal">;
}

/** A misspelling; offsets count UTF-16 units, as those of VS Code do. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly suggestions: readonly string[];
  readonly kind: CorrectionKind;
  readonly likely: boolean;
}

export interface Answer {
  readonly id: number;
  readonly found?: readonly Found[];
  readonly error?: string;
}
