/** The engine inside the extension: a worker thread checks the open documents. */

import { join } from "node:path";
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { dictionaryFixes, words } from "./dictionary";
import type { Engine } from "./engine";
import { ignoreEdit, languageOf } from "./ignoring";
import type { Answer, Found, Request } from "./protocol";
import { read, selector } from "./settings";

const DELAY = 300; // milliseconds between the last keystroke and the check
const PAUSE = 1500; // until the word that is being typed is reported
const FIX_ALL = vscode.CodeActionKind.Source.append("respell.fixAll");
const IGNORE_WORD = "respell.ignoreWordLocally";
const PROBLEMS = {
  nonword: "is an unknown word",
  realword: "may be the wrong word",
  variant: "is the other spelling variant",
};

/** A misspelling as a diagnostic. */
class Misspelling extends vscode.Diagnostic {
  constructor(
    range: vscode.Range,
    readonly found: Found,
  ) {
    const severity = found.likely
      ? vscode.DiagnosticSeverity.Warning
      : vscode.DiagnosticSeverity.Information;
    const suggestions = found.suggestions.join(", ");
    super(range, `“${found.original}” ${PROBLEMS[found.kind]}; suggestions: ${suggestions}`, severity);
    this.source = "respell";
    this.code = "respell";
  }
}

class Local implements Engine, vscode.CodeActionProvider {
  readonly name = "local engine";
  readonly #worker: Worker;
  readonly #diagnostics = vscode.languages.createDiagnosticCollection("respell");
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #found = new Map<string, readonly Misspelling[]>();
  readonly #ignored = new Map<string, Set<string>>();
  readonly #selector = selector();
  readonly #subscriptions: vscode.Disposable[];
  #requests = 0;
  #typed: { uri: string; at: vscode.Position; timer: NodeJS.Timeout } | undefined;

