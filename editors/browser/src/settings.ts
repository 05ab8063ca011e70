/** The settings of the user, stored on this computer. */

export interface Settings {
  readonly preset: string;
  readonly variant: string;
  /** Words to accept and to suggest. */
  readonly words: readonly string[];
  /** Hosts that are not checked. */
  readonly offSites: readonly string[];
}

const DEFAULTS: Settings = { preset: "default", variant: "auto", words: [], offSites: [] };

export async function readSettings(): Promise<Settings> {
  return (await chrome.storage.local.get({ ...DEFAULTS })) as unknown as Settings;
}

export async function writeSettings(changes: Partial<Settings>): Promise<void> {
  await chrome.storage.local.set(changes);
}

/** Call `changed` with the settings after every change, in whatever tab. */
export function watchSettings(changed: (settings: Settings) => void): void {
  chrome.storage.local.onChanged.addListener(async () => changed(await readSettings()));
}

/** Add words to the dictionary. */
export async function learn(...added: readonly string[]): Promise<void> {
  const { words } = await readSettings();
  const known = new Set(words.map((word) => word.toLowerCase()));
  const fresh = added.filter((word) => word && !known.has(word.toLowerCase()));
  if (fresh.length) await writeSettings({ words: [...words, ...fresh] });
}

export async function switchSite(host: string, on: boolean): Promise<void> {
  const { offSites } = await readSettings();
  const others = offSites.filter((other) => other !== host);
  await writeSettings({ offSites: on ? others : [...others, host] });
}
