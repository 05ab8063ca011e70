/** The language server: find respell, start it, and adapt its quick fixes. */

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  State,
} from "vscode-languageclient/node";
import { dictionaryFixes } from "./dictionary";
import type { Engine } from "./engine";
import { read, selector } from "./settings";

const ADD_WORD = "respell.addWord";
const TIMEOUT = 20_000;
const RESTARTS = 3;
const PYTHONS = process.platform === "win32" ? ["py", "python"] : ["python3", "python"];

/** A command that starts respell; undefined if there is none. */
export async function findCommand(): Promise<readonly string[] | undefined> {
  const { command } = read();
  const candidates = command.length
    ? [command]
    : [["respell"], ...PYTHONS.map((python) => [python, "-m", "respell"])];
  for (const candidate of candidates) {
    if (await isRespell(candidate)) return candidate;
  }
  return undefined;
}

function isRespell([program, ...rest]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program!, [...rest, "--version"], { timeout: TIMEOUT }, (error, stdout) => {
      resolve(!error && stdout.startsWith("respell "));
    });
  });
}

/** Start the server. Throws if it ends at once, as without the Python package pygls. */
export async function startServer(
  [program, ...rest]: readonly string[],
  output: vscode.OutputChannel,
  failed: () => void,
): Promise<Engine> {
  let restarts = 0; // none before the first start: there may be another engine
  const options: LanguageClientOptions = {
    documentSelector: selector() as LanguageClientOptions["documentSelector"],
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
  const run = { command: program!, args: [...rest, "lsp"] };
  const client = new LanguageClient("respell", "respell", run, options);
  await client.start();
  restarts = RESTARTS;
  const watching = client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) failed();
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
