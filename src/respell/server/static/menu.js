// The menu of a misspelled word: suggestions, ignore, add to dictionary.

import { percent } from "./text.js";

const MARGIN = 8;
const PROBLEMS = new Map([
  ["nonword", "Unknown word"],
  ["realword", "May be the wrong word"],
  ["variant", "Other spelling variant"],
  ["split", "Should be two words"],
  ["join", "Should be one word"],
]);

/** Opens below a mark; `actions` has accept, ignore, learn, move, escaped and closed. */
export class Menu {
  constructor(node, actions) {
    this.node = node;
    this.actions = actions;
    this.found = null;
    node.addEventListener("keydown", (event) => this.#onKey(event));
    node.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !node.contains(event.relatedTarget)) this.close();
    });
  }

  get open() {
    return this.found !== null;
  }

  /** Show the problem and the choices for a finding, next to its mark. */
  show(found, mark, { focus }) {
    this.found = found;
    this.node.setAttribute("aria-label", `Suggestions for ${found.original}`);
    const problem = PROBLEMS.get(found.kind) ?? "Possible mistake";
    this.node.setAttribute("aria-description", problem);
    this.node.replaceChildren(heading(problem), ...this.#items(found));
    this.node.hidden = false;
    this.place(mark);
    if (focus) this.focus();
  }

  /** Move the keyboard into the menu. */
  focus() {
    this.#choices()[0]?.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "nearest" });
  }

  close() {
    if (!this.open) return;
    this.found = null;
    this.node.hidden = true;
    this.node.replaceChildren();
    this.actions.closed();
  }

  #items(found) {
    const items = found.suggestions.map((suggestion) => {
      const item = choice(suggestion.text, () => this.actions.accept(found, suggestion.text));
      item.append(span("chance", percent(suggestion.probability)));
      item.classList.add("suggestion");
      return item;
    });
    items.push(document.createElement("hr"));
    items.push(choice("Ignore here", () => this.actions.ignore(found)));
    // Two words are no word of a dictionary.
    if (found.kind !== "join") {
      items.push(choice("Add to dictionary", () => this.actions.learn(found)));
    }
    return items;
  }

  #choices() {
    return [...this.node.querySelectorAll("button")];
  }

  #onKey(event) {
    const choices = this.#choices();
    const at = choices.indexOf(this.node.getRootNode().activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    if (event.key in steps) {
      choices.at(steps[event.key] % choices.length).focus();
    } else if (event.key === "Escape") {
      this.close();
      this.actions.escaped();
    } else if (event.key === "Tab") {
      this.actions.move(this.found, event.shiftKey);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Place the menu below the word, or above it if there is no room; never outside the paper. */
  place(mark) {
    const paper = this.node.offsetParent.getBoundingClientRect();
    const word = mark.getClientRects()[0] ?? paper;
    const { offsetWidth: width, offsetHeight: height } = this.node;
    const left = Math.min(word.left - paper.left - MARGIN, paper.width - width - MARGIN);
    const below = word.bottom + MARGIN + height <= window.innerHeight;
    const above = word.top - MARGIN - height >= 0;
    const top = below || !above ? word.bottom + 4 : word.top - 4 - height;
    this.node.style.left = `${Math.max(MARGIN, left)}px`;
    this.node.style.top = `${top - paper.top}px`;
  }
}

function heading(problem) {
  const note = span("problem", problem);
  note.setAttribute("aria-hidden", "true"); // the description of the menu says the same
  return note;
}

function choice(label, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("role", "menuitem");
  button.tabIndex = -1;
  button.append(span("label", label));
  // A click must not take the focus from the text, because the replacement needs it there.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", action);
  return button;
}

function span(name, text) {
  const node = document.createElement("span");
  node.className = name;
  node.textContent = text;
  return node;
}
