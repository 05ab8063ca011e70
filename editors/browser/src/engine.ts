/** Runs the model in a worker, and answers the content scripts and the pages of the extension. */

import { Client } from "../../../js/src/client.js";
import { type Calls, ENGINE, type Info, type Reply, type Request } from "./messages.js";

interface Running {
  readonly client: Client;
  readonly info: Info;
}

let running: Promise<Running> | undefined;

/** The worker with the model, which is started at the first request. */
function start(): Promise<Running> {
  if (!running) {
    const started = load(() => {
      if (running === started) running = undefined; // the next request starts a new one
    });
    running = started;
  }
  return running;
}

async function load(failed: () => void): Promise<Running> {
  const at = (path: string) => chrome.runtime.getURL(`engine/${path}`);
  const worker = new Worker(at("worker.js"), { type: "module" });
  worker.addEventListener("error", failed);
  const client = new Client(worker);
  try {
    const places = { model: at("model"), data: at("data"), wasm: at("ort.wasm") };
    return { client, info: await client.call("load", [places]) };
  } catch (error) {
    failed();
    worker.terminate();
    throw error;
  }
}

const answers: { [N in keyof Calls]: (...given: Parameters<Calls[N]>) => Promise<unknown> } = {
  async check(texts, options) {
    const { client } = await start();
    return client.call("check", [texts, options, "utf16"]);
  },
  async checkDocument(texts, options) {
    const { client } = await start();
    return client.call("checkDocument", [texts, options, "utf16"]);
  },
  async info() {
    return (await start()).info;
  },
};

async function answer({ id, name, given }: Request): Promise<Reply> {
  try {
    const act = answers[name] as (...given: unknown[]) => Promise<unknown>;
    return { id, answer: await act(...given) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Answer requests from now on; `asked` is called at each. */
export function serve(asked: () => void = () => {}): void {
  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== ENGINE) return;
    let open = true;
    port.onDisconnect.addListener(() => {
      open = false;
    });
    port.onMessage.addListener(async (request: Request) => {
      asked();
      const reply = await answer(request);
      asked();
      if (open) port.postMessage(reply);
    });
  });
}
