/** The settings page. */

import { VARIANTS } from "../../../../js/src/generated/root.js";
import { learn, readSettings, type Settings, switchSite, watchSettings, writeSettings } from "../settings.js";
import { byId, offerPresets } from "./presets.js";

const LABELS: Record<string, string> = {
  auto: "as in the text",
  "en-GB": "British",
  "en-US": "American",
};

function offerVariants({ variant }: Settings): void {
  const select = byId<HTMLSelectElement>("variant");
  for (const name of VARIANTS) select.add(new Option(LABELS[name] ?? name, name));
  select.value = variant;
  select.addEventListener("change", () => void writeSettings({ variant: select.value }));
}

function list(id: string, names: readonly string[], remove: (name: string) => unknown): void {
  const items = names.map((name) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "✕";
    button.setAttribute("aria-label", `Remove ${name}`);
    button.addEventListener("click", () => remove(name));
    item.append(name, button);
    return item;
  });
  byId(id).replaceChildren(...items);
}

function show({ words, offSites }: Settings): void {
  list("words", words, async (word) => {
    const { words: now } = await readSettings();
    await writeSettings({ words: now.filter((other) => other !== word) });
  });
  list("sites", offSites, (host) => switchSite(host, true));
  byId("all-sites").hidden = offSites.length > 0;
}

byId("add").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId<HTMLInputElement>("word");
  void learn(...field.value.split(/[\s,]+/));
  field.value = "";
});
watchSettings(show);
void readSettings().then((settings) => {
  offerVariants(settings);
  show(settings);
  return offerPresets(settings);
});
void chrome.commands.getAll().then((commands) => {
  byId("shortcut").textContent = commands.find(({ name }) => name === "next-misspelling")?.shortcut || "not set";
});
