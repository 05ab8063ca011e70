// The panel that shows the probabilities of a word: of keeping it, and of its replacements.

import { explain } from "./api.js";
import { ApiError } from "./error.js";
import { pieces, percent } from "./text.js";

/** Shows one word at a time; responses for earlier words are dropped. */
export class Panel {
  #running = null;
  #shown = "";

  constructor(node) {
    this.node = node;
  }

  /** Explain the word at an offset of a text in some format. */
  async show(text, start, format) {
    const [piece, offset] = pieceAt(text, start, format);
    const key = `${offset}|${piece}`;
    if (key === this.#shown) return;
    this.#shown = key;
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    try {
      const answer = await explain(piece, offset, running.signal);
      if (this.#running === running) this.#draw(answer);
    } catch (error) {
      if (this.#running !== running) return;
      this.#shown = "";
      this.#note(error instanceof ApiError && error.status ? "This is not checked." : "");
    }
  }

  /** Show no word. */
  clear() {
    this.#running?.abort();
    this.#running = null;
    this.#shown = "";
    this.#note("");
  }

  #note(text) {
    const note = element("p", "soft", text || "Click a word in the text.");
    this.node.replaceChildren(note);
  }

  #draw({ original, keep, candidates }) {
    const list = element("ul", "bars", "");
    list.append(bar("keep unchanged", keep, "keep"));
    for (const { text, probability } of candidates) list.append(bar(text, probability, ""));
    this.node.replaceChildren(element("p", "word", original), list);
  }
}

/** The piece of the text that contains an offset, and the offset in that piece. */
function pieceAt(text, start, format) {
  let done = 0;
  for (const piece of pieces(text, format)) {
    if (start < done + piece.length) return [piece, start - done];
    done += piece.length;
  }
  return [text, start];
}

function bar(label, probability, name) {
  const item = element("li", name, "");
  const track = element("span", "track", "");
  const fill = element("span", "fill", "");
  fill.style.width = `${100 * probability}%`;
  track.append(fill);
  item.append(element("span", "label", label), element("span", "chance", percent(probability)), track);
  return item;
}

function element(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.textContent = text;
  return node;
}
