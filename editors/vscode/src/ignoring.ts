/** Comments that exclude a line or a paragraph, for the local engine. */

import * as vscode from "vscode";
import table from "./languages.json";

interface Language {
  readonly format: string;
  readonly comment: string | null;
  readonly above: readonly string[];
  readonly apart: boolean;
  readonly code: boolean;
}

const LANGUAGES: Readonly<Record<string, Language>> = table;
const PLAIN = LANGUAGES["plain"]!;

/** The language of a document; plain text if it is not known. */
export function languageOf(document: vscode.TextDocument): Language {
  return LANGUAGES[document.languageId] ?? PLAIN;
}

/** The edit that excludes a line from checking; undefined if no comment fits there. */
export function ignoreEdit(
  document: vscode.TextDocument,
  at: vscode.Position,
): { readonly title: string; readonly edit: vscode.WorkspaceEdit } | undefined {
  const { comment, above, apart, code } = languageOf(document);
  const edit = new vscode.WorkspaceEdit();
  const line = document.lineAt(at.line);
  const text = line.text.trimEnd();
  if (comment) {
    const before = document.getText(new vscode.Range(0, 0, at.line, text.length));
    const open = code
      ? text.endsWith("\\") || before.lastIndexOf("/*") > before.lastIndexOf("*/")
      : comment.startsWith("<") && before.lastIndexOf("<") > before.lastIndexOf(">");
    if (open) return undefined;
    edit.insert(document.uri, new vscode.Position(at.line, text.length), ` ${comment}`);
  } else if (apart) {
    const [first, last] = paragraph(document, at.line);
    const margin = /^\s*/.exec(document.lineAt(first).text)![0];
    edit.insert(document.uri, new vscode.Position(first, 0), `${margin}${above[0]}\n\n`);
    edit.insert(document.uri, document.lineAt(last).range.end, `\n\n${margin}${above[1]}`);
  } else if (above.length) {
    const format = languageOf(document).format;
    const margin = format === "asciidoc" ? "" : /^\s*/.exec(text)![0];
    edit.insert(document.uri, new vscode.Position(at.line, 0), `${margin}${above[0]}\n`);
  } else {
    return undefined;
  }
  return { title: `Ignore this ${apart ? "paragraph" : "line"} (adds a comment)`, edit };
}

function paragraph(document: vscode.TextDocument, line: number): [number, number] {
  let [first, last] = [line, line];
  const blank = (i: number) => document.lineAt(i).isEmptyOrWhitespace;
  while (first > 0 && !blank(first - 1)) first -= 1;
  while (last + 1 < document.lineCount && !blank(last + 1)) last += 1;
  return [first, last];
}
