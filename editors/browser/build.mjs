// Writes the unpacked extensions: dist/chromium and dist/firefox.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPackage, copyEngine, copyLicences, version } from "../engine.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const engine = buildPackage();
const { FILLER } = await import(`${engine}/dist/formats/scanner.js`);

/** What differs between the browsers. */
const TARGETS = {
  chromium: {
    entries: ["background", "offscreen"],
    manifest: {
      minimum_chrome_version: "125",
      background: { service_worker: "background.js" },
      permissions: ["storage", "offscreen"],
    },
  },
  firefox: {
    entries: ["backgroundPage"], // it has a document, so it needs no offscreen one
    manifest: {
      background: { scripts: ["backgroundPage.js"] },
      browser_specific_settings: {
        gecko: {
          id: "respell@respell.invalid",
          strict_min_version: "142.0",
          data_collection_permissions: { required: ["none"] },
        },
      },
    },
  },
};

/** The API of the server's page, answered by our own engine. */
const ownEngine = {
  name: "own-engine",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/api\.js$/ }, () => ({ path: `${folder}src/content/api.ts` })),
};

const manifest = JSON.parse(readFileSync(`${folder}manifest.json`, "utf8"));

rmSync(`${folder}dist`, { recursive: true, force: true });
for (const [name, { entries, manifest: own }] of Object.entries(TARGETS)) {
  const out = `${folder}dist/${name}`;
  mkdirSync(out, { recursive: true });
  await build({
    absWorkingDir: folder,
    entryPoints: [...entries, "content/content", "pages/popup", "pages/options"].map(
      (entry) => `src/${entry}.ts`,
    ),
    entryNames: "[name]",
    outdir: out,
    bundle: true,
    format: "iife",
    define: { FILLER: JSON.stringify(FILLER) },
    loader: { ".css": "text" },
    plugins: [ownEngine],
    platform: "browser",
    target: "es2024",
    logLevel: "warning",
  });
  cpSync(`${folder}static`, out, { recursive: true });
  if (name !== "chromium") rmSync(`${out}/offscreen.html`);
  copyEngine(`${out}/engine`);
  cpSync(`${engine}/dist/browser/worker.js`, `${out}/engine/worker.js`);
  cpSync(`${engine}/dist/browser/ort-wasm-simd-threaded.wasm`, `${out}/engine/ort.wasm`);
  copyLicences(out);
  writeFileSync(
    `${out}/manifest.json`,
    `${JSON.stringify({ ...manifest, version: version(), ...own }, null, 2)}\n`,
  );
}
