/** Asks the engine, and starts it if it does not run. */

import { type Calls, ENGINE, type Name, type Open, type Reply, type Request } from "./messages.js";

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

class Closed extends Error {}

let port: Promise<chrome.runtime.Port> | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

/** Whether the extension still runs; after an update, the scripts in open pages are orphans. */
export function isAlive(): boolean {
  return Boolean(chrome.runtime?.id);
}

/** Call a function of the engine. */
export async function ask<N extends Name>(
  name: N,
  ...given: Parameters<Calls[N]>
): Promise<ReturnType<Calls[N]>> {
  try {
    return await askOnce(name, given);
  } catch (error) {
    if (!(error instanceof Closed) || !isAlive()) throw error;
    return askOnce(name, given); // the engine was resting
  }
}

async function askOnce<N extends Name>(
  name: N,
  given: Parameters<Calls[N]>,
): Promise<ReturnType<Calls[N]>> {
  port ??= connect();
  const open = await port;
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    try {
      open.postMessage({ id, name, given } satisfies Request);
    } catch {
      disconnected();
    }
  });
}

async function connect(): Promise<chrome.runtime.Port> {
  try {
    const message: Open = { type: "open" };
    const error: string | undefined = await chrome.runtime.sendMessage(message);
    if (error) throw new Error(error);
    const opened = chrome.runtime.connect({ name: ENGINE });
    opened.onMessage.addListener(receive);
    opened.onDisconnect.addListener(disconnected);
    return opened;
  } catch (error) {
    port = undefined;
    throw error;
  }
}

function receive(reply: Reply): void {
  const asked = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ("error" in reply) asked?.reject(new Error(reply.error));
  else asked?.resolve(reply.answer as never);
}

function disconnected(): void {
  void chrome.runtime?.lastError; // read, or the browser logs it
  port = undefined;
  const lost = [...waiting.values()];
  waiting.clear();
  for (const { reject } of lost) reject(new Closed("the engine has stopped"));
}
