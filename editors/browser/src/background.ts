/** Chromium's service worker: opens the document that runs the model, and passes on shortcuts. */

import { listen } from "./listen.js";

const DOCUMENT = "offscreen.html";
let opening: Promise<void> | undefined;

listen(() => {
  opening ??= open().finally(() => {
    opening = undefined;
  });
  return opening;
});

async function open(): Promise<void> {
  const found = await chrome.runtime.getContexts({
    contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
  });
  if (found.length) return;
  await chrome.offscreen.createDocument({
    url: DOCUMENT,
    reasons: [chrome.offscreen.Reason.WORKERS],
    justification: "A worker runs the model that checks your text.",
  });
}
