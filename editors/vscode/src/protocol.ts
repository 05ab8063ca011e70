/** The messages between the local engine and its worker thread. */

export interface Request {
  readonly id: number;
  readonly text: string;
  readonly format: string;
  readonly options: {
    readonly preset?: string;
    readonly variant?: string;
    readonly threshold?: number;
    readonly maxSuggestions?: number;
    readonly dictionary: readonly string[];
  };
}

/** A misspelling; offsets count UTF-16 units, as those of VS Code do. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly suggestions: readonly string[];
  readonly kind: "nonword" | "realword" | "variant";
  readonly likely: boolean;
}

export interface Answer {
  readonly id: number;
  readonly found?: readonly Found[];
  readonly error?: string;
}
