/** The popup of the toolbar button: this site, the preset, and the state of the model. */

import { ask } from "../connection.js";
import type { AskSite, Site } from "../messages.js";
import { readSettings, switchSite } from "../settings.js";
import { byId, offerPresets } from "./presets.js";

async function showSite(): Promise<void> {
  const on = byId<HTMLInputElement>("on");
  try {
    const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
    const message: AskSite = { type: "site" };
    const { host }: Site = await chrome.tabs.sendMessage(tab!.id!, message, { frameId: 0 });
    byId("site").textContent = host;
    on.checked = !(await readSettings()).offSites.includes(host);
    on.addEventListener("change", () => void switchSite(host, on.checked));
  } catch {
    byId("site-row").hidden = true; // no script of ours runs there
    byId("no-site").hidden = false;
  }
}

async function showModel(): Promise<void> {
  try {
    const { name, edition } = await ask("info");
    byId("model").textContent = `Model: ${name}, edition ${edition}. Your text stays in this browser.`;
  } catch (error) {
    byId("model").textContent = `The model cannot be used: ${(error as Error).message}`;
  }
}

void showSite();
void readSettings().then(offerPresets);
void showModel();
