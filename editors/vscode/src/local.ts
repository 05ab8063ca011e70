/** The engine inside the extension: a worker thread checks the open documents. */

import { join } from "node:path";
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { formatInEditor } from "../../../js/src/formats/languages.js";
import { words } from "./dictionary.js";
import type { Engine } from "./engine.js";
import { FIX_ALL, fixesOf, fixOfAll, IGNORE_WORD, Misspelling } from "./fixes.js";
import type { Answer, Found, Request } from "./protocol.js";
import { read, selector } from "./settings.js";

const DELAY = 300; // milliseconds between the last keystroke and the check
const PAUSE = 1500; // until the word that is being typed is reported

/** What was found in one version of a document. */
interface Checked {
  readonly version: number;
  readonly found: readonly Misspelling[];
}

/** The checks of a document: one runs, and one that reads the latest text may wait for its end. */
interface Checks {
  running: Promise<void>;
  next: Promise<void> | undefined;
}

class Local implements Engine, vscode.CodeActionProvider {
  readonly name = "local engine";
  readonly #worker: Worker;
  readonly #diagnostics = vscode.languages.createDiagnosticCollection("respell");
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #checks = new Map<string, Checks>();
  readonly #checked = new Map<string, Checked>();
  readonly #ignored = new Map<string, Set<string>>();
  readonly #selector = selector();
  readonly #subscriptions: vscode.Disposable[];
  #requests = 0;
  #stopped = "";
  #problem: string | undefined;
  #typed: { uri: string; at: vscode.Position; timer: NodeJS.Timeout } | undefined;

