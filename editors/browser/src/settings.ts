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

let last: Promise<unknown> = Promise.resolve();

/** Change what is stored. Changes wait for each other, so none is lost. */
function change(changes: (settings: Settings) => Partial<Settings>): Promise<void> {
  const done = last.then(async () => writeSettings(changes(await readSettings())));
  last = done.catch(() => {}); // the caller hears of it
  return done;
}

/** Add words to the dictionary. */
export function learn(...added: readonly string[]): Promise<void> {
  return change(({ words }) => {
    const fresh = new Map(added.map((word) => [word.toLowerCase(), word]));
    for (const known of ["", ...words]) fresh.delete(known.toLowerCase());
    return { words: [...words, ...fresh.values()] };
  });
}

/** Remove a word from the dictionary. */
export function forget(word: string): Promise<void> {
  return change(({ words }) => ({ words: words.filter((other) => other !== word) }));
}

export function switchSite(host: string, on: boolean): Promise<void> {
  return change(({ offSites }) => {
    const others = offSites.filter((other) => other !== host);
    return { offSites: on ? others : [...others, host] };
  });
}
