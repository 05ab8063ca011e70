/** The worker thread of the local engine: it loads the model and checks texts, one at a time. */

import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { load, Offsets } from "../../../js/src/node.js";
import type { Answer, Found, Request } from "./protocol.js";

const LIKELY = 0.9; // as the language server, a warning from this error probability on
const corrector = load({ model: join(workerData as string, "model") });
corrector.catch(() => undefined); // reported by the first check
let last = Promise.resolve();
parentPort!.on("message", (request: Request) => {
  last = last.then(async () => parentPort!.postMessage(await answer(request)));
});

async function answer({ id, text, options }: Request): Promise<Answer> {
  try {
    return { id, found: await check(text, options) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

async function check(text: string, options: Request["options"]): Promise<Found[]> {
  const offsets = new Offsets(text);
  const corrections = await (await corrector).checkDocument(text, options);
  return corrections.map((correction) => ({
    start: offsets.toUtf16(correction.start),
    end: offsets.toUtf16(correction.end),
    original: correction.original,
    suggestions: correction.suggestions.map((suggestion) => suggestion.text),
    kind: correction.kind,
    likely: correction.error_probability >= LIKELY,
  }));
}
