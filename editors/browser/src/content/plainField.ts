/** A text area or a line of text. Its marks are drawn above it, on a mirror of the text. */

import { Editor } from "../../../../src/respell/server/static/editor.js";
import type { CheckOptions, Found } from "../messages.js";
import type { Plain } from "./eligible.js";
import { Field, type Hooks } from "./field.js";
import { stageFor } from "./stage.js";

/** The properties that decide where a word is. */
const COPIED = [
  "direction",
  "font-family",
  "font-feature-settings",
  "font-kerning",
  "font-optical-sizing",
  "font-size",
  "font-stretch",
  "font-style",
  "font-variant",
  "font-variation-settings",
  "font-weight",
  "letter-spacing",
  "line-height",
  "overflow-wrap",
  "padding-bottom",
  "padding-left",
  "padding-right",
  "padding-top",
  "tab-size",
  "text-align",
  "text-indent",
  "text-rendering",
  "text-transform",
  "unicode-bidi",
  "word-break",
  "word-spacing",
  "writing-mode",
];

export class PlainField extends Field {
  readonly #layer = document.createElement("div");
  readonly #mirror = document.createElement("div");
  readonly #editor: Editor;
  readonly #sizes: ResizeObserver;
  readonly #isLine: boolean;

  constructor(
    private readonly plain: Plain,
    options: () => CheckOptions,
    hooks: Hooks,
  ) {
    super(plain, options, hooks);
    this.#isLine = plain instanceof HTMLInputElement;
    this.#layer.className = "layer";
    this.#layer.ariaHidden = "true";
    this.#mirror.className = this.#isLine ? "mirror line" : "mirror";
    this.#layer.append(this.#mirror);
    this.#editor = new Editor(plain, this.#mirror);
    this.#sizes = new ResizeObserver(() => this.place());
    this.#sizes.observe(plain);
  }

  protected read(): string {
    return this.plain.value;
  }

  protected isStale(): boolean {
    return this.shown.length > 0 && this.#layer.parentNode !== stageFor(this.element).marks;
  }

  protected draw(): void {
    if (!this.shown.length) {
      this.#layer.remove();
      return;
    }
    this.#editor.show(this.shown);
    const { marks } = stageFor(this.element);
    if (this.#layer.parentNode !== marks) marks.append(this.#layer);
    this.place();
  }

  /** Put the mirror where the field is, and scroll it in the same way. */
  place(): void {
    if (!this.#layer.isConnected) return;
    const { plain } = this;
    const box = plain.getBoundingClientRect();
    const origin = stageFor(plain).host.getBoundingClientRect();
    const scaleX = box.width / plain.offsetWidth || 1;
    const scaleY = box.height / plain.offsetHeight || 1;
    const left = box.left + plain.clientLeft * scaleX;
    const top = box.top + plain.clientTop * scaleY;
    const { clientWidth: width, clientHeight: height } = plain;
    // Lines are often so low that there is no room for a wavy line above their border.
    const over = this.#isLine ? plain.offsetHeight - plain.clientTop - height : 0;
    const [cutTop, cutRight, cutBottom, cutLeft] = hidden(plain, {
      left,
      top,
      right: left + width * scaleX,
      bottom: top + (height + over) * scaleY,
    });
    Object.assign(this.#layer.style, {
      left: `${left - origin.left}px`,
      top: `${top - origin.top}px`,
      width: `${width}px`,
      height: `${height + over}px`,
      transform: scaleX === 1 && scaleY === 1 ? "" : `scale(${scaleX}, ${scaleY})`,
      clipPath: `inset(${cutTop / scaleY}px ${cutRight / scaleX}px ${cutBottom / scaleY}px ${cutLeft / scaleX}px)`,
    });
    const style = getComputedStyle(plain);
    for (const name of COPIED) {
      this.#mirror.style.setProperty(name, style.getPropertyValue(name));
    }
    Object.assign(this.#mirror.style, {
      whiteSpace: this.#isLine ? "pre" : style.whiteSpace,
      [this.#isLine ? "minWidth" : "width"]: `${width}px`,
      minHeight: `${height}px`,
      height: this.#isLine ? `${height}px` : "",
      transform: `translate(${-plain.scrollLeft}px, ${-plain.scrollTop}px)`,
    });
  }

  override remove(): void {
    super.remove();
    this.#sizes.disconnect();
  }

  caret(): number | null {
    const { selectionStart, selectionEnd } = this.plain;
    return selectionStart === selectionEnd ? selectionStart : null;
  }

  rects(found: Found): DOMRect[] {
    if (!this.#layer.isConnected) return [];
    return [...(this.#editor.markOf(found)?.getClientRects() ?? [])];
  }

  select({ start, end }: Found): void {
    this.plain.focus();
    this.plain.setSelectionRange(start, end);
    if (this.#isLine) return;
    const mark = this.rects(this.shown.find((found) => found.start === start)!)[0];
    const box = this.plain.getBoundingClientRect();
    if (!mark) return;
    if (mark.top < box.top) this.plain.scrollTop -= box.top - mark.top + mark.height;
    if (mark.bottom > box.bottom) this.plain.scrollTop += mark.bottom - box.bottom + mark.height;
    this.place();
  }

  protected async write(start: number, end: number, text: string): Promise<void> {
    const { value, maxLength } = this.plain;
    const more = text.length - (end - start);
    // The browser would only insert what fits.
    if (maxLength >= 0 && more > 0 && value.length + more > maxLength) return;
    this.#editor.replace(start, end, text);
  }

  protected visibleStart(): number {
    return this.#layer.isConnected ? this.#editor.visibleStart() : 0;
  }
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** How much of a box the elements around a field cut off: at the top, right, bottom and left. */
function hidden(field: Element, box: Box): [number, number, number, number] {
  const cut: [number, number, number, number] = [0, 0, 0, 0];
  for (let node = parentOf(field); node && node !== document.body; node = parentOf(node)) {
    const { overflowX, overflowY, position } = getComputedStyle(node);
    if (overflowX !== "visible" || overflowY !== "visible") {
      const { left, top, right, bottom } = node.getBoundingClientRect();
      cut[0] = Math.max(cut[0], top - box.top);
      cut[1] = Math.max(cut[1], box.right - right);
      cut[2] = Math.max(cut[2], box.bottom - bottom);
      cut[3] = Math.max(cut[3], left - box.left);
    }
    if (position === "fixed") break;
  }
  return cut;
}

function parentOf(node: Element): Element | null {
  if (node.assignedSlot) return node.assignedSlot;
  const { parentNode } = node;
  return parentNode instanceof ShadowRoot ? parentNode.host : node.parentElement;
}
