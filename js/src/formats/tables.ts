/** The types of the generated grammars. */

import type { Pattern } from "../pattern.js";

/** Hides what its part of the grammar matches, and everything up to `closes` if that is given. */
export interface Rule {
  readonly closes: Pattern | "";
  readonly keep: number;
  readonly word: boolean;
  readonly glue: string;
}

export interface Grammar {
  readonly grammar: Pattern;
  readonly rules: Readonly<Record<string, Rule>>;
}

/** A string, a comment or the like; see `Span` in Python. */
export interface Span {
  readonly closes: Pattern | "";
  readonly shown: boolean;
  readonly margin: Pattern | "";
  readonly alone: boolean;
}

export interface Syntax {
  readonly grammar: Pattern;
  readonly spans: Readonly<Record<string, Span>>;
}

export interface LanguageTable {
  readonly extensions: readonly string[];
  readonly editorIds: readonly string[];
  readonly filenames: readonly string[];
  /** The comment that excludes its line from checking; "" if there is none. */
  readonly ignoreComment: string;
  /** Otherwise: what stands above a line or, if `apart`, above and below a paragraph. */
  readonly commentsAbove: readonly string[];
  readonly apart: boolean;
  readonly syntax: string;
}

/** The steps of a masker, by the names of Python's classes. */
export type StepName =
  | "Scanner"
  | "MarkdownLines"
  | "MdxLines"
  | "RstLines"
  | "RdocLines"
  | "AsciidocLines"
  | "OrgLines"
  | "ManLines";
