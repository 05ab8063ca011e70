// Bundles the extension into dist/, and the local engine if js/ has been built.

import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = join(folder, "..", "..");
const js = process.env.RESPELL_JS ?? join(root, "js");
const model = join(root, "src", "respell", "bundles", "default");
const runtime = join(js, "node_modules", "onnxruntime-web", "dist");
const shared = { absWorkingDir: folder, bundle: true, minify: true, platform: "node", target: "node18" };

rmSync(join(folder, "dist"), { recursive: true, force: true });
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
  format: "cjs",
});

if (existsSync(join(js, "dist", "index.js")) && existsSync(runtime)) {
  const engine = join(folder, "dist", "engine");
  mkdirSync(engine, { recursive: true });
  await build({
    ...shared,
    entryPoints: ["src/worker.ts"],
    outfile: "dist/engine/worker.mjs",
    format: "esm",
    alias: {
      respell: join(js, "dist", "index.js"),
      "onnxruntime-web": join(runtime, "ort.node.min.mjs"),
    },
  });
  // The bundle looks for these beside itself.
  for (const name of ["ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"]) {
    copyFileSync(join(runtime, name), join(engine, name));
  }
  cpSync(join(js, "dist", "data"), join(engine, "data"), { recursive: true });
  mkdirSync(join(engine, "model"));
  for (const name of readdirSync(model)) {
    if (name !== "golden.jsonl") copyFileSync(join(model, name), join(engine, "model", name));
  }
} else {
  console.log("no local engine: build js/ first (npm ci && npm run build in js/)");
}
