/** What the background does in every browser. */

import type { Next, Open } from "./messages.js";

/** Answer requests to start the engine, and pass on the shortcut. */
export function listen(open: () => Promise<void>): void {
  chrome.runtime.onMessage.addListener((message: Open, _sender, reply: (error?: string) => void) => {
    if (message.type !== "open") return false;
    open().then(
      () => reply(),
      (error: unknown) => reply(String(error)),
    );
    return true; // the answer comes later
  });
  chrome.commands.onCommand.addListener(async (command) => {
    if (command !== "next-misspelling") return;
    const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
    if (tab?.id === undefined) return;
    const message: Next = { type: "next" };
    await chrome.tabs.sendMessage(tab.id, message).catch(() => {}); // a page without our script
  });
}
