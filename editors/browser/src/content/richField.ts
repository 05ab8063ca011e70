/** An editable part of a page. Its marks are highlights: nothing in the page is changed. */

import type { Found } from "../messages.js";
import { Field } from "./field.js";

/** What masks leave in the place of code; the build takes it from the engine. */
declare const FILLER: string;

const CODE = new Set(["CODE", "KBD", "PRE", "SAMP", "VAR"]);
const OTHER = new Set(["SCRIPT", "STYLE", "TEXTAREA", "INPUT", "SELECT", "BUTTON", "IMG", "SVG", "svg"]);
const KINDS = ["nonword", "realword", "variant"] as const;

interface Part {
  readonly node: Text;
  readonly start: number;
}

/** The text of an element, and the nodes that it comes from. */
class Reading {
  readonly text: string;
  readonly parts: Part[] = [];
  readonly #starts = new Map<Node, number>();
  readonly #pieces: string[] = []; // to look at the end of a growing string would take long
  #length = 0;

  constructor(root: HTMLElement) {
    this.#readChildren(root, false);
    this.text = this.#pieces.join("");
  }

  /** The range of the page between two offsets; null if they are not in words. */
  range(start: number, end: number): Range | null {
    const first = this.#partAt(start);
    const last = this.#partAt(end - 1);
    if (!first || !last) return null;
    const range = new Range();
    try {
      range.setStart(first.node, start - first.start);
      range.setEnd(last.node, end - last.start);
    } catch {
      return null; // the page has changed its text since
    }
    return range;
  }

  /** The offset of a place of the page. */
  offsetOf(node: Node, offset: number): number | null {
    const start = this.#starts.get(node);
    return start === undefined ? null : start + offset;
  }

  #partAt(offset: number): Part | null {
    let [low, high] = [0, this.parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.parts[middle]!.start <= offset) low = middle + 1;
      else high = middle;
    }
    const part = this.parts[low - 1];
    return part && offset < part.start + part.node.length ? part : null;
  }

  #readChildren(parent: Element, isCode: boolean): void {
    const spaced = getComputedStyle(parent).whiteSpaceCollapse;
    const keepsLines = spaced.startsWith("preserve") || spaced === "break-spaces";
    for (const node of parent.childNodes) {
      if (node instanceof Text) this.#readText(node, isCode, keepsLines);
      else if (node instanceof Element) this.#readElement(node, isCode);
    }
  }

  #readText(node: Text, isCode: boolean, keepsLines: boolean): void {
    this.parts.push({ node, start: this.#length });
    this.#starts.set(node, this.#length);
    let text = node.data.replaceAll("\u00a0", " ");
    if (isCode) text = text.replace(/\S/g, FILLER);
    this.#add(keepsLines ? text : text.replaceAll("\n", " "));
  }

  #readElement(node: Element, isCode: boolean): void {
    if (node.tagName === "BR") {
      this.#add("\n");
      return;
    }
    const { display } = getComputedStyle(node);
    if (display === "none") return;
    const isBlock = !display.startsWith("inline") && display !== "contents";
    if (isBlock) this.#endParagraph();
    const { contentEditable, spellcheck } = node as HTMLElement;
    if (OTHER.has(node.tagName) || contentEditable === "false" || spellcheck === false) {
      this.#add(FILLER);
    } else {
      this.#readChildren(node, isCode || CODE.has(node.tagName));
    }
    if (isBlock) this.#endParagraph();
  }

  /** A blank line, which ends a sentence. */
  #endParagraph(): void {
    const end = this.#pieces.slice(-2).join("").slice(-2);
    if (end && end !== "\n\n") this.#add(end.endsWith("\n") ? "\n" : "\n\n");
  }

  #add(piece: string): void {
    if (!piece) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }
}

export class RichField extends Field {
  #reading: Reading | undefined;
  #ranges = new Map<Found, Range>();
  #observer: MutationObserver | undefined;

  protected read(): string {
    this.#observe();
    this.#reading = new Reading(this.element);
    return this.#reading.text;
  }

  protected draw(): void {
    for (const [{ kind }, range] of this.#ranges) highlight(kind).delete(range);
    this.#ranges.clear();
    if (!this.shown.length) return;
    for (const found of this.shown) {
      const range = this.#reading?.range(found.start, found.end);
      if (!range) continue;
      this.#ranges.set(found, range);
      highlight(found.kind).add(range);
    }
  }

  protected isStale(): boolean {
    return [...this.#ranges.values()].some(
      ({ startContainer, collapsed }) => collapsed || !startContainer.isConnected,
    );
  }

  override remove(): void {
    super.remove();
    this.#observer?.disconnect();
  }

  caret(): number | null {
    const selection = this.#selection();
    if (!selection?.isCollapsed || !selection.focusNode) return null;
    return this.#reading?.offsetOf(selection.focusNode, selection.focusOffset) ?? null;
  }

  rects(found: Found): DOMRect[] {
    return [...(this.#ranges.get(found)?.getClientRects() ?? [])];
  }

  select(found: Found): void {
    const range = this.#ranges.get(found);
    if (!range) return;
    this.element.focus({ preventScroll: true });
    const { startContainer, startOffset, endContainer, endOffset } = range;
    this.#selection()?.setBaseAndExtent(startContainer, startOffset, endContainer, endOffset);
    range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
  }

  protected async write(start: number, end: number, text: string): Promise<void> {
    const range = this.#reading?.range(start, end);
    const selection = this.#selection();
    if (!range || !selection) return;
    const before = range.toString();
    this.element.focus({ preventScroll: true });
    selection.setBaseAndExtent(
      range.startContainer,
      range.startOffset,
      range.endContainer,
      range.endOffset,
    );
    await noticed(); // editors of pages follow the selection
    // Deprecated, but nothing else adds to the undo history of the browser and of such editors.
    if (selection.toString() === before) document.execCommand("insertText", false, text);
  }

  protected visibleStart(): number {
    const { parts = [] } = this.#reading ?? {};
    const seen = parts.find(({ node }) => (node.parentElement?.getBoundingClientRect().bottom ?? 0) > 0);
    return seen?.start ?? 0;
  }

  #selection(): Selection | null {
    const root = this.element.getRootNode() as Document | (ShadowRoot & Pick<Document, "getSelection">);
    return root.getSelection?.() ?? document.getSelection();
  }

  /** Scripts of the page may replace nodes; the marks would stay behind. */
  #observe(): void {
    if (this.#observer) return;
    this.#observer = new MutationObserver(() => this.refresh());
    const all = { subtree: true, childList: true, characterData: true };
    this.#observer.observe(this.element, all);
  }
}

/** The time that the browser takes to report a changed selection. */
function noticed(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
}

function highlight(kind: string): Highlight {
  const known: readonly string[] = KINDS;
  const name = `respell-${known.includes(kind) ? kind : KINDS[1]}`;
  let found = CSS.highlights.get(name);
  if (!found) {
    found = new Highlight();
    CSS.highlights.set(name, found);
  }
  return found;
}
