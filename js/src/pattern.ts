/** Regular expressions with the methods of Python's. */

export type Match = RegExpExecArray;

/** A source for the flag `v`, and the names of its outermost groups. */
export class Pattern {
  #compiled = new Map<string, RegExp>();

  constructor(
    readonly source: string,
    readonly groups: readonly string[] = [],
  ) {}

  /** The match that starts at an offset. */
  match(text: string, at = 0): Match | null {
    return run(this.#get("y"), text, at);
  }

  /** The first match at or after an offset. */
  search(text: string, at = 0): Match | null {
    return run(this.#get("g"), text, at);
  }

  /** The match of the whole text. */
  fullmatch(text: string): Match | null {
    return run(this.#get("y", "$"), text, 0);
  }

  /** All matches from an offset on. */
  *finditer(text: string, at = 0): Generator<Match> {
    for (;;) {
      const match = this.search(text, at);
      if (!match) return;
      yield match;
      at = match[0] ? endOf(match) : endOf(match) + widthAt(text, endOf(match));
      if (at > text.length) return;
    }
  }

  /** The texts of all matches. */
  findall(text: string, at = 0): string[] {
    return [...this.finditer(text, at)].map(([found]) => found);
  }

  /** The text with every match replaced. */
  sub(text: string, write: (match: Match) => string): string {
    const pieces: string[] = [];
    let done = 0;
    for (const match of this.finditer(text)) {
      pieces.push(text.slice(done, match.index), write(match));
      done = endOf(match);
    }
    pieces.push(text.slice(done));
    return pieces.join("");
  }

  /** The outermost group that took part in a match. */
  lastGroup(match: Match): string | undefined {
    return this.groups.findLast((name) => match.groups?.[name] !== undefined);
  }

  #get(flag: string, tail = ""): RegExp {
    const key = flag + tail;
    let found = this.#compiled.get(key);
    if (!found) {
      found = new RegExp(tail ? `(?:${this.source})${tail}` : this.source, `${flag}v`);
      this.#compiled.set(key, found);
    }
    return found;
  }
}

/** The offset after a match. */
export function endOf(match: Match): number {
  return match.index + match[0].length;
}

function run(regexp: RegExp, text: string, at: number): Match | null {
  regexp.lastIndex = at;
  return regexp.exec(text);
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
