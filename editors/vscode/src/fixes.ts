/** The diagnostics and the quick fixes of the local engine; those of the server are in Python. */

import * as vscode from "vscode";
import { formatInEditor } from "../../../js/src/formats/languages.js";
import { dictionaryFixes } from "./dictionary.js";
import { ignoredIn, ignoring } from "./ignoring.js";
import type { Found } from "./protocol.js";

export const FIX_ALL = vscode.CodeActionKind.Source.append("respell.fixAll");
export const IGNORE_WORD = "respell.ignoreWordLocally";
const PROBLEMS: Record<Found["kind"], string> = {
  nonword: "is an unknown word; suggestions",
  realword: "may be the wrong word; suggestions",
  variant: "is the other spelling variant; suggestions",
  split: "should be two words",
  join: "should be one word",
};

/** A misspelling as a diagnostic. */
export class Misspelling extends vscode.Diagnostic {
  constructor(
    range: vscode.Range,
    readonly found: Found,
  ) {
    const severity = found.likely
      ? vscode.DiagnosticSeverity.Warning
      : vscode.DiagnosticSeverity.Information;
    const suggestions = found.suggestions.join(", ");
    super(range, `“${found.original}” ${PROBLEMS[found.kind]}: ${suggestions}`, severity);
    this.source = "respell";
    this.code = "respell";
  }
}

/** The quick fixes of a misspelling. */
export function fixesOf(document: vscode.TextDocument, problem: Misspelling): vscode.CodeAction[] {
  const { original, suggestions, kind } = problem.found;
  const fixes = suggestions.map((suggestion, rank) => {
    const title = `Replace “${original}” with “${suggestion}”`;
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, problem.range, suggestion);
    action.isPreferred = rank === 0;
    return action;
  });
  const title = `Ignore “${original}” in this file for now`;
  const ignoreWord = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  const args = [document.uri.toString(), original];
  ignoreWord.command = { title, command: IGNORE_WORD, arguments: args };
  // Two words are no word of a dictionary.
  if (kind !== "join") fixes.push(...dictionaryFixes(document.uri, original, [problem]));
  fixes.push(ignoreWord, ...ignoreHere(document, problem));
  for (const action of fixes) action.diagnostics = [problem];
  return fixes;
}

/** The action that replaces all misspellings by their first suggestions. */
export function fixOfAll(
  document: vscode.TextDocument,
  problems: readonly Misspelling[],
): vscode.CodeAction {
  const title = `Fix all misspellings in this file (${problems.length})`;
  const action = new vscode.CodeAction(title, FIX_ALL);
  action.edit = new vscode.WorkspaceEdit();
  for (const { range, found } of problems) {
    action.edit.replace(document.uri, range, found.suggestions[0]!);
  }
  return action;
}

/** The quick fix that adds a comment, if one fits there. */
function ignoreHere(document: vscode.TextDocument, { range }: Misspelling): vscode.CodeAction[] {
  const format = formatInEditor(document.languageId, document.uri.path);
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  const insertions = ignoring(document.getText(), format, start, end);
  if (!insertions.length) return [];
  const title = `Ignore this ${ignoredIn(format)} (adds a comment)`;
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.edit = new vscode.WorkspaceEdit();
  for (const { at, text } of insertions) {
    action.edit.insert(document.uri, document.positionAt(at), text);
  }
  return [action];
}
