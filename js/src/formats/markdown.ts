/** Markdown: hide fenced and indented code, front matter and link definitions. */

import { Markdown as Tables } from "../generated/formats.js";
import { Characters } from "../generated/text.js";
import { endOf, Pattern } from "../pattern.js";
import { trim } from "../text/characters.js";
import { hide, indentOf, linesOf, type Step, widthOf } from "./scanner.js";

export class MarkdownLines implements Step {
  #fence: Pattern | undefined;
  #quote: MarkdownLines | undefined; // the open block quote, a document of its own
  #started = false;
  #code = false; // the line before was indented code
  #gap = true; // the line before was blank
  #list = 0; // the indentation of the open list item

  mask(text: string): string {
    const front = this.#started ? null : Tables.FRONT.match(text);
    this.#started = true;
    const at = front ? endOf(front) : 0;
    const lines = linesOf(text, at).map((line) => this.#line(line));
    return hide(text.slice(0, at)) + lines.join("");
  }

  #line(line: string): string {
    if (this.#fence) return this.#fenced(line, this.#fence);
    if (!trim(line)) {
      this.#gap = true;
      this.#quote = undefined;
      return line;
    }
    const indent = indentOf(line);
    if (this.#gap && indent < this.#list) this.#list = 0;
    this.#code = (this.#gap || this.#code) && indent >= this.#list + 4;
    this.#gap = false;
    return this.#code ? hide(line) : this.#prose(line);
  }

  #prose(line: string): string {
    const quote = Tables.QUOTE.match(line);
    if (quote) {
      this.#quote ??= new MarkdownLines();
      return quote[0] + this.#quote.#line(line.slice(endOf(quote)));
    }
    this.#quote = undefined;
    const fence = Tables.FENCE.match(line)?.groups!["_1"];
    if (fence) {
      this.#fence = new Pattern(`[ \\t]*${fence[0]}{${fence.length},}[${Characters.SPACE}]*$`);
      return hide(line);
    }
    const item = Tables.ITEM.match(line);
    if (item) this.#list = widthOf(item[0]);
    const definition = Tables.DEFINITION.match(line);
    const end = definition ? endOf(definition) : 0;
    return hide(line.slice(0, end)) + line.slice(end);
  }

  #fenced(line: string, fence: Pattern): string {
    if (fence.match(line)) this.#fence = undefined;
    return hide(line);
  }
}
