/** Hide everything that is not prose in a text of some format. */

import { COMMENTS, DOCUMENTS, LANGUAGES, SCANNERS, SYNTAXES } from "../generated/grammars.js";
import { RespellError } from "../types.js";
import { AsciidocLines } from "./asciidoc.js";
import { FORMATS } from "./languages.js";
import { ManLines } from "./man.js";
import { MarkdownLines } from "./markdown.js";
import { MdxLines } from "./mdx.js";
import { NotebookCells } from "./notebook.js";
import { OrgLines } from "./org.js";
import { Pragmas } from "./pragmas.js";
import { RdocLines } from "./rdoc.js";
import { RstLines } from "./rst.js";
import { Scanner, type Step } from "./scanner.js";
import { Comments } from "./source.js";
import type { StepName } from "./tables.js";

const STEPS: Record<StepName, (format: string) => Step> = {
  Scanner: (format) => new Scanner(SCANNERS[format]!),
  MarkdownLines: () => new MarkdownLines(),
  MdxLines: () => new MdxLines(),
  RstLines: () => new RstLines(),
  RdocLines: () => new RdocLines(),
  AsciidocLines: () => new AsciidocLines(),
  OrgLines: () => new OrgLines(),
  ManLines: () => new ManLines(),
};

/** Masks the blocks of one file, given one after the other. */
class Masker implements Step {
  readonly #steps: Step[];
  readonly #cells: boolean;

  constructor(
    format: string,
    private readonly pragmas = new Pragmas(),
  ) {
    const { syntax } = LANGUAGES[format]!;
    this.#steps = (DOCUMENTS[format] ?? []).map((name) => STEPS[name](format));
    if (syntax) this.#steps.push(new Comments(SYNTAXES[syntax]!));
    this.#steps.push(...(COMMENTS[format] ?? []).map((name) => STEPS[name](format)));
    // Pragmas work in cells: a notebook may be a single line.
    this.#cells = format === "notebook";
    if (this.#cells) this.#steps.push(new NotebookCells(() => new Masker("markdown", pragmas)));
  }

  mask(block: string): string {
    let masked = block.startsWith("\ufeff") ? ` ${block.slice(1)}` : block;
    for (const step of this.#steps) masked = step.mask(masked);
    return this.#cells ? masked : this.pragmas.mask(block, masked);
  }
}

/** Mask a whole text. In plain text nothing is hidden, not even lines with pragmas. */
export function mask(text: string, format: string): string {
  if (typeof text !== "string") throw new RespellError(`a text must be a string, not ${typeof text}`);
  if (!Object.hasOwn(LANGUAGES, format)) {
    throw new RespellError(`no format "${format}"; known are ${FORMATS.join(", ")}`);
  }
  return format === "plain" ? text : new Masker(format).mask(text);
}
