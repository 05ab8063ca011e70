// A textarea with an overlay behind it that draws the underlines. Because the text is in a plain
// textarea, undo, paste as plain text, input methods and screen readers work as usual.

import { paragraphs } from "./text.js";

/** Draws findings behind a textarea; both have the same text in the same font. */
export class Editor {
  #rows = [];

  constructor(textarea, overlay) {
    this.textarea = textarea;
    this.overlay = overlay;
    this.findings = [];
    this.active = null;
  }

  get text() {
    return this.textarea.value;
  }

  get caret() {
    return this.textarea.selectionStart;
  }

  /** Show these findings, sorted by start; one of them may be the active one. */
  show(findings, active = null) {
    this.findings = findings;
    this.active = active;
    this.#render();
  }

  /** The finding at the caret. */
  findingAt(caret) {
    return this.findings.find((found) => found.start <= caret && caret <= found.end) ?? null;
  }

  /** The first finding after an offset, or the last one before it. */
  neighbour(offset, backwards = false) {
    if (backwards) return this.findings.findLast((found) => found.end <= offset) ?? null;
    return this.findings.find((found) => found.start >= offset) ?? null;
  }

  /** The element that underlines a finding. */
  markOf(found) {
    return this.overlay.querySelectorAll("mark")[this.findings.indexOf(found)] ?? null;
  }

  /** Replace a range as if it had been typed, so that it can be undone in one step. */
  replace(start, end, text) {
    this.textarea.focus({ preventScroll: true });
    this.textarea.setSelectionRange(start, end);
    // Deprecated, but nothing else adds to the undo history of the browser.
    const command = text ? "insertText" : "delete";
    if (document.execCommand(command, false, text)) return;
    this.textarea.setRangeText(text, start, end, "end");
    this.textarea.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }

  /** Draw one block per paragraph; only blocks that have changed are rebuilt. */
  #render() {
    const wanted = this.#wanted();
    const most = Math.min(wanted.length, this.#rows.length);
    let head = 0;
    while (head < most && wanted[head].key === this.#rows[head].key) head += 1;
    let tail = 0;
    while (tail < most - head && wanted.at(-1 - tail).key === this.#rows.at(-1 - tail).key) tail += 1;
    const stale = this.#rows.slice(head, this.#rows.length - tail);
    const fresh = wanted.slice(head, wanted.length - tail);
    const next = this.#rows[this.#rows.length - tail]?.node ?? null;
    for (const row of stale) row.node.remove();
    for (const row of fresh) {
      row.node = block(row);
      this.overlay.insertBefore(row.node, next);
    }
    this.#rows = [
      ...this.#rows.slice(0, head),
      ...fresh,
      ...(tail ? this.#rows.slice(-tail) : []),
    ];
  }

  #wanted() {
    const rows = [];
    let start = 0;
    let i = 0;
    const all = paragraphs(this.text);
    for (const [index, paragraph] of all.entries()) {
      const marks = [];
      // An empty last line needs a character, or it has no height.
      const text = index === all.length - 1 ? `${paragraph}\u200b` : paragraph;
      for (; i < this.findings.length && this.findings[i].end <= start + paragraph.length; i += 1) {
        const found = this.findings[i];
        marks.push([found.start - start, found.end - start, found === this.active]);
      }
      rows.push({ text, marks, key: `${marks.join(";")}|${text}`, node: null });
      start += paragraph.length;
    }
    return rows;
  }
}

function block({ text, marks }) {
  const node = document.createElement("div");
  let done = 0;
  for (const [start, end, active] of marks) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, end);
    mark.classList.toggle("active", active);
    node.append(text.slice(done, start), mark);
    done = end;
  }
  node.append(text.slice(done));
  return node;
}
