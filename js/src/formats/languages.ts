/** Which format a file has: by its name, or by the id that an editor gives it. */

import { LANGUAGES } from "../generated/grammars.js";

/** The values of `format`. */
export const FORMATS: readonly string[] = Object.keys(LANGUAGES);

const PLAIN = "plain";

/** The letters of a section of the manual: open.3pm has the format of open.3. */
const SUBSECTION = /(?<=^[1-9])[a-z]+$/;

/** Formats by what a column of the table lists. */
function formatsBy(list: (name: string) => readonly string[]): ReadonlyMap<string, string> {
  return new Map(FORMATS.flatMap((name) => list(name).map((key) => [key, name] as const)));
}

const byExtension = formatsBy((name) => LANGUAGES[name]!.extensions);
const byFilename = formatsBy((name) => LANGUAGES[name]!.filenames);
const byEditorId = formatsBy((name) => [name, ...LANGUAGES[name]!.editorIds]);

/** The format of a file, by its name; "plain" if it is not known. */
export function formatOf(path: string): string {
  const name = path.toLowerCase().split(/[\\/]/).at(-1)!;
  const extension = /[^.]\.([^.]+)$/.exec(name)?.[1]?.replace(SUBSECTION, "");
  return (extension ? byExtension.get(extension) : byFilename.get(name)) ?? PLAIN;
}

/** The format of a document by the editor's id or, if that is not known, by its name. */
export function formatInEditor(editorId: string, path: string): string {
  return byEditorId.get(editorId.toLowerCase()) ?? formatOf(path);
}

/** The comment that excludes its line from checking; "" if the format has none. */
export function ignoreComment(format: string): string {
  return LANGUAGES[format]?.ignoreComment ?? "";
}
