// Compiles src/ into dist/, and bundles what a browser loads.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
rmSync(`${folder}dist`, { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc"], { cwd: folder, stdio: "inherit" });

// The tables that are read when they are needed
const tables = `${folder}../src/respell/decision`;
mkdirSync(`${folder}dist/data`);
for (const name of ["variants.txt", "data/technical.txt.gz", "data/common.txt.gz", "data/name.txt.gz"]) {
  copyFileSync(`${tables}/${name}`, `${folder}dist/data/${basename(name)}`);
}

// What a page loads: the worker with onnxruntime-web in it, and its WebAssembly
await build({
  absWorkingDir: folder,
  entryPoints: ["dist/worker.js", "dist/client.js"],
  outdir: "dist/browser",
  bundle: true,
  format: "esm",
  minify: true,
  platform: "browser",
  target: "es2024",
  logLevel: "warning",
});
const wasm = "ort-wasm-simd-threaded.wasm";
copyFileSync(`${folder}node_modules/onnxruntime-web/dist/${wasm}`, `${folder}dist/browser/${wasm}`);
copyFileSync(`${folder}NOTICE.txt`, `${folder}dist/browser/NOTICE.txt`);
