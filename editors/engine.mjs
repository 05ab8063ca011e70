// What the extensions take from other folders: the JavaScript package, the model, the licences.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MODEL = `${ROOT}src/respell/bundles/default`;

/** Build the JavaScript package; returns its folder. */
export function buildPackage() {
  const cwd = `${ROOT}js`;
  const npm = (...given) =>
    execFileSync("npm", given, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (!existsSync(`${cwd}/node_modules`)) npm("ci");
  npm("run", "build");
  return cwd;
}

/** The version of respell, without what marks an unfinished one. */
export function version() {
  const source = readFileSync(`${ROOT}src/respell/__init__.py`, "utf8");
  return /^__version__ = "(\d+\.\d+\.\d+)/m.exec(source)[1];
}

/** Copy the model and its card, and the tables of the package, into a folder. */
export function copyEngine(out) {
  const { sha256 } = JSON.parse(readFileSync(`${MODEL}/config.json`, "utf8"));
  mkdirSync(`${out}/model`, { recursive: true });
  for (const file of ["README.md", "config.json", ...Object.keys(sha256)]) {
    copyFileSync(`${MODEL}/${file}`, `${out}/model/${file}`);
  }
  cpSync(`${ROOT}js/dist/data`, `${out}/data`, { recursive: true });
}

/** Copy the licences of respell and of onnxruntime into a folder. */
export function copyLicences(out) {
  copyFileSync(`${ROOT}LICENSE`, `${out}/LICENSE`);
  copyFileSync(`${ROOT}js/NOTICE.txt`, `${out}/NOTICE.txt`);
}
