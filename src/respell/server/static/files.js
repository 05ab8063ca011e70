// Corrects a whole file: shows the changes and offers them for download.

import { checkOnce } from "./check.js";
import { applyAll, count, diffLines, fits } from "./text.js";

const NAMES = /\.(txt|text|md|markdown)$/i;
const MARKDOWN = /\.(md|markdown)$/i;
const MAX_BYTES = 5_000_000;
const MAX_LINES = 2_000; // lines of a diff shown on the page; the download has all

/**
 * The view of one file. `hooks` has options(), writeThreshold(), edit(text, format), onError(error)
 * and announce(text).
 */
export class FileView {
  #running = null;
  #file = null;

  constructor(hooks) {
    this.hooks = hooks;
    this.node = byId("file");
    this.#listen();
  }

  async open(file) {
    this.close();
    const running = new AbortController();
    this.#running = running;
    try {
      const text = await readText(file);
      this.#begin(file.name);
      const onProgress = (part) => {
        byId("file-progress").value = part;
      };
      const options = { ...this.hooks.options(), format: formatOf(file.name) };
      const findings = await checkOnce(text, options, { signal: running.signal, onProgress });
      const fitting = findings.filter((found) => fits(text, found));
      if (this.#running === running) this.#show(file.name, text, fitting);
    } catch (error) {
      if (this.#running !== running) return;
      this.close();
      this.hooks.onError(error);
    }
  }

  close() {
    this.#running?.abort();
    this.#running = null;
    this.#file = null;
    this.node.hidden = true;
  }

  #begin(name) {
    byId("file-title").textContent = name;
    byId("file-summary").textContent = "Checking…";
    byId("file-progress").removeAttribute("value"); // no progress known yet
    byId("file-progress").hidden = false;
    byId("file-done").hidden = true;
    this.node.hidden = false;
    this.node.scrollIntoView({ block: "nearest" });
  }

  #show(name, text, findings) {
    const least = this.hooks.writeThreshold();
    const sure = findings.filter((found) => found.automatic !== false && found.score >= least);
    const corrected = applyAll(text, sure);
    const lines = diffLines(name, text, corrected);
    this.#file = { name, text, corrected, diff: lines.map(([, line]) => line).join("") };
    const summary = summarize(sure.length, findings.length - sure.length);
    byId("file-summary").textContent = summary;
    byId("file-progress").hidden = true;
    byId("file-done").hidden = false;
    byId("file-download").disabled = byId("file-diff").disabled = !sure.length;
    draw(byId("diff"), lines);
    this.node.focus();
    this.hooks.announce(`${name}: ${summary}`);
  }

  #listen() {
    const input = byId("file-input");
    byId("open-file").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      if (input.files.length) this.open(input.files[0]);
      input.value = ""; // so that the same file can be chosen again
    });
    byId("file-close").addEventListener("click", () => {
      this.close();
      byId("open-file").focus();
    });
    byId("file-download").addEventListener("click", () => {
      download(this.#file.corrected, this.#file.name);
    });
    byId("file-diff").addEventListener("click", () => {
      download(this.#file.diff, `${this.#file.name}.diff`);
    });
    byId("file-edit").addEventListener("click", () => {
      const { name, text } = this.#file;
      this.close();
      this.hooks.edit(text, formatOf(name));
    });
    this.#listenToDrops();
  }

  #listenToDrops() {
    let depth = 0; // every element under the pointer sends dragenter and dragleave
    const drop = byId("drop");
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    const on = (name, act) => {
      window.addEventListener(name, (event) => {
        if (!hasFiles(event)) return; // dragged text goes into the textarea as usual
        event.preventDefault();
        act(event);
        drop.hidden = depth <= 0;
      });
    };
    on("dragenter", () => {
      depth += 1;
    });
    on("dragleave", () => {
      depth -= 1;
    });
    on("dragover", () => {});
    on("drop", (event) => {
      depth = 0;
      if (event.dataTransfer.files.length) this.open(event.dataTransfer.files[0]);
    });
  }
}

function byId(id) {
  return document.getElementById(id);
}

function summarize(corrections, unsure) {
  if (!corrections && !unsure) return "No misspellings found";
  const left = `${count(unsure, "less certain finding")} not changed; open the file in the editor`;
  return `${count(corrections, "correction")}${unsure ? `, ${left}` : ""}`;
}

function formatOf(name) {
  return MARKDOWN.test(name) ? "markdown" : "plain";
}

/** The text of a file, including its byte order mark and line ends. */
async function readText(file) {
  if (!NAMES.test(file.name)) throw new Error(`${file.name} is not a .txt or .md file.`);
  if (file.size > MAX_BYTES) throw new Error(`${file.name} is larger than 5 MB; use the command line.`);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const bytes = await file.arrayBuffer();
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Error(`${file.name} is not UTF-8 text.`);
  }
}

function draw(node, lines) {
  const shown = lines.slice(0, MAX_LINES).map(([kind, line]) => {
    const row = document.createElement("div");
    row.className = kind;
    row.textContent = line;
    return row;
  });
  if (lines.length > MAX_LINES) {
    const more = document.createElement("div");
    more.className = "head";
    more.textContent = `${count(lines.length - MAX_LINES, "more line")} in the download`;
    shown.push(more);
  }
  node.replaceChildren(...shown);
  node.hidden = !lines.length;
}

function download(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
