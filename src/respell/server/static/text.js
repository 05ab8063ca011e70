// Functions on texts and findings. All offsets count UTF-16 units.

import { markdownParts } from "./markdown.js";

/** A blank line ends a sentence, so paragraphs can be checked one by one. */
const BLANK_LINES = /\n(?:[ \t\r\f\v]*\n)+/g;
const ABBREVIATIONS =
  "mrs|prof|gen|col|sgt|capt|rev|hon|gov|sen|rep|inc|ltd|corp|" +
  "jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec";
/** The white space after a sentence, but only where the server sees the end of a sentence too. */
const SENTENCE_END = new RegExp(
  `(?<=[ \\n](?!(?:${ABBREVIATIONS})\\b)[a-z]{3,}[.!?])[ \\n]+(?=[A-Z][a-z])`,
  "g",
);
const LONG_PARAGRAPH = 2_000;
const MAX_PIECE = 5_000;
const WORD_PART = /[\p{L}\p{M}\p{N}_'’]/u;
const CONTEXT = 3; // lines of context in a diff, as in `respell fix --diff`

/** Cut a text after blank lines. Joined, the parts are the text; the last may be empty. */
function paragraphs(text) {
  const found = [];
  let start = 0;
  for (const match of text.matchAll(BLANK_LINES)) {
    const end = match.index + match[0].length;
    found.push(text.slice(start, end));
    start = end;
  }
  found.push(text.slice(start));
  return found;
}

/** The parts of a text that are checked one by one. Joined, they are the text. */
export function pieces(text, format = "plain") {
  return format === "markdown" ? markdownParts(text) : paragraphs(text).flatMap(cutParagraph);
}

/**
 * Cut a long paragraph between sentences. Whether to cut after a sentence depends on that sentence
 * and not on its place, so that an edit does not move the cuts elsewhere.
 */
function cutParagraph(paragraph) {
  if (paragraph.length <= LONG_PARAGRAPH) return [paragraph];
  const cuts = [0];
  let sentence = 0;
  const hasCode = /[`_]/.test(paragraph); // code ends with its line, but may contain sentences
  for (const { 0: space, index } of paragraph.matchAll(SENTENCE_END)) {
    if (hasCode && !space.includes("\n")) continue;
    const end = index + space.length;
    const chosen = (end - sentence) % 8 === 0 || end - cuts.at(-1) > MAX_PIECE / 2;
    if (chosen) cuts.push(end);
    sentence = end;
  }
  return cuts.flatMap((cut, i) => cutAnywhere(paragraph.slice(cut, cuts[i + 1])));
}

/** Cut a very long sentence at line ends, at spaces or, if there are none, anywhere. */
function cutAnywhere(piece) {
  const parts = [];
  while (piece.length > MAX_PIECE) {
    const head = piece.slice(0, MAX_PIECE);
    let cut = Math.max(head.lastIndexOf("\n"), 0) || Math.max(head.lastIndexOf(" "), 0);
    cut = cut ? cut + 1 : MAX_PIECE;
    if (isLowSurrogate(piece, cut)) cut -= 1;
    parts.push(piece.slice(0, cut));
    piece = piece.slice(cut);
  }
  parts.push(piece);
  return parts;
}

function isLowSurrogate(text, at) {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Whether there is something to check. */
export function hasLetters(text) {
  return /\p{L}/u.test(text);
}

/** The edit between two texts: the lengths of the unchanged head and tail, and the growth. */
export function editBetween(before, after) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  const same = () =>
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail);
  while (tail < most - head && same()) tail += 1;
  return { head, end: before.length - tail, by: after.length - before.length };
}

/** Move findings after an edit; drops those in the edited part, and those that no longer fit. */
export function shift(findings, { head, end, by }, after) {
  const kept = [];
  for (const found of findings) {
    if (found.end <= head) kept.push(found);
    else if (found.start >= end) {
      kept.push({ ...found, start: found.start + by, end: found.end + by });
    }
  }
  return kept.filter((found) => isWholeWord(after, found.start, found.end) && fits(after, found));
}

function isWholeWord(text, start, end) {
  const left = start > 0 && WORD_PART.test(text[start - 1]);
  const right = end < text.length && WORD_PART.test(text[end]);
  return !left && !right;
}

/** The word at the caret: [start, end], or null. */
export function wordAt(text, caret) {
  let start = caret;
  let end = caret;
  while (start > 0 && WORD_PART.test(text[start - 1])) start -= 1;
  while (end < text.length && WORD_PART.test(text[end])) end += 1;
  while (start < end && /['’]/.test(text[start])) start += 1; // an opening quote
  return start < end && hasLetters(text.slice(start, end)) ? [start, end] : null;
}

/**
 * The findings of parts, with offsets in the whole text. A part is [piece, findings]; without
 * findings it has not been checked yet and keeps those of `shown`, which have offsets in the text.
 */
export function place(parts, shown = []) {
  const placed = [];
  let offset = 0;
  for (const [piece, findings] of parts) {
    const end = offset + piece.length;
    if (!findings) {
      placed.push(...shown.filter((found) => found.start >= offset && found.end <= end));
    }
    for (const found of findings ?? []) {
      placed.push({ ...found, start: found.start + offset, end: found.end + offset });
    }
    offset = end;
  }
  return placed;
}

/** Sorted findings without those that overlap an earlier one. */
export function withoutOverlaps(findings) {
  let end = 0;
  return findings.filter((found) => {
    if (found.start < end) return false;
    ({ end } = found);
    return true;
  });
}

/** Whether a finding still matches the text. */
export function fits(text, found) {
  return text.slice(found.start, found.end) === found.original;
}

/** The text with every finding that still fits replaced by its first suggestion. */
export function applyAll(text, findings) {
  const parts = [];
  let done = 0;
  for (const found of findings) {
    if (found.start < done || !fits(text, found)) continue;
    parts.push(text.slice(done, found.start), found.replacement);
    done = found.end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** The hunks of a diff. Corrections neither add nor remove lines, so lines are paired by number. */
export function hunks(before, after) {
  const olds = lines(before);
  const news = lines(after);
  const found = [];
  let hunk = null;
  let held = [];
  olds.forEach((old, i) => {
    const pair = [old, news[i]];
    const same = old === news[i];
    if (!hunk && same) {
      held = [...held, pair].slice(-CONTEXT);
      return;
    }
    hunk ??= { first: i + 1 - held.length, pairs: held, same: 0 };
    hunk.pairs.push(pair);
    hunk.same = same ? hunk.same + 1 : 0;
    if (hunk.same === CONTEXT) {
      found.push(hunk);
      hunk = null;
      held = [];
    }
  });
  if (hunk) found.push(hunk);
  return found;
}

/** The lines of a diff with their kind: "head", "same", "old" or "new". */
export function diffLines(name, before, after) {
  const found = [];
  const changed = hunks(before, after);
  const end = name.includes(" ") ? "\t\n" : "\n"; // as git and `respell fix --diff` write it
  if (changed.length) found.push(["head", `--- a/${name}${end}`], ["head", `+++ b/${name}${end}`]);
  for (const { first, pairs } of changed) {
    found.push(["head", `@@ -${first},${pairs.length} +${first},${pairs.length} @@\n`]);
    let news = [];
    for (const [old, now] of pairs) {
      if (old === now) {
        found.push(...news, ["same", ` ${ended(old)}`]);
        news = [];
      } else {
        found.push(["old", `-${ended(old)}`]);
        news.push(["new", `+${ended(now)}`]);
      }
    }
    found.push(...news);
  }
  return found;
}

function lines(text) {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function ended(line) {
  return line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
}

/** A probability as a percentage. */
export function percent(probability) {
  if (probability >= 0.9995) return "> 99.9 %";
  if (probability < 0.0005) return "< 0.1 %";
  return `${(100 * probability).toFixed(1)} %`;
}

/** "1 word", "2 words". */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
