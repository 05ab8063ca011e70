/** Chromium's offscreen document: runs the engine, and closes itself when nobody asks for long. */

import { serve } from "./engine.js";

const IDLE_MS = 10 * 60_000;
let timer = 0;

function rest(): void {
  clearTimeout(timer);
  timer = setTimeout(() => close(), IDLE_MS);
}

serve(rest);
rest();
