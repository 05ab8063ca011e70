// Cuts Markdown at blank lines where no markup is open, so that the parts can be checked one by
// one. The rules are those of the server: a part must mean the same with and without the rest.

const FRONT_MATTER = /^[ \ufeff]?(---|\+{3})[ \t\r]*\n(?=\S)(?:[^\n]*\n)*?(?:\1|\.{3})[ \t\r]*(?:\n|$)/;
const LINE = /[^\n]*\n|[^\n]+/g;
const BLANK = /^[ \t\r\f\v]*\n?$/;
const QUOTE = /^[ \t]*>/;
const FENCE = /^[ \t]*(?:(?:[-*+]|\p{Nd}{1,9}[.)])[ \t]+)?(`{3,}(?![^\n]*`)|~{3,})/u;
const ITEM = /^[ \t]*(?:[-*+]|\p{Nd}{1,9}[.)])[ \t]+(?=\S)/u;
// HTML whose text may be hidden: elements and comments.
const NAMES = "script|style|pre|svg|code|kbd|samp|var|tt|math";
const STARTS = `<(?<element>${NAMES})(?=[\\s>])|<(?<comment>!)--`;
const TAG = new RegExp(`${STARTS}|</(?<ended>${NAMES})\\s*>|-->`, "gi");
const PRAGMA = /\brespell:[ \t]*(off|on)(?![\w-])/g;
// At the start of a part, an indented line is code, and these signs may start front matter.
const UNSAFE_START = /^(?:[ \t\r\f\v\ufeff]|---|\+{3})/;
// In a quote or in the definition of a link, an end tag may be hidden.
const UNSURE_END = /^[ \t]*[>[]/;

/** Cut a Markdown text into parts. Joined, they are the text. */
export function markdownParts(text) {
  const parts = [];
  const state = new State();
  let at = FRONT_MATTER.exec(text)?.[0].length ?? 0;
  let start = 0;
  for (const [line] of text.slice(at).matchAll(LINE)) {
    if (at > start && state.closed && !BLANK.test(line) && !UNSAFE_START.test(line)) {
      parts.push(text.slice(start, at));
      start = at;
    }
    state.read(line);
    at += line.length;
  }
  parts.push(text.slice(start));
  return parts;
}

/** What is open after the lines read so far. */
class State {
  #fence = null; // matches the line that ends the code
  #list = 0; // the indentation of the open list item
  #blank = false; // the line before was blank
  #gap = true; // the same, but true before the first line
  #code = false; // the line before was indented code
  #elements = new Set(); // open HTML elements and comments
  #off = false; // a comment has switched the check off

  get closed() {
    return this.#blank && !this.#fence && !this.#elements.size && !this.#off;
  }

  read(line) {
    for (const [, word] of line.matchAll(PRAGMA)) this.#off = word === "off";
    this.#blank = BLANK.test(line);
    if (this.#fence) {
      if (this.#fence.test(line)) this.#fence = null;
    } else if (this.#blank) {
      this.#gap = true;
    } else {
      this.#readText(line);
    }
  }

  #readText(line) {
    const indent = width(/^[ \t]*/.exec(line)[0]);
    if (this.#gap && indent < this.#list) this.#list = 0;
    this.#code = (this.#gap || this.#code) && indent >= this.#list + 4;
    this.#gap = false;
    if (this.#code) return;
    const fence = QUOTE.test(line) ? null : FENCE.exec(line)?.[1];
    if (fence) {
      this.#fence = new RegExp(`^[ \\t]*${fence[0]}{${fence.length},}\\s*$`);
      return;
    }
    const item = QUOTE.test(line) ? null : ITEM.exec(line);
    if (item) this.#list = width(item[0]);
    this.#readElements(line);
  }

  #readElements(line) {
    for (const { groups } of line.matchAll(TAG)) {
      const started = groups.element ?? groups.comment;
      if (started) this.#elements.add(started.toLowerCase());
      else if (!UNSURE_END.test(line)) this.#elements.delete(groups.ended?.toLowerCase() ?? "!");
    }
  }
}

/** The width of a text with tab stops at every fourth column. */
function width(text) {
  let columns = 0;
  for (const sign of text) columns += sign === "\t" ? 4 - (columns % 4) : 1;
  return columns;
}
