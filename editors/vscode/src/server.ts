/** The language server: find respell, start it, and adapt its quick fixes. */

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  type DocumentSelector,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  State,
} from "vscode-languageclient/node";
import { dictionaryFixes } from "./dictionary.js";
import type { Engine } from "./engine.js";
import { read, selector } from "./settings.js";

const ADD_WORD = "respell.addWord";
const TIMEOUT = 20_000;
const RESTARTS = 3;
const PYTHONS = process.platform === "win32" ? ["py", "python"] : ["python3", "python"];

/** A command, and the folder that it runs in. */
export interface Command {
  readonly words: readonly string[];
  readonly cwd: string;
}

/**
 * A command that starts respell; undefined if none is found. Throws if the one of the settings does
 * not. It runs in a folder of our own: Python would import modules of a workspace.
 */
export async function findCommand(cwd: string): Promise<Command | undefined> {
  const { command } = read();
  if (command.length) {
    const problem = await problemOf({ words: command, cwd });
    if (!problem) return { words: command, cwd };
    throw new Error(`respell.command (${command.join(" ")}) does not start respell: ${problem}`);
  }
  for (const words of [["respell"], ...PYTHONS.map((python) => [python, "-m", "respell"])]) {
    if (!(await problemOf({ words, cwd }))) return { words, cwd };
  }
  return undefined;
}

/** Why a command does not start respell; empty if it does. */
function problemOf({ words: [program, ...rest], cwd }: Command): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT, cwd };
    execFile(program!, [...rest, "--version"], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.startsWith("respell ") ? "" : "it is another program");
      const said = stderr.trim().split("\n").at(-1);
      resolve(error.killed ? `no answer after ${TIMEOUT / 1000} seconds` : said || error.message);
    });
  });
}

/**
 * Start the server. Throws if it ends at once, as without the Python package pygls. `failed` is
 * called if it ends by itself later, again and again.
 */
export async function startServer(
  { words: [program, ...rest], cwd }: Command,
  output: vscode.OutputChannel,
  failed: (message: string) => void,
): Promise<Engine> {
  let restarts = 0; // none before the first start: there may be another engine
  const options: LanguageClientOptions = {
    documentSelector: selector() as DocumentSelector,
    outputChannel: output,
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher("**/{respell,pyproject}.toml"),
    },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        const action = restarts > 0 ? CloseAction.Restart : CloseAction.DoNotRestart;
        restarts -= 1;
        return { action, handled: true };
      },
    },
    middleware: {
      provideCodeActions: async (document, range, context, token, next) =>
        (await next(document, range, context, token))?.flatMap((action) => adapt(action)),
    },
  };
  const run = { command: program!, args: [...rest, "lsp"], options: { cwd } };
  const client = new LanguageClient("respell", "respell", run, options);
  await client.start();
  // The client also returns if the server has ended while it was starting.
  if (!client.isRunning()) throw new Error(`${program} ${run.args.join(" ")} ended at once`);
  restarts = RESTARTS;
  const watching = client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped && restarts < 0) failed("the language server has stopped");
  });
  return {
    name: "language server",
    reload: () => client.sendNotification("workspace/didChangeConfiguration", { settings: null }),
    stop: () => {
      watching.dispose();
      return client.dispose();
    },
  };
}

/** Offer two dictionaries instead of the one of the server. */
function adapt(action: vscode.Command | vscode.CodeAction): (vscode.Command | vscode.CodeAction)[] {
  const command = action instanceof vscode.CodeAction ? action.command : undefined;
  if (command?.command !== ADD_WORD) return [action];
  const [uri, word] = command.arguments as [string, string];
  const { diagnostics } = action as vscode.CodeAction;
  return dictionaryFixes(vscode.Uri.parse(uri), word, diagnostics);
}
