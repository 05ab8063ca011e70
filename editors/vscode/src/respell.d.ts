/** What the worker uses of the JavaScript package in js/, which the build bundles. */

declare module "respell" {
  type ReadFile = (name: string) => Promise<Uint8Array>;
  interface Correction {
    readonly start: number;
    readonly end: number;
    readonly original: string;
    readonly suggestions: readonly { readonly text: string }[];
    readonly kind: "nonword" | "realword" | "variant";
    readonly error_probability: number;
  }
  interface Corrector {
    checkDocument(text: string, options: object): Promise<Correction[]>;
  }
  export class Offsets {
    constructor(text: string);
    toUtf16(offset: number): number;
  }
  export function load(options: {
    model: ReadFile;
    data: ReadFile;
    runtime: unknown;
  }): Promise<Corrector>;
}

declare module "onnxruntime-web" {
  export const env: { wasm: { numThreads: number } };
}
