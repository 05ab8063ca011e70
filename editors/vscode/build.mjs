// Bundles the extension and its local engine into dist/.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPackage, copyEngine, copyLicences } from "../engine.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const runtime = `${buildPackage()}/node_modules/onnxruntime-web/dist`;
const shared = {
  absWorkingDir: folder,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  metafile: true,
  logLevel: "warning",
};

rmSync(`${folder}dist`, { recursive: true, force: true });
const { metafile } = await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
  format: "cjs",
});
await build({
  ...shared,
  entryPoints: ["src/worker.ts"],
  outfile: "dist/engine/worker.mjs",
  format: "esm",
});
// The bundle looks for these beside itself.
for (const name of ["ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"]) {
  copyFileSync(`${runtime}/${name}`, `${folder}dist/engine/${name}`);
}
copyEngine(`${folder}dist/engine`);
copyLicences(folder);
writeFileSync(`${folder}NOTICE.txt`, notices(metafile), { flag: "a" });

/** The licences of the packages in a bundle. */
function notices({ inputs }) {
  const packages = Object.keys(inputs).map(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  return [...new Set(packages.filter(Boolean))].sort().map(notice).join("");
}

function notice(path) {
  const read = (name) => readFileSync(`${folder}${path}/${name}`, "utf8");
  const { name, version, license } = JSON.parse(read("package.json"));
  const file = readdirSync(`${folder}${path}`).find((one) => /^(licen[cs]e|copying)/i.test(one));
  return `\n${"-".repeat(80)}\n\n${name} ${version} (${license})\n\n${read(file).trim()}\n`;
}
