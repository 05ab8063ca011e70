/** The messages between the parts of the extension. */

import type { CheckOptions } from "../../../js/src/corrector.js";
import type { Found, Info } from "../../../js/src/protocol.js";

export type { CheckOptions, Found, Info };

/** The name of the ports to the engine. */
export const ENGINE = "engine";

/** What the engine answers. Offsets count UTF-16 units. */
export interface Calls {
  check(texts: readonly string[], options: CheckOptions): Found[][];
  /** The texts are the parts of one document. */
  checkDocument(texts: readonly string[], options: CheckOptions): Found[][];
  info(): Info;
}

export type Name = keyof Calls;

export interface Request<N extends Name = Name> {
  readonly id: number;
  readonly name: N;
  readonly given: Parameters<Calls[N]>;
}

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string };

/** To the background: start the engine. The answer is an error message or nothing. */
export interface Open {
  readonly type: "open";
}

/** To the tab: which site is this, and does respell check it? */
export interface AskSite {
  readonly type: "site";
}

/** To the tab: go to the next misspelling. */
export interface Next {
  readonly type: "next";
}

export interface Site {
  readonly host: string;
}
