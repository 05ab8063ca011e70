// Connects the parts of the page: editor, checker, menu, panel, settings and files.

import { info } from "./api.js";
import { Checker } from "./check.js";
import { Editor } from "./editor.js";
import { ApiError } from "./error.js";
import { EXAMPLE } from "./example.js";
import { Panel } from "./explain.js";
import { FileView } from "./files.js";
import { Menu } from "./menu.js";
import { Settings } from "./settings.js";
import {
  applyAll,
  count,
  editBetween,
  fits,
  place,
  shift,
  withoutOverlaps,
  wordAt,
} from "./text.js";

const RETRY_MS = 3_000;
const KINDS = new Set(["nonword", "realword"]); // of findings; the legend explains them
const byId = (id) => document.getElementById(id);

const textarea = byId("text");
const editor = new Editor(textarea, byId("overlay"));
const panel = new Panel(byId("explain"));
const settings = new Settings(() => check());
const checker = new Checker({
  onAnswer: answered,
  onError: failed,
  visibleStart: () => editor.visibleStart(),
});
const menu = new Menu(byId("menu"), { accept, ignore, learn, move, escaped, closed });
const files = new FileView({
  options,
  writeThreshold: () => settings.writeThreshold,
  edit: openText,
  onError: (error) => (error.offline ? failed(error) : notice(error.message)),
  announce,
});

let text = textarea.value; // the text that the findings refer to
let ignored = []; // findings that the user ignores; they move with the text
let cleared = ""; // the text that Undo brings back
let leaving = false; // after Escape, Tab leaves the text
let retryTimer = 0;
let informed = false; // whether /v1/info has been answered

// --- checking -------------------------------------------------------------------------------

function setState(state) {
  document.body.dataset.state = state;
  const { findings } = editor;
  const sum = findings.length ? count(findings.length, "possible misspelling") : "No misspellings";
  const labels = { checking: "Checking…", ready: sum, offline: "Not checked" };
  const empty = cleared ? "Text cleared" : "";
  byId("status").textContent = text.trim() ? labels[state] : empty;
  byId("accept-all").disabled = !findings.length;
  byId("copy").disabled = byId("clear").disabled = !text;
  byId("example").hidden = Boolean(text);
  byId("undo").hidden = !cleared;
  byId("other-kinds").hidden = findings.every(({ kind }) => KINDS.has(kind));
}

/** The options of a request. */
function options() {
  const format = byId("markdown").checked ? "markdown" : "plain";
  return { ...settings.options, format };
}

function check(wait) {
  setState("checking");
  checker.schedule(text, options(), wait);
}

function answered(checked, parts, complete) {
  if (complete) online();
  const isIgnored = (found) => ignored.some((one) => same(one, found));
  const findings = place(parts, editor.findings).filter((found) => fits(checked, found));
  const shown = withoutOverlaps(findings.filter((found) => !isIgnored(found)));
  const open = menu.found;
  const again = open && shown.find((found) => same(found, open));
  if (open && !again) menu.close();
  if (again) menu.found = again;
  editor.show(shown, again);
  setState(complete ? "ready" : "checking");
}

function same(one, other) {
  return one.start === other.start && one.original === other.original;
}

function failed(error) {
  notice(error.message);
  setState("offline");
  clearTimeout(retryTimer);
  // Try again if the server is down; a text that it refuses would be refused again.
  const retryable = error instanceof ApiError && (error.offline || error.status >= 500);
  if (retryable) retryTimer = setTimeout(retry, RETRY_MS);
}

function notice(message) {
  byId("banner-text").textContent = message;
  byId("banner").hidden = false;
}

function online() {
  clearTimeout(retryTimer);
  byId("banner").hidden = true;
}

async function retry() {
  if (!informed) await showInfo();
  if (informed) check(0);
}

async function showInfo() {
  try {
    const { version, name, edition, presets } = await info();
    informed = true;
    settings.offer(presets);
    byId("about").textContent = `respell ${version} · ${name}, edition ${edition}`;
  } catch (error) {
    failed(error);
  }
}

// --- editing --------------------------------------------------------------------------------

function edited(event) {
  const before = text;
  ({ text } = editor);
  const edit = editBetween(before, text);
  ignored = shift(ignored, edit, text);
  menu.close();
  editor.show(shift(editor.findings, edit, text));
  leaving = false;
  if (text) cleared = "";
  else panel.clear();
  setState("checking");
  if (event.isComposing) checker.stop();
  else checker.schedule(text, options());
}

/** Replace the whole text; the browser can undo it. */
function openText(newText, format = "plain") {
  byId("markdown").checked = format === "markdown";
  editor.replace(0, text.length, newText);
  textarea.setSelectionRange(0, 0);
  byId("editor").scrollTop = 0;
}

function showExample() {
  openText(EXAMPLE);
  announce("Example text inserted");
}

function clear() {
  cleared = text;
  editor.replace(0, text.length, "");
  announce("Text cleared");
}

function undoClear() {
  editor.replace(0, 0, cleared);
  announce("Text restored");
}

