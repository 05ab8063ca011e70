// Writes the unpacked extensions: dist/chromium and dist/firefox.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = `${folder}../..`;
const engine = `${root}/js`;
const npm = (...given) =>
  execFileSync("npm", given, { cwd: engine, stdio: "inherit", shell: process.platform === "win32" });

if (!existsSync(`${engine}/node_modules`)) npm("ci");
npm("run", "build");
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
const version = /^__version__ = "(\d+\.\d+\.\d+)/m.exec(
  readFileSync(`${root}/src/respell/__init__.py`, "utf8"),
)[1];

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
  cpSync(`${engine}/dist/browser/worker.js`, `${out}/engine/worker.js`);
  cpSync(`${engine}/dist/browser/ort-wasm-simd-threaded.wasm`, `${out}/engine/ort.wasm`);
  cpSync(`${engine}/dist/data`, `${out}/engine/data`, { recursive: true });
  const model = `${root}/src/respell/bundles/default`;
  const { sha256 } = JSON.parse(readFileSync(`${model}/config.json`, "utf8"));
  for (const file of ["config.json", ...Object.keys(sha256)]) {
    cpSync(`${model}/${file}`, `${out}/engine/model/${file}`);
  }
  cpSync(`${root}/LICENSE`, `${out}/LICENSE`);
  writeFileSync(
    `${out}/manifest.json`,
    `${JSON.stringify({ ...manifest, version, ...own }, null, 2)}\n`,
  );
}
