/** The settings page. */

import { VARIANTS } from "../../../../js/src/generated/root.js";
import {
  forget,
  learn,
  readSettings,
  type Settings,
  switchSite,
  watchSettings,
  writeSettings,
} from "../settings.js";
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
  select.addEventListener("change", () => report(writeSettings({ variant: select.value })));
}

/** Say if something could not be stored. */
async function report(done: Promise<void>): Promise<void> {
  const note = byId("problem");
  note.textContent = await done.then(
    () => "",
    (error: Error) => `This could not be stored: ${error.message}`,
  );
}

function list(id: string, names: readonly string[], remove: (name: string) => Promise<void>): void {
  const focused = [...byId(id).querySelectorAll("button")].indexOf(
    document.activeElement as HTMLButtonElement,
  );
  const items = names.map((name) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "✕";
    button.setAttribute("aria-label", `Remove ${name}`);
    button.addEventListener("click", () => report(remove(name)));
    item.append(name, button);
    return item;
  });
  byId(id).replaceChildren(...items);
  // The keyboard goes to what has taken the place of the removed one.
  if (focused >= 0) (items[focused] ?? items.at(-1))?.querySelector("button")?.focus();
  if (focused >= 0 && !items.length) byId("word").focus();
}

function show({ words, offSites }: Settings): void {
  list("words", words, forget);
  list("sites", offSites, (host) => switchSite(host, true));
  byId("all-sites").hidden = offSites.length > 0;
}

byId("add").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId<HTMLInputElement>("word");
  void report(learn(...field.value.split(/[\s,]+/)));
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
