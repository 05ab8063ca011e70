/** The extension: start an engine, and connect it with commands and the status bar. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { ADD_TO_USER, ADD_TO_WORKSPACE, addToUser, addToWorkspace } from "./dictionary";
import type { Engine } from "./engine";
import { startLocal } from "./local";
import { findCommand, startServer } from "./server";
import { read } from "./settings";
import { menu, Status } from "./status";

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
      this.#status.show("on", this.#engine.name);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#output.appendLine(message);
      this.#status.show("failed", message);
      void vscode.window.showErrorMessage(`respell: ${message}`);
    }
  }

  async #open(): Promise<Engine> {
    const wanted = read().engine;
    const folder = join(this.context.extensionPath, "dist", "engine");
    const hasLocal = existsSync(join(folder, "worker.mjs"));
    const command = wanted === "local" ? undefined : await findCommand();
    if (command) {
      this.#output.appendLine(`command: ${command.join(" ")}`);
      try {
        return await startServer(command, this.#output, () => this.#status.show("failed"));
      } catch (error) {
        if (wanted === "server" || !hasLocal) throw error;
        this.#output.appendLine(`${String(error)}; the local engine is used`);
      }
    }
    if (wanted !== "server" && hasLocal) return startLocal(folder, this.#output);
    throw new Error(
      wanted === "local"
        ? "this build of the extension has no local engine; install respell and set respell.engine to auto"
        : "respell was not found; install it (pip install '.[lsp]' in a checkout), or set respell.command",
    );
  }

  async #add(add: typeof addToUser, uri: string, word: string): Promise<void> {
    await add(vscode.Uri.parse(uri), word);
    await this.#engine?.reload();
  }

  async stop(): Promise<void> {
    await this.#starting;
    await this.#engine?.stop();
    for (const one of [this.#status, this.#output]) one.dispose();
  }
}

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension(context);
  return extension.restart();
}

export function deactivate(): Promise<void> | undefined {
  return extension?.stop();
}
