/** Comments that exclude a line or a paragraph, for the local engine; see `lsp/ignoring.py`. */

import { Comments } from "../../../js/src/formats/source.js";
import { Pragmas } from "../../../js/src/generated/formats.js";
import { LANGUAGES, SYNTAXES } from "../../../js/src/generated/grammars.js";

/** A text that is inserted at an offset. Offsets count UTF-16 units. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** What a comment excludes in a format. */
export function ignoredIn(format: string): "line" | "paragraph" {
  return LANGUAGES[format]!.apart ? "paragraph" : "line";
}

/** What excludes the word at an offset; nothing where a comment would change the meaning. */
export function ignoring(text: string, format: string, start: number, end: number): Insertion[] {
  const { ignoreComment, commentsAbove, apart } = LANGUAGES[format]!;
  if (apart) return aroundParagraph(text, commentsAbove, start, end);
  const first = Math.max(text.lastIndexOf("\n", start - 1), text.lastIndexOf("\r", start - 1)) + 1;
  const line = /^[^\r\n]*/.exec(text.slice(first))![0].trimEnd();
  if (ignoreComment) {
    const at = first + line.length;
    const comment = atTheEnd(format, text.slice(0, at));
    return comment ? [{ at, text: ` ${comment}` }] : [];
  }
  const margin = format === "asciidoc" ? "" : /^[ \t]*/.exec(line)![0];
  return commentsAbove.map((comment) => ({ at: first, text: `${margin}${comment}\n` }));
}

/** The comment for the end of a line, given the text up to there. */
function atTheEnd(format: string, before: string): string | null {
  const { ignoreComment, syntax } = LANGUAGES[format]!;
  if (!syntax) {
    const inTag = before.lastIndexOf("<") > before.lastIndexOf(">");
    return inTag && ignoreComment.includes("<") ? null : ignoreComment;
  }
  const comments = new Comments(SYNTAXES[syntax]!);
  comments.mask(before);
  if (comments.goesOn) return Pragmas.IGNORE_LINE; // another comment would end the one around it
  return before.endsWith("\\") ? null : ignoreComment;
}

/** Comments above and below the paragraph, as far to the right as its first line. */
function aroundParagraph(
  text: string,
  [above, below]: readonly string[],
  start: number,
  end: number,
): Insertion[] {
  const breaks = [...text.matchAll(/\n[ \t\r]*\n/g)].map((found) => [
    found.index,
    found.index + found[0].length,
  ]);
  const first = breaks.findLast(([, to]) => to! <= start)?.[1] ?? 0;
  const last = breaks.find(([from]) => from! >= end)?.[0] ?? text.length;
  const paragraph = text.slice(first, last).trimEnd();
  const margin = /^[ \t]*/.exec(paragraph)![0];
  return [
    { at: first, text: `${margin}${above}\n\n` },
    { at: first + paragraph.length, text: `\n\n${margin}${below}` },
  ];
}
