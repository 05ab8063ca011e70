// What the tests share.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const BUNDLE = fileURLToPath(new URL("../../src/respell/bundles/default", import.meta.url));

/** The model whose answers the cases have; another folder may have been given. */
export const MODEL = process.env["RESPELL_MODEL"] ?? BUNDLE;

/** The cases of a file that Python wrote, or null; the folder may have been given. */
export function cases(name) {
  const folder = process.env["RESPELL_CASES"] ?? fileURLToPath(new URL("cases", import.meta.url));
  if (!existsSync(`${folder}/${name}`)) return null;
  return readFileSync(`${folder}/${name}`, "utf8").trim().split("\n").map((line) => JSON.parse(line));
}