  constructor(
    folder: string,
    private readonly output: vscode.OutputChannel,
  ) {
    this.#worker = new Worker(join(folder, "worker.mjs"), { workerData: folder });
    this.#worker.on("message", (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    this.#worker.on("error", (error) => {
      for (const [id, answer] of this.#waiting) answer({ id, error: String(error) });
      this.#waiting.clear();
    });
    const kinds = [vscode.CodeActionKind.QuickFix, FIX_ALL];
    this.#subscriptions = [
      this.#diagnostics,
      vscode.languages.registerCodeActionsProvider(this.#selector, this, {
        providedCodeActionKinds: kinds,
      }),
      vscode.workspace.onDidOpenTextDocument((document) => this.#schedule(document, 0)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      vscode.workspace.onDidSaveTextDocument(() => this.reload()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("respell")) void this.reload();
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#moved(event)),
      vscode.commands.registerCommand(IGNORE_WORD, (uri: string, word: string) => {
        this.#ignored.set(uri, (this.#ignored.get(uri) ?? new Set()).add(word.toLowerCase()));
        this.#publish(vscode.Uri.parse(uri));
      }),
    ];
  }

  /** Wait until the model is loaded. */
  async ready(): Promise<void> {
    const { error } = await this.#ask("", "plain", { dictionary: [] });
    if (error !== undefined) throw new Error(error);
  }

  async reload(): Promise<void> {
    for (const document of vscode.workspace.textDocuments) this.#schedule(document, 0);
  }

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const wanted = context.only ?? vscode.CodeActionKind.Empty;
    const all = this.#shown(document.uri);
    const actions: vscode.CodeAction[] = [];
    if (wanted.contains(vscode.CodeActionKind.QuickFix)) {
      const touched = all.filter((one) => one.range.intersection(range));
      actions.push(...touched.flatMap((one) => this.#fixes(document, one)));
    }
    if (wanted.contains(FIX_ALL) && all.length) {
      const title = `Fix all misspellings in this file (${all.length})`;
      const action = new vscode.CodeAction(title, FIX_ALL);
      action.edit = new vscode.WorkspaceEdit();
      for (const { range, found } of all) {
        action.edit.replace(document.uri, range, found.suggestions[0]!);
      }
      actions.push(action);
    }
    return actions;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    if (this.#typed) clearTimeout(this.#typed.timer);
    for (const one of this.#subscriptions) one.dispose();
    await this.#worker.terminate();
  }

  #fixes(document: vscode.TextDocument, problem: Misspelling): vscode.CodeAction[] {
    const { original, suggestions } = problem.found;
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
    fixes.push(...dictionaryFixes(document.uri, original, [problem]), ignoreWord);
    const ignored = ignoreEdit(document, problem.range.start);
    if (ignored) {
      const action = new vscode.CodeAction(ignored.title, vscode.CodeActionKind.QuickFix);
      action.edit = ignored.edit;
      fixes.push(action);
    }
    for (const action of fixes) action.diagnostics = [problem];
    return fixes;
  }

  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const last = contentChanges.at(-1);
    if (!last || !this.#wants(document)) return;
    const uri = document.uri.toString();
    if (this.#typed) clearTimeout(this.#typed.timer);
    const at = document.positionAt(last.rangeOffset + last.text.length);
    this.#typed = { uri, at, timer: setTimeout(() => this.#stopTyping(), PAUSE) };
    this.#schedule(document, DELAY);
  }

  #moved({ textEditor, selections }: vscode.TextEditorSelectionChangeEvent): void {
    const typed = this.#typed;
    if (!typed || textEditor.document.uri.toString() !== typed.uri) return;
    const word = textEditor.document.getWordRangeAtPosition(typed.at);
    if (!selections.some(({ active }) => word?.contains(active) ?? active.isEqual(typed.at))) {
      this.#stopTyping();
    }
  }

  #stopTyping(): void {
    const typed = this.#typed;
    if (!typed) return;
    clearTimeout(typed.timer);
    this.#typed = undefined;
    this.#publish(vscode.Uri.parse(typed.uri));
  }

  #wants(document: vscode.TextDocument): boolean {
    return vscode.languages.match(this.#selector, document) > 0;
  }

  #schedule(document: vscode.TextDocument, delay: number): void {
    if (!this.#wants(document)) return;
    const uri = document.uri.toString();
    clearTimeout(this.#timers.get(uri));
    this.#timers.set(uri, setTimeout(() => void this.#check(document), delay));
  }

  #forget({ uri }: vscode.TextDocument): void {
    clearTimeout(this.#timers.get(uri.toString()));
    for (const kept of [this.#timers, this.#found, this.#ignored]) kept.delete(uri.toString());
    this.#diagnostics.delete(uri);
  }

  async #check(document: vscode.TextDocument): Promise<void> {
    const { uri, version } = document;
    const { preset, variant, threshold, maxSuggestions } = read(uri);
    const { found, error } = await this.#ask(document.getText(), languageOf(document).format, {
      ...(preset && { preset }),
      ...(variant && { variant }),
      ...(threshold !== null && { threshold }),
      ...(maxSuggestions !== null && { maxSuggestions }),
      dictionary: await words(uri),
    });
    if (error !== undefined) this.output.appendLine(`local engine: ${error}`);
    if (document.isClosed || document.version !== version) return; // the text has changed since
    const range = (one: Found) =>
      new vscode.Range(document.positionAt(one.start), document.positionAt(one.end));
    this.#found.set(uri.toString(), (found ?? []).map((one) => new Misspelling(range(one), one)));
    this.#publish(uri);
  }

  #ask(text: string, format: string, options: Request["options"]): Promise<Answer> {
    const id = (this.#requests += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, text, format, options } satisfies Request);
    });
  }

  #shown(uri: vscode.Uri): Misspelling[] {
    const ignored = this.#ignored.get(uri.toString());
    const at = this.#typed?.uri === uri.toString() ? this.#typed.at : undefined;
    return (this.#found.get(uri.toString()) ?? []).filter(
      ({ range, found }) =>
        !ignored?.has(found.original.toLowerCase()) &&
        !(at && range.contains(at) && !range.start.isEqual(at)),
    );
  }

  #publish(uri: vscode.Uri): void {
    this.#diagnostics.set(uri, this.#shown(uri));
  }
}

/** Start the worker and wait until its model is loaded. */
export async function startLocal(folder: string, output: vscode.OutputChannel): Promise<Engine> {
  const local = new Local(folder, output);
  try {
    await local.ready();
  } catch (error) {
    await local.stop();
    throw error;
  }
  void local.reload();
  return local;
}
