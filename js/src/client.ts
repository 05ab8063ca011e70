/** For pages: asks a worker, so that the page never waits. */

import type { Calls, Message, Name, Reply } from "./protocol.js";
import { RespellError } from "./types.js";

export type { Found, Info, Places, Units } from "./protocol.js";
export { RespellError } from "./types.js";

/** How a call is followed. */
export interface CallOptions {
  /** Is told how many bytes have arrived. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Cancels the call. The worker stops between two batches of sentences. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((bytes: number) => void) | undefined;
}

/** Calls the functions of a worker. */
export class Client {
  #last = 0;
  #waiting = new Map<number, Waiting>();
  #failed: RespellError | undefined;

  constructor(private readonly worker: Worker) {
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#receive(data));
    worker.addEventListener("error", ({ message }) => {
      this.#fail(new RespellError(`the worker stopped (${message || "it could not be loaded"})`));
    });
  }

  /** Call a function of the worker. Calls may overlap: a short one need not wait for a long one. */
  call<N extends Name>(
    name: N,
    given: Parameters<Calls[N]>,
    { onProgress, signal }: CallOptions = {},
  ): Promise<ReturnType<Calls[N]>> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failed) throw this.#failed; // it would never answer
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#post({ id, name, given });
      signal?.addEventListener("abort", () => this.#cancel(id, signal.reason), { once: true });
    });
  }

  #cancel(id: number, reason: unknown): void {
    this.#waiting.get(id)?.reject(reason);
    if (this.#waiting.delete(id)) this.#post({ id, cancel: true });
  }

  #post(message: Message): void {
    this.worker.postMessage(message);
  }

  #receive(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) return;
    if ("received" in reply) {
      waiting.onProgress?.(reply.received);
      return;
    }
    this.#waiting.delete(reply.id);
    if ("error" in reply) waiting.reject(new RespellError(reply.error));
    else waiting.resolve(reply.answer as never);
  }

  #fail(error: RespellError): void {
    this.#failed = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
