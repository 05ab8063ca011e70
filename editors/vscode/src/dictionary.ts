/** The dictionaries of the user and of the workspace. */

import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import { read } from "./settings.js";

export const ADD_TO_USER = "respell.addToUserDictionary";
export const ADD_TO_WORKSPACE = "respell.addToWorkspaceDictionary";
const WORDS_FILE = "respell-words.txt";

/** The quick fixes that add a word. */
export function dictionaryFixes(
  uri: vscode.Uri,
  word: string,
  diagnostics: vscode.Diagnostic[] | undefined,
): vscode.CodeAction[] {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const places: [string, string][] = [[`Add “${word}” to the user dictionary`, ADD_TO_USER]];
  if (folder) places.unshift([`Add “${word}” to the workspace dictionary`, ADD_TO_WORKSPACE]);
  return places.map(([title, command]) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { title, command, arguments: [uri.toString(), word] };
    if (diagnostics) action.diagnostics = diagnostics;
    return action;
  });
}

/** Add a word to the settings of the user. */
export async function addToUser(uri: vscode.Uri, word: string): Promise<void> {
  const settings = vscode.workspace.getConfiguration("respell", uri);
  const words = settings.inspect<string[]>("dictionary")?.globalValue ?? [];
  if (words.includes(word)) return;
  await settings.update("dictionary", [...words, word].sort(), vscode.ConfigurationTarget.Global);
}

/** Add a word to the file of the workspace, which is named in the settings if nothing names it. */
export async function addToWorkspace(uri: vscode.Uri, word: string): Promise<void> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) return addToUser(uri, word);
  let file = await workspaceFile(folder);
  if (!file) {
    const settings = vscode.workspace.getConfiguration("respell", folder.uri);
    const target = vscode.ConfigurationTarget.WorkspaceFolder;
    await settings.update("dictionaryFile", WORDS_FILE, target);
    file = vscode.Uri.joinPath(folder.uri, WORDS_FILE);
  }
  const old = await textToChange(file);
  if (old.split(/\r?\n/).includes(word)) return;
  const gap = old === "" || old.endsWith("\n") ? "" : "\n";
  await vscode.workspace.fs.writeFile(file, Buffer.from(`${old}${gap}${word}\n`));
}

/** The words of a document's dictionaries, for the local engine. */
export async function words(uri: vscode.Uri): Promise<string[]> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const file = folder && (await workspaceFile(folder));
  const lines = file ? (await text(file)).split(/\r?\n/) : [];
  const listed = lines.map((line) => line.replace(/(^|\s)#.*/, "").trim()).filter(Boolean);
  return [...read(uri).dictionary, ...listed];
}

/** The dictionary file: that of the settings, or the first one of the configuration file. */
async function workspaceFile(folder: vscode.WorkspaceFolder): Promise<vscode.Uri | undefined> {
  const { dictionaryFile } = read(folder.uri);
  if (dictionaryFile) return resolve(folder, dictionaryFile);
  if (!vscode.workspace.isTrusted) return undefined;
  for (const name of ["respell.toml", "pyproject.toml"]) {
    const config = await text(vscode.Uri.joinPath(folder.uri, name));
    const first = /^\s*dictionary_files\s*=\s*\[\s*["']([^"']+)["']/m.exec(config)?.[1];
    if (first) return resolve(folder, first);
  }
  return undefined;
}

function resolve(folder: vscode.WorkspaceFolder, path: string): vscode.Uri {
  const full = path.replace(/^~(?=[\\/])/, homedir());
  return isAbsolute(full) ? vscode.Uri.file(full) : vscode.Uri.joinPath(folder.uri, path);
}

/** The text of a file, or "" if there is none. Other errors are thrown: nothing may be lost. */
async function textToChange(file: vscode.Uri): Promise<string> {
  const missing = vscode.FileSystemError.FileNotFound().code;
  const content = await vscode.workspace.fs.readFile(file).then(undefined, (error: unknown) => {
    if (error instanceof vscode.FileSystemError && error.code === missing) return new Uint8Array();
    throw new Error(`${file.fsPath} cannot be read, so the word was not added`);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Error(`${file.fsPath} is not UTF-8, so the word was not added`);
  }
}

async function text(file: vscode.Uri): Promise<string> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8");
  } catch {
    return ""; // there is no such file
  }
}
