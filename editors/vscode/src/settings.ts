/** The settings of the section `respell`. */

import * as vscode from "vscode";

export interface Settings {
  readonly enable: boolean;
  readonly engine: "auto" | "server" | "local";
  readonly command: readonly string[];
  readonly languages: readonly string[];
  readonly preset: string | null;
  readonly variant: string | null;
  readonly threshold: number | null;
  readonly maxSuggestions: number | null;
  readonly spacing: boolean | null;
  readonly dictionary: readonly string[];
  readonly dictionaryFile: string | null;
}

export function read(scope?: vscode.Uri): Settings {
  return vscode.workspace.getConfiguration("respell", scope) as unknown as Settings;
}

/** Which documents are checked: files, also of virtual workspaces, unsaved texts, notebook cells. */
export function selector(): vscode.DocumentFilter[] {
  const schemes = ["file", "untitled", "vscode-notebook-cell", "vscode-remote", "vscode-vfs"];
  const { languages } = read();
  const wanted = languages.includes("*") ? ["*"] : languages;
  return schemes.flatMap((scheme) => wanted.map((language) => ({ scheme, language })));
}
