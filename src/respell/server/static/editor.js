// A textarea with an overlay behind it that draws the underlines. Because the text is in a plain
// textarea, undo, paste as plain text, input methods and screen readers work as usual.

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

  /** About the offset of the first character that is not scrolled out of view. */
  visibleStart() {
    const { top } = this.overlay.parentElement.getBoundingClientRect();
    for (const { node, start, text } of this.#rows) {
      const box = node.getBoundingClientRect();
      if (box.bottom <= top) continue;
      const hidden = Math.max(0, top - box.top) / box.height;
      return start + Math.floor(hidden * text.length);
    }
    return 0;
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

  /** Draw one block per line of the text; only blocks that have changed are rebuilt. */
  #render() {
    const old = this.#rows;
    const wanted = this.#wanted();
    const most = Math.min(wanted.length, old.length);
    let head = 0;
    while (head < most && wanted[head].key === old[head].key) head += 1;
    let tail = 0;
    while (tail < most - head && wanted.at(-1 - tail).key === old.at(-1 - tail).key) tail += 1;
    const next = old[old.length - tail]?.node ?? null;
    for (const { node } of old.slice(head, old.length - tail)) node.remove();
    wanted.forEach((row, i) => {
      const behind = wanted.length - i;
      if (i < head) row.node = old[i].node;
      else if (behind <= tail) row.node = old[old.length - behind].node;
      else {
        row.node = block(row);
        this.overlay.insertBefore(row.node, next);
      }
    });
    this.#rows = wanted;
  }

  #wanted() {
    const rows = [];
    let start = 0;
    let i = 0;
    const lines = this.text.split("\n");
    for (const [index, line] of lines.entries()) {
      const marks = [];
      // An empty last line needs a character, or it has no height.
      const text = line + (index === lines.length - 1 ? "\u200b" : "\n");
      for (; this.findings[i]?.start < start + text.length; i += 1) {
        const found = this.findings[i];
        marks.push([found.start - start, found.end - start, found.kind, found === this.active]);
      }
      rows.push({ start, text, marks, key: `${marks.join(";")}|${text}`, node: null });
      start += line.length + 1;
    }
    return rows;
  }
}

function block({ text, marks }) {
  const node = document.createElement("div");
  let done = 0;
  for (const [start, end, kind, active] of marks) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, end);
    mark.dataset.kind = kind; // the style sheet has an underline for each kind
    mark.classList.toggle("active", active);
    node.append(text.slice(done, start), mark);
    done = end;
  }
  node.append(text.slice(done));
  return node;
}