  /** `failed` is called if the worker ends by itself. */
  constructor(
    folder: string,
    private readonly output: vscode.OutputChannel,
    private readonly failed: (message: string) => void,
  ) {
    this.#worker = new Worker(join(folder, "worker.mjs"), { workerData: folder });
    this.#worker.on("message", (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    this.#worker.on("error", (error) => this.#end(String(error)));
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
        const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
        if (document) this.#publish(document);
      }),
    ];
  }

  /** Wait until the model is loaded. */
  async ready(): Promise<void> {
    const { error } = await this.#ask("", { dictionary: [] });
    if (error !== undefined) throw new Error(error);
  }

  async reload(): Promise<void> {
    for (const document of vscode.workspace.textDocuments) this.#schedule(document, 0);
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    const wanted = context.only ?? vscode.CodeActionKind.Empty;
    const found = await this.#current(document);
    // Who asks for the fixes of a word has typed it.
    const asked = context.triggerKind === vscode.CodeActionTriggerKind.Invoke;
    const all = found.filter((one) => !this.#isIgnored(document, one));
    const shown = asked ? all : all.filter((one) => !this.#isTyped(document, one));
    const actions: vscode.CodeAction[] = [];
    if (wanted.contains(vscode.CodeActionKind.QuickFix)) {
      const touched = shown.filter((one) => one.range.intersection(range));
      actions.push(...touched.flatMap((one) => fixesOf(document, one)));
    }
    if (wanted.contains(FIX_ALL) && shown.length) actions.push(fixOfAll(document, shown));
    return actions;
  }

  async stop(): Promise<void> {
    this.#stopped = "the engine was stopped";
    for (const timer of this.#timers.values()) clearTimeout(timer);
    if (this.#typed) clearTimeout(this.#typed.timer);
    for (const one of this.#subscriptions) one.dispose();
    await this.#worker.terminate();
  }

  /** The worker has ended: answer what was asked, and tell the user. */
  #end(message: string): void {
    if (this.#stopped) return;
    this.#stopped = message;
    for (const [id, answer] of this.#waiting) answer({ id, error: message });
    this.#waiting.clear();
    this.failed(message);
  }

  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const last = contentChanges.at(-1);
    if (!last || !this.#wants(document)) return;
    const uri = document.uri.toString();
    if (this.#typed) clearTimeout(this.#typed.timer);
    const at = document.positionAt(last.rangeOffset + last.text.length);
    this.#typed = { uri, at, timer: setTimeout(() => this.#stopTyping(document), PAUSE) };
    this.#schedule(document, DELAY);
  }

  #moved({ textEditor: { document }, selections }: vscode.TextEditorSelectionChangeEvent): void {
    const typed = this.#typed;
    if (!typed || document.uri.toString() !== typed.uri) return;
    const word = document.getWordRangeAtPosition(typed.at);
    if (!selections.some(({ active }) => word?.contains(active) ?? active.isEqual(typed.at))) {
      this.#stopTyping(document);
    }
  }

  #stopTyping(document: vscode.TextDocument): void {
    if (!this.#typed) return;
    clearTimeout(this.#typed.timer);
    this.#typed = undefined;
    this.#publish(document);
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
    const all = [this.#timers, this.#checks, this.#checked, this.#ignored];
    for (const kept of all) kept.delete(uri.toString());
    this.#diagnostics.delete(uri);
  }

  /** The misspellings in the current text of a document, for which a check may be necessary. */
  async #current(document: vscode.TextDocument): Promise<readonly Misspelling[]> {
    while (!document.isClosed && !this.#stopped && this.#wants(document)) {
      const known = this.#checked.get(document.uri.toString());
      if (known?.version === document.version) return known.found;
      await this.#check(document);
    }
    return [];
  }

  /** Check the text that a document has when its other checks have ended. */
  #check(document: vscode.TextDocument): Promise<void> {
    const uri = document.uri.toString();
    clearTimeout(this.#timers.get(uri));
    const checks = this.#checks.get(uri) ?? { running: Promise.resolve(), next: undefined };
    this.#checks.set(uri, checks);
    checks.next ??= checks.running.then(() => {
      checks.next = undefined;
      checks.running = this.#find(document);
      return checks.running;
    });
    return checks.next;
  }

  async #find(document: vscode.TextDocument): Promise<void> {
    const { uri, version } = document;
    if (document.isClosed || this.#stopped) return;
    const { preset, variant, threshold, maxSuggestions, spacing } = read(uri);
    const { found = [], error } = await this.#ask(document.getText(), {
      format: formatInEditor(document.languageId, uri.path),
      preset: preset ?? undefined,
      variant: variant ?? undefined,
      threshold: threshold ?? undefined,
      maxSuggestions: maxSuggestions ?? undefined,
      spacing: spacing ?? undefined,
      dictionary: await words(uri),
    });
    if (error !== this.#problem && error !== undefined && !this.#stopped) this.#report(error);
    this.#problem = error;
    if (document.isClosed || document.version !== version) return; // the text has changed since
    const range = (one: Found) =>
      new vscode.Range(document.positionAt(one.start), document.positionAt(one.end));
    const problems = found.map((one) => new Misspelling(range(one), one));
    this.#checked.set(uri.toString(), { version, found: problems });
    this.#publish(document);
  }

  #report(error: string): void {
    this.output.appendLine(`local engine: ${error}`);
    void vscode.window.showErrorMessage(`respell: ${error}`);
  }

  #ask(text: string, options: Request["options"]): Promise<Answer> {
    const id = (this.#requests += 1);
    if (this.#stopped) return Promise.resolve({ id, error: this.#stopped });
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, text, options } satisfies Request);
    });
  }

  #isIgnored({ uri }: vscode.TextDocument, { found }: Misspelling): boolean {
    return this.#ignored.get(uri.toString())?.has(found.original.toLowerCase()) ?? false;
  }

  /** Whether a word is still being typed. */
  #isTyped({ uri }: vscode.TextDocument, { range }: Misspelling): boolean {
    if (this.#typed?.uri !== uri.toString()) return false;
    return range.contains(this.#typed.at) && !range.start.isEqual(this.#typed.at);
  }

  /** Show what is known; if the text has changed since, a check that is scheduled will do so. */
  #publish(document: vscode.TextDocument): void {
    const known = this.#checked.get(document.uri.toString());
    if (known?.version !== document.version) return;
    const isShown = (one: Misspelling) =>
      !this.#isIgnored(document, one) && !this.#isTyped(document, one);
    this.#diagnostics.set(document.uri, known.found.filter(isShown));
  }
}

/** Start the worker and wait until its model is loaded. `failed` is called if it ends by itself. */
export async function startLocal(
  folder: string,
  output: vscode.OutputChannel,
  failed: (message: string) => void,
): Promise<Engine> {
  const local = new Local(folder, output, failed);
  try {
    await local.ready();
  } catch (error) {
    await local.stop();
    throw error;
  }
  void local.reload();
  return local;
}
