// Bundles the page with real editors into a folder: node test/build.mjs OUT

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [out] = process.argv.slice(2);
await build({
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  entryPoints: ["test/editors.js"],
  outfile: `${out}/editors.js`,
  bundle: true,
  format: "iife",
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".ttf": "dataurl" },
  logLevel: "error",
});
writeFileSync(
  `${out}/editors.html`,
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Editors</title>
<link rel="stylesheet" href="editors.css">
<style>section { min-height: 3rem; margin: 1rem; border: 1px solid; } #ace, #monaco { height: 6rem; }</style>
<body><script src="editors.js"></script></body></html>
`,
);
