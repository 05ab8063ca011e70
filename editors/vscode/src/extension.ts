/** The extension: start an engine, and connect it with commands and the status bar. */

import { join } from "node:path";
import * as vscode from "vscode";
import { ADD_TO_USER, ADD_TO_WORKSPACE, addToUser, addToWorkspace } from "./dictionary.js";
import type { Engine } from "./engine.js";
import { startLocal } from "./local.js";
import { findCommand, startServer } from "./server.js";
import { read } from "./settings.js";
import { menu, Status } from "./status.js";

const NOT_FOUND =
  "respell was not found; install it with its language server, or set respell.command or respell.engine";
const RESTARTING = ["enable", "engine", "command", "languages"].map((key) => `respell.${key}`);

class Extension {
  readonly #status = new Status();
  readonly #output = vscode.window.createOutputChannel("respell");
  #engine: Engine | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {
    const commands: Record<string, (...args: string[]) => unknown> = {
      "respell.menu": menu,
      "respell.output": () => this.#output.show(),
      "respell.restart": () => this.restart(),
      "respell.toggle": () =>
        vscode.workspace
          .getConfiguration("respell")
          .update("enable", !read().enable, vscode.ConfigurationTarget.Global),
      "respell.fixAll": () =>
        vscode.commands.executeCommand("editor.action.codeAction", {
          kind: "source.respell.fixAll",
          apply: "first",
        }),
      [ADD_TO_USER]: (uri, word) => this.#add(addToUser, uri!, word!),
      [ADD_TO_WORKSPACE]: (uri, word) => this.#add(addToWorkspace, uri!, word!),
    };
    for (const [name, run] of Object.entries(commands)) {
      context.subscriptions.push(vscode.commands.registerCommand(name, run));
    }
    context.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (RESTARTING.some((key) => event.affectsConfiguration(key))) void this.restart();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
    );
  }

  /** Stop the engine and start the one that the settings ask for. */
  restart(): Promise<void> {
    this.#starting = this.#starting.then(() => this.#start());
    return this.#starting;
  }

  async #start(): Promise<void> {
    const old = this.#engine;
    this.#engine = undefined;
    await old?.stop().catch((error: unknown) => this.#output.appendLine(String(error)));
    if (!read().enable) return this.#status.show("off");
    this.#status.show("starting");
    try {
      this.#engine = await this.#open();
      this.#output.appendLine(`the ${this.#engine.name} is running`);
      this.#status.show("on", this.#engine.name);
    } catch (error) {
      this.#failed(messageOf(error));
    }
  }

  /** Nothing is checked any more: say why, and what to do. */
  #failed(message: string): void {
    this.#status.show("failed", message);
    void this.#tell(message, vscode.window.showErrorMessage);
  }

  async #tell(message: string, show: typeof vscode.window.showErrorMessage): Promise<void> {
    this.#output.appendLine(message);
    const choices = { Restart: "respell.restart", "Show Output": "respell.output" };
    const choice = await show(`respell: ${message}`, ...Object.keys(choices));
    if (choice) await vscode.commands.executeCommand(choices[choice as keyof typeof choices]);
  }

  /** Start the engine of the settings; in a workspace that is not trusted, the local one. */
  async #open(): Promise<Engine> {
    const folder = join(this.context.extensionPath, "dist", "engine");
    const failed = (message: string) => this.#failed(message);
    const wanted = vscode.workspace.isTrusted ? read().engine : "local";
    if (wanted !== "local") {
      try {
        const command = await findCommand(folder);
        if (command) return await startServer(command, this.#output, failed);
        if (wanted === "server") throw new Error(NOT_FOUND);
      } catch (error) {
        if (wanted === "server") throw error;
        const message = `${messageOf(error)}; the engine inside the extension is used`;
        // A command that the user has named should work.
        if (read().command.length) void this.#tell(message, vscode.window.showWarningMessage);
        else this.#output.appendLine(message);
      }
    }
    return startLocal(folder, this.#output, failed);
  }

  async #add(add: typeof addToUser, uri: string, word: string): Promise<void> {
    try {
      await add(vscode.Uri.parse(uri), word);
    } catch (error) {
      void vscode.window.showErrorMessage(`respell: ${messageOf(error)}`);
      return;
    }
    await this.#engine?.reload();
  }

  async stop(): Promise<void> {
    await this.#starting;
    await this.#engine?.stop();
    for (const one of [this.#status, this.#output]) one.dispose();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension(context);
  return extension.restart();
}

export function deactivate(): Promise<void> | undefined {
  return extension?.stop();
}
