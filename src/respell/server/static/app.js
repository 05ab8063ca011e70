// Puts the page together: the editor, the checker, the menu, the panel, settings and files.

import { ApiError, info } from "./api.js";
import { Checker } from "./check.js";
import { Editor } from "./editor.js";
import { Panel } from "./explain.js";
import { FileView } from "./files.js";
import { Menu } from "./menu.js";
import { Settings } from "./settings.js";
import { applyAll, count, fits, shift, wordAt } from "./text.js";

const RETRY_MS = 3_000;
const byId = (id) => document.getElementById(id);

const textarea = byId("text");
const editor = new Editor(textarea, byId("overlay"));
const panel = new Panel(byId("explain"));
const settings = new Settings(() => check());
const checker = new Checker({ onAnswer: answered, onError: failed });
const menu = new Menu(byId("menu"), { accept, ignore, learn, move, escaped, closed });
const files = new FileView({
  options: () => settings.options,
  edit: (text) => editor.replace(0, editor.text.length, text),
  trouble: (error) => (error.offline ? failed(error) : notice(error.message)),
  say,
});

let text = textarea.value; // what the findings are about
let ignored = []; // findings the user has waved through; they move with the text
let leaving = false; // after Escape, Tab leaves the text
let retryTimer = 0;
let known = false; // whether the server has told about its model

// --- checking -------------------------------------------------------------------------------

function setState(state) {
  document.body.dataset.state = state;
  const { findings } = editor;
  const sum = findings.length ? count(findings.length, "possible misspelling") : "No misspellings";
  const words = { checking: "Checking…", ready: text.trim() ? sum : "", offline: "Not checked" };
  byId("status").textContent = words[state];
  byId("accept-all").disabled = !findings.length;
  byId("copy").disabled = !text;
}

function check(wait) {
  setState("checking");
  checker.schedule(text, settings.options, wait);
}

function answered(about, findings) {
  online();
  const isIgnored = (found) =>
    ignored.some((one) => one.start === found.start && one.original === found.original);
  const shown = findings.filter((found) => fits(about, found) && !isIgnored(found));
  const open = menu.found;
  const again = open && shown.find((found) => same(found, open));
  if (open && !again) menu.close();
  if (again) menu.found = again;
  editor.show(shown, again);
  setState("ready");
}

function same(one, other) {
  return one.start === other.start && one.original === other.original;
}

function failed(error) {
  notice(error.message);
  setState("offline");
  clearTimeout(retryTimer);
  // A text the server refuses will not do better next time; a server that is away may come back.
  const hope = error instanceof ApiError && (error.offline || error.status >= 500);
  if (hope) retryTimer = setTimeout(retry, RETRY_MS);
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
  if (!known) await introduce();
  if (known) check(0);
}

async function introduce() {
  try {
    const about = await info();
    known = true;
    settings.offer(about.presets);
    const parts = [`respell ${about.version}`, about.name];
    byId("about").textContent = parts.filter(Boolean).join(" · ");
  } catch (error) {
    failed(error);
  }
}

// --- editing --------------------------------------------------------------------------------

function edited(event) {
  const before = text;
  ({ text } = editor);
  ignored = shift(ignored, before, text).filter((found) => fits(text, found));
  menu.close();
  editor.show(shift(editor.findings, before, text).filter((found) => fits(text, found)));
  leaving = false;
  if (!text) panel.clear();
  setState("checking");
  if (event.isComposing) checker.stop();
  else checker.schedule(text, settings.options);
}

function accept(found, replacement) {
  menu.close();
  if (!fits(editor.text, found)) return;
  editor.replace(found.start, found.end, replacement);
  say(`${found.original} replaced by ${replacement}`);
}

function acceptAll() {
  menu.close();
  const { findings } = editor;
  if (!findings.length) return;
  const [first, last] = [findings[0].start, findings.at(-1).end];
  const corrected = applyAll(text, findings);
  const tail = text.length - last;
  editor.replace(first, last, corrected.slice(first, corrected.length - tail));
  say(`${count(findings.length, "correction")} accepted`);
}

function ignore(found) {
  menu.close();
  ignored.push(found);
  editor.show(editor.findings.filter((one) => one !== found));
  back(found.end);
  setState(document.body.dataset.state);
  say(`${found.original} ignored`);
}

function learn(found) {
  menu.close();
  back(found.end);
  settings.learn(found.original);
  say(`${found.original} added to your dictionary`);
}

function back(caret) {
  textarea.focus({ preventScroll: true });
  textarea.setSelectionRange(caret, caret);
}

function say(words) {
  byId("say").textContent = words;
}

async function copy() {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    textarea.select(); // no clipboard without https: the old way
    document.execCommand("copy");
  }
  byId("copy").textContent = "Copied";
  say("Text copied");
  setTimeout(() => {
    byId("copy").textContent = "Copy text";
  }, 1_500);
}

// --- choosing a word ------------------------------------------------------------------------

function choose(found, { focus }) {
  menu.close();
  editor.show(editor.findings, found);
  const mark = editor.markOf(found);
  if (focus) {
    textarea.setSelectionRange(found.start, found.end);
    mark.scrollIntoView({ block: "nearest" });
  }
  menu.show(found, mark, { focus });
  panel.show(text, found.start);
}

function closed() {
  editor.show(editor.findings); // no mark is active any more
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
  if (word) panel.show(text, word[0]);
}

/** The misspelling Tab goes to: the next one, from the end of the text the first. */
function fromCaret(backwards) {
  if (backwards) return editor.neighbour(textarea.selectionStart, true);
  const from = textarea.selectionEnd;
  return editor.neighbour(from) ?? editor.neighbour(0);
}

function onKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Tab") {
    const next = !leaving && fromCaret(event.shiftKey);
    if (!next) return; // nothing there, or Escape was pressed: Tab goes its usual way
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

// --- begin ----------------------------------------------------------------------------------

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
byId("retry").addEventListener("click", retry);
setState("ready");
introduce().then(() => {
  if (text) check(0); // the browser has brought back what was typed before
});
