/** The menu of a misspelling. */

import { Menu } from "../../../../src/respell/server/static/menu.js";
import type { Found } from "../messages.js";
import { learn } from "../settings.js";
import { type Field, isSame } from "./field.js";
import { type Stage, stageFor } from "./stage.js";

interface Open {
  readonly field: Field;
  readonly stage: Stage;
  readonly menu: Menu;
  found: Found;
}

/** Shows one menu at a time. */
export class Popover {
  #open: Open | null = null;
  #last: Field | null = null; // the field of the menu that was open before
  readonly #menus = new WeakMap<Stage, Menu>();

  /** The field whose menu is open. */
  get field(): Field | null {
    return this.#open?.field ?? null;
  }

  /** Whether an event was in the menu; what happens inside is hidden from the page, and from us. */
  contains({ target }: Event): boolean {
    return this.#open !== null && target === this.#open.stage.host;
  }

  show(field: Field, found: Found, { focus }: { focus: boolean }): void {
    this.close();
    // The browser would not let the user click anything outside a field that fills the screen.
    if (!field.rects(found).length || field.element.matches(":fullscreen")) return;
    const stage = stageFor(field.element);
    const menu = this.#menuOn(stage);
    this.#open = { field, stage, menu, found };
    menu.show(found, markOf(field, found), { focus });
  }

  close(): void {
    this.#open?.menu.close();
  }

  /** Move the keyboard into the menu. */
  focus(): void {
    this.#open?.menu.focus();
  }

  /** Move the menu with its word; close it if the word has gone. */
  follow(field: Field): void {
    if (this.#open?.field !== field) return;
    const { found, menu } = this.#open;
    const again = field.shown.find((one) => isSame(one, found));
    const [rect] = again ? field.rects(again) : [];
    if (!again || !rect || rect.bottom < 0 || rect.top > innerHeight) {
      menu.close();
      return;
    }
    this.#open.found = menu.found = again;
    menu.place(markOf(field, again));
  }

  /** Go to the next misspelling after an offset. */
  go(field: Field, offset: number, backwards = false): void {
    const next = field.neighbour(offset, backwards);
    this.close();
    if (!next) {
      announce(field, "No misspellings");
      return;
    }
    field.select(next);
    this.show(field, next, { focus: true });
  }

  #menuOn(stage: Stage): Menu {
    let menu = this.#menus.get(stage);
    if (!menu) {
      const node = document.createElement("div");
      node.className = "menu";
      node.hidden = true;
      node.setAttribute("role", "menu");
      node.lang = "en";
      stage.frame.append(node);
      menu = new Menu(node, this.#actions());
      this.#menus.set(stage, menu);
    }
    return menu;
  }

  #actions() {
    /** Do something for the field of the open menu, and close it. */
    const withField = (act: (field: Field) => unknown) => {
      const field = this.field;
      this.close();
      if (!field) return;
      field.element.focus({ preventScroll: true });
      act(field);
    };
    return {
      accept: (found: Found, replacement: string) =>
        withField(async (field) => {
          const done = await field.accept(found, replacement);
          announce(field, `${found.original} ${done ? "" : "could not be "}replaced by ${replacement}`);
        }),
      ignore: (found: Found) =>
        withField((field) => {
          field.ignore(found);
          announce(field, `${found.original} ignored`);
        }),
      learn: (found: Found) =>
        withField(async (field) => {
          try {
            await learn(found.original);
            announce(field, `${found.original} added to your dictionary`);
          } catch (error) {
            announce(field, `${found.original} could not be added: ${(error as Error).message}`);
          }
        }),
      move: (found: Found, backwards: boolean) => {
        const field = this.field;
        if (field) this.go(field, backwards ? found.start : found.end, backwards);
      },
      escaped: () => this.#last?.element.focus({ preventScroll: true }),
      closed: () => {
        this.#last = this.field;
        this.#open = null;
      },
    };
  }
}

/** What the menu is placed at. */
function markOf(field: Field, found: Found) {
  return { getClientRects: () => field.rects(found) };
}

/** Tell screen readers. */
function announce(field: Field, message: string): void {
  stageFor(field.element).announcement.textContent = message;
}
