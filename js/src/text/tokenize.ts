/** Split a text into tokens with offsets. */

import { Tokenize } from "../generated/text.js";
import type { Token, TokenKind } from "../types.js";
import { first, isLower, Offsets } from "./characters.js";
import { isNoisyWord, splittingOf } from "./noisyTokens.js";
import { foldApostrophes, isContractionInS, plainLetters } from "./words.js";

const KINDS = Tokenize.KINDS as Record<string, TokenKind>;
const SIMPLE = /^[a-z]+$/;

/** A token whose `start` counts UTF-16 units. */
export type Slice = { start: number; text: string; kind: TokenKind };

/** Split a text into tokens, in order; each token is a slice of the text. */
export function tokenize(text: string): Token[] {
  return inCodePoints(slices(text), new Offsets(text));
}

/** The tokens of a text, with offsets in UTF-16 units. */
export function slices(text: string): Slice[] {
  return protectHyphenation(protectNames([...tokens(text, 0)], text), text);
}

/** The same tokens with offsets in code points. */
export function inCodePoints(tokens: readonly Slice[], offsets: Offsets): Token[] {
  return tokens.map((token) => ({ ...token, start: offsets.toCodePoints(token.start) }));
}

/** Tokens of words that the caller has split; offsets count in `words.join(" ")`. */
export function tokenizeWords(words: readonly string[], { noisy = false } = {}): Token[] {
  const found: Slice[] = [];
  const splitting = noisy ? splittingOf(words) : null;
  let start = 0;
  for (const word of words) {
    if (splitting && isNoisyWord(word, splitting)) found.push({ start, text: word, kind: "word" });
    else found.push(...tokens(word, start));
    start += word.length + 1;
  }
  const text = words.join(" ");
  return inCodePoints(protectNames(found, text), new Offsets(text));
}

/** Whether a text is one token, and that token a word. */
export function isSingleWord(text: string): boolean {
  if (SIMPLE.test(text)) return true;
  const [only, ...others] = slices(text);
  return only?.kind === "word" && !others.length;
}

function* tokens(text: string, start: number): Generator<Slice> {
  for (const match of Tokenize.TOKEN.finditer(text)) {
    const group = Tokenize.TOKEN.lastGroup(match)!;
    const at = start + match.index;
    if (group === "plain") yield { start: at, text: match[0], kind: "word" };
    else if (group === "word") yield* wordTokens(at, match[0]);
    else yield { start: at, text: match[0], kind: KINDS[group]! };
  }
}

/** The tokens of a word: a possessive is split off; a word in another script is a name. */
function* wordTokens(at: number, piece: string): Generator<Slice> {
  if (!Tokenize.ENGLISH.fullmatch(piece) && !hasForeignLetters(piece)) {
    yield { start: at, text: piece, kind: "name" };
    return;
  }
  const possessive = Tokenize.POSSESSIVE.fullmatch(piece);
  if (possessive && !isContractionInS(piece)) {
    const { _1: stem, _2: clitic } = possessive.groups as { _1: string; _2: string };
    yield { start: at, text: stem, kind: "word" };
    yield { start: at + stem.length, text: clitic, kind: "name" };
  } else {
    yield { start: at, text: piece, kind: "word" };
  }
}

/** Whether a word is English but for some letters, as in *sựpported*. */
function hasForeignLetters(piece: string): boolean {
  if (!Tokenize.ASCII.search(piece) || Tokenize.COMBINING.search(piece)) return false;
  return Tokenize.ENGLISH.fullmatch(plainLetters(piece.toLowerCase())) !== null;
}

/** Mark acronyms as names, except in a line of capitals, and so the stem before a split n't. */
function protectNames(tokens: Slice[], text: string): Slice[] {
  let end = -1;
  let shouting = false;
  tokens.forEach((token, i) => {
    const isAcronym = token.kind === "word" && token.text.length > 1;
    if (isAcronym && Tokenize.ACRONYM.fullmatch(token.text)) {
      if (token.start > end) {
        const line = token.start ? text.lastIndexOf("\n", token.start - 1) + 1 : 0;
        end = text.indexOf("\n", token.start);
        end = end >= 0 ? end : text.length;
        shouting = shouts(text.slice(line, end));
      }
      if (!shouting) token.kind = "name";
    } else if (
      token.kind === "name" &&
      i > 0 &&
      foldApostrophes(token.text.toLowerCase()) === "n't" &&
      isStem(tokens[i - 1]!)
    ) {
      tokens[i - 1]!.kind = "name";
    }
  });
  return tokens;
}

/** Mark both halves of a word that is hyphenated at the end of a line as names. */
function protectHyphenation(tokens: Slice[], text: string): Slice[] {
  for (let i = 1; i < tokens.length - 1; i += 1) {
    const [before, hyphen] = [tokens[i - 1]!, tokens[i]!];
    if (!Tokenize.HYPHENS.has(hyphen.text)) continue;
    if (before.kind === "mark" || endOf(before) !== hyphen.start) continue;
    const line = Tokenize.NEXT_LINE.match(text, endOf(hyphen));
    if (!line) continue;
    const end = line.index + line[0].length;
    let j = i + 1;
    while (j < tokens.length && tokens[j]!.start < end) j += 1;
    const behind = tokens[j];
    if (behind?.start !== end || !isLower(first(behind.text))) continue;
    for (const half of [before, behind]) if (half.kind === "word") half.kind = "name";
  }
  return tokens;
}

/** Whether the token is the first half of can't, won't, shan't or ain't. */
function isStem(token: Slice): boolean {
  return token.kind === "word" && Tokenize.STEMS.has(token.text.toLowerCase());
}

function shouts(line: string): boolean {
  return line.toUpperCase() === line && Tokenize.LETTERS.findall(line).length >= 3;
}

export function endOf(token: Slice): number {
  return token.start + token.text.length;
}
