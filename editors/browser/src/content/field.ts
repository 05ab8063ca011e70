/** A field that is checked: its text, its findings, and what is shown of them. */

import { Checker } from "../../../../src/respell/server/static/check.js";
import {
  editBetween,
  fits,
  place,
  shift,
  withoutOverlaps,
} from "../../../../src/respell/server/static/text.js";
import type { CheckOptions, Found } from "../messages.js";

const KEY_STROKE_MS = 300; // after it, a change is not the work of a key stroke

/** What a field tells the page. */
export interface Hooks {
  /** The marks may have changed or moved. */
  drawn(field: Field): void;
  failed(error: Error): void;
}

export abstract class Field {
  /** The text that the findings refer to. */
  text = "";
  /** The findings that are marked. */
  shown: Found[] = [];
  #findings: Found[] = [];
  #ignored: Found[] = [];
  #caret: number | null = null; // where the user is typing
  #typedAt = -Infinity;
  #composing = false;
  readonly #checker: Checker;

  constructor(
    readonly element: HTMLElement,
    private readonly options: () => CheckOptions,
    private readonly hooks: Hooks,
  ) {
    this.#checker = new Checker({
      onAnswer: (checked: string, parts: [string, Found[] | null][]) => this.#answered(checked, parts),
      onError: (error: Error) => hooks.failed(error),
      visibleStart: () => this.visibleStart(),
    });
  }

  /** Read the current text from the page. */
  protected abstract read(): string;
  /** Mark the findings that are shown. */
  protected abstract draw(): void;
  /** Whether the marks have lost their places. */
  protected abstract isStale(): boolean;
  /** The caret as an offset in the text; null if something is selected or it is elsewhere. */
  abstract caret(): number | null;
  /** Where a finding is in the window. */
  abstract rects(found: Found): DOMRect[];
  /** Replace a range as if the user had typed it, so that it can be undone. */
  protected abstract write(start: number, end: number, text: string): Promise<void>;
  /** Select a finding, so that the page scrolls to it. */
  abstract select(found: Found): void;
  /** About the offset of the first character in view. */
  protected abstract visibleStart(): number;

  /** Forget the field, and remove its marks. */
  remove(): void {
    this.#checker.stop();
    this.#findings = this.shown = [];
    this.draw();
  }

  /** The user is about to change the text. */
  typing(): void {
    this.#typedAt = performance.now();
  }

  /** The user or a script has changed the text. */
  edited({ composing = false } = {}): void {
    const before = this.text;
    this.text = this.read();
    const edit = editBetween(before, this.text);
    this.#ignored = shift(this.#ignored, edit, this.text);
    this.#findings = shift(this.#findings, edit, this.text);
    this.#caret = this.#isTyping() ? this.caret() : null;
    this.#composing = composing;
    this.#show();
    if (composing) this.#checker.stop();
    else this.#checker.schedule(this.text, this.options());
  }

  /** Look whether a script has changed the text. */
  refresh(): void {
    if (this.#composing) return;
    if (this.read() !== this.text) this.edited();
    else if (this.isStale()) this.draw();
  }

  /** Check again, with other options. */
  checkAgain(): void {
    this.#checker.schedule(this.text, this.options(), 0);
  }

  /** What comes next is not the work of a key stroke. */
  stopTyping(): void {
    this.#typedAt = -Infinity;
  }

  /** The field has lost the focus. */
  left(): void {
    this.stopTyping();
    this.#caret = null;
    this.#show();
  }

  /** The caret has moved: the word at its old place is complete. */
  moved(): void {
    if (this.#caret === null || this.caret() === this.#caret) return;
    this.#caret = this.#isTyping() ? this.caret() : null; // editors move it after the key stroke
    this.#show();
  }

  /** Replace a finding; false if the page has changed the word, or does not allow it. */
  async accept(found: Found, replacement: string): Promise<boolean> {
    this.refresh();
    if (!fits(this.text, found)) return false;
    await this.write(found.start, found.end, replacement);
    const after = this.read();
    return after.slice(found.start).startsWith(replacement);
  }

  /** Do not mark this finding any more. */
  ignore(found: Found): void {
    this.#ignored.push(found);
    this.#show();
  }

  /** The finding at an offset and at a point of the window. */
  findingAt(offset: number | null, x: number, y: number): Found | null {
    const near = this.shown.filter(({ start, end }) => {
      return offset === null || (start <= offset && offset <= end);
    });
    return near.find((found) => this.rects(found).some((rect) => contains(rect, x, y))) ?? null;
  }

  /** The next finding, or the first one after the last. */
  neighbour(offset: number, backwards = false): Found | null {
    const { shown } = this;
    const next = backwards
      ? (shown.findLast(({ end }) => end <= offset) ?? shown.at(-1))
      : (shown.find(({ start }) => start >= offset) ?? shown[0]);
    return next ?? null;
  }

  #isTyping(): boolean {
    return performance.now() - this.#typedAt < KEY_STROKE_MS;
  }

  #answered(checked: string, parts: [string, Found[] | null][]): void {
    if (checked !== this.text) return;
    this.#findings = place(parts, this.#findings).filter((found: Found) => fits(checked, found));
    this.#show();
  }

  #show(): void {
    const caret = this.#caret;
    this.shown = withoutOverlaps(
      this.#findings.filter((found) => {
        const typing = caret !== null && found.start < caret && caret <= found.end;
        return !typing && !this.#ignored.some((one) => isSame(one, found));
      }),
    );
    this.draw();
    this.hooks.drawn(this);
  }
}

export function isSame(one: Found, other: Found): boolean {
  return one.start === other.start && one.original === other.original;
}

const NEAR = 2; // pixels around a word that count as the word

function contains({ left, top, right, bottom }: DOMRect, x: number, y: number): boolean {
  return left - NEAR <= x && x <= right + NEAR && top - NEAR <= y && y <= bottom + NEAR;
}
