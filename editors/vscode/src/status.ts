/** The item in the status bar, and the menu behind it. */

import * as vscode from "vscode";
import { read } from "./settings.js";

type State = "starting" | "on" | "off" | "failed";
const ICONS: Record<State, string> = {
  starting: "$(loading~spin)",
  on: "$(check)",
  off: "$(circle-slash)",
  failed: "$(error)",
};

export class Status implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "respell",
    vscode.StatusBarAlignment.Right,
    100,
  );
  readonly #changes: vscode.Disposable[];
  #state: State = "starting";
  #detail = "";

  constructor() {
    this.#item.name = "respell";
    this.#item.command = "respell.menu";
    this.#changes = [
      vscode.languages.onDidChangeDiagnostics(() => this.#draw()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#draw()),
    ];
    this.show("starting");
  }

  show(state: State, detail = ""): void {
    this.#state = state;
    this.#detail = detail;
    this.#draw();
  }

  #draw(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const found = uri ? vscode.languages.getDiagnostics(uri).filter(isOurs).length : 0;
    const count = this.#state === "on" && found ? ` ${found}` : "";
    const icon = count ? "$(warning)" : ICONS[this.#state];
    this.#item.text = `${icon} respell${count}`;
    const problems = found === 1 ? "1 misspelling" : `${found} misspellings`;
    this.#item.tooltip = [this.#state === "on" ? problems : this.#state, this.#detail]
      .filter(Boolean)
      .join(" · ");
    this.#item.show();
  }

  dispose(): void {
    for (const one of [this.#item, ...this.#changes]) one.dispose();
  }
}

function isOurs(diagnostic: vscode.Diagnostic): boolean {
  return diagnostic.source === "respell";
}

/** Let the user choose what to do. */
export async function menu(): Promise<void> {
  const { enable } = read();
  const picked = await vscode.window.showQuickPick(
    [
      { label: enable ? "Turn off" : "Turn on", command: "respell.toggle", args: [] },
      { label: "Fix all misspellings in this file", command: "respell.fixAll", args: [] },
      { label: "Restart", command: "respell.restart", args: [] },
      { label: "Settings", command: "workbench.action.openSettings", args: ["@ext:respell.respell"] },
      { label: "Show output", command: "respell.output", args: [] },
    ],
    { title: "respell" },
  );
  if (picked) await vscode.commands.executeCommand(picked.command, ...picked.args);
}