function accept(found, replacement) {
  menu.close();
  if (!fits(editor.text, found)) return;
  editor.replace(found.start, found.end, replacement);
  announce(`${found.original} replaced by ${replacement}`);
}

function acceptAll() {
  menu.close();
  const { findings } = editor;
  if (!findings.length) return;
  const [first, last] = [findings[0].start, findings.at(-1).end];
  const corrected = applyAll(text, findings);
  const tail = text.length - last;
  editor.replace(first, last, corrected.slice(first, corrected.length - tail));
  announce(`${count(findings.length, "correction")} accepted`);
}

function ignore(found) {
  menu.close();
  ignored.push(found);
  editor.show(editor.findings.filter((one) => one !== found));
  back(found.end);
  setState(document.body.dataset.state);
  announce(`${found.original} ignored`);
}

function learn(found) {
  menu.close();
  back(found.end);
  settings.learn(found.original);
  announce(`${found.original} added to your dictionary`);
}

function back(caret) {
  textarea.focus({ preventScroll: true });
  textarea.setSelectionRange(caret, caret);
}

/** Tell screen readers. */
function announce(message) {
  byId("announcement").textContent = message;
}

async function copy() {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    textarea.select(); // without https there is no clipboard API
    document.execCommand("copy");
  }
  byId("copy").textContent = "Copied";
  announce("Text copied");
  setTimeout(() => {
    byId("copy").textContent = "Copy";
  }, 1_500);
}

// --- selecting a word -----------------------------------------------------------------------

function choose(found, { focus }) {
  menu.close();
  editor.show(editor.findings, found);
  const mark = editor.markOf(found);
  if (focus) {
    textarea.setSelectionRange(found.start, found.end);
    mark.scrollIntoView({ block: "nearest" });
  }
  menu.show(found, mark, { focus });
  panel.show(text, found.start, options().format);
}

/** Keep the menu at its word; close it if the word is out of view. */
function scrolled() {
  if (!menu.open) return;
  const mark = editor.markOf(menu.found);
  const word = mark.getBoundingClientRect();
  const view = byId("editor").getBoundingClientRect();
  if (word.bottom > view.top && word.top < view.bottom) {
    menu.place(mark);
    return;
  }
  if (byId("menu").contains(document.activeElement)) textarea.focus({ preventScroll: true });
  menu.close();
}

function closed() {
  editor.show(editor.findings); // without an active mark
}

function escaped() {
  leaving = true;
  textarea.focus({ preventScroll: true });
}

function move(found, backwards) {
  const next = editor.neighbour(backwards ? found.start : found.end, backwards);
  menu.close();
  if (next) choose(next, { focus: true });
  else if (backwards) textarea.focus();
  else byId("accept-all").focus();
}

function clicked() {
  leaving = false;
  if (textarea.selectionStart !== textarea.selectionEnd) return;
  const found = editor.findingAt(editor.caret);
  if (found) {
    choose(found, { focus: false });
    return;
  }
  menu.close();
  explainCaret();
}

function explainCaret() {
  const word = wordAt(text, editor.caret);
  if (word) panel.show(text, word[0], options().format);
}

/** The misspelling that Tab goes to: the next one, or the first if there is none. */
function fromCaret(backwards) {
  if (backwards) return editor.neighbour(textarea.selectionStart, true);
  const from = textarea.selectionEnd;
  return editor.neighbour(from) ?? editor.neighbour(0);
}

function onKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Tab") {
    const next = !leaving && fromCaret(event.shiftKey);
    if (!next) return; // no misspelling, or Escape was pressed: Tab moves the focus as usual
    event.preventDefault();
    choose(next, { focus: true });
    return;
  }
  if (event.key === "Escape") menu.close();
  if (event.key !== "Shift") leaving = event.key === "Escape";
  if (menu.open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    menu.focus();
  } else if (event.key.startsWith("Arrow")) {
    menu.close();
  }
}

// --- start ----------------------------------------------------------------------------------

textarea.addEventListener("input", edited);
textarea.addEventListener("compositionend", () => check());
textarea.addEventListener("click", clicked);
textarea.addEventListener("keydown", onKey);
textarea.addEventListener("keyup", (event) => {
  if (/^(Arrow|Home|End|Page)/.test(event.key)) explainCaret();
});
textarea.addEventListener("blur", () => {
  leaving = false;
});
document.addEventListener("pointerdown", (event) => {
  if (!byId("menu").contains(event.target) && event.target !== textarea) menu.close();
});
window.addEventListener("resize", () => menu.close());
byId("accept-all").addEventListener("click", acceptAll);
byId("copy").addEventListener("click", copy);
byId("example").addEventListener("click", showExample);
byId("clear").addEventListener("click", clear);
byId("undo").addEventListener("click", undoClear);
byId("markdown").addEventListener("change", () => check());
byId("editor").addEventListener("scroll", scrolled);
byId("retry").addEventListener("click", retry);
setState("ready");
showInfo().then(() => {
  if (text) check(0); // the browser has restored the text of an earlier visit
});
