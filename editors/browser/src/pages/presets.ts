/** The choice of a preset, on both pages of the extension. */

import { NOTES } from "../../../../src/respell/server/static/settings.js";
import { type Settings, writeSettings } from "../settings.js";

/** The element with an id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Offer the presets of the model. */
export async function offerPresets({ preset }: Settings): Promise<void> {
  const response = await fetch(chrome.runtime.getURL("engine/model/config.json"));
  const { presets } = (await response.json()) as { presets: Record<string, unknown> };
  const notes: Record<string, string> = NOTES;
  for (const name of Object.keys(presets)) {
    const label = document.createElement("label");
    const radio = document.createElement("input");
    const note = document.createElement("small");
    radio.type = "radio";
    radio.name = "preset";
    radio.value = name;
    radio.checked = name === preset;
    radio.addEventListener("change", () => void writeSettings({ preset: name }));
    note.textContent = notes[name] ?? "";
    label.append(radio, name[0]!.toUpperCase() + name.slice(1), note);
    byId("presets").append(label);
  }
}
