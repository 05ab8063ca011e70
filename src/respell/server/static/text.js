// Pure functions over texts and findings. All offsets are UTF-16 units, as JavaScript counts.

/** What stands between blank lines is judged alone, so it can be sent and remembered alone. */
const BLANK_LINES = /\n(?:[ \t\r\f\v]*\n)+/g;
const LONGEST_PIECE = 20_000;
const WORD_PART = /[\p{L}\p{M}\p{N}_'’]/u;
const FILLER = "\ufffc"; // the server reads it as code: seen, never changed
const MARKDOWN = [
  /^---\r?\n[\s\S]*?\n---[ \t]*\r?$/, // front matter
  /^[ \t>]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t>]*\1[`~]*[ \t]*\r?$|(?![\s\S]))/gm, // fences
  /<!--[\s\S]*?-->/g,
  /<\/?[a-z][^<>\n]*>/gi,
  /(?<=\]\()[^\s()]+/g, // where a link goes
  /^[ \t]*\[[^\]\n]+\]:[^\n]*$/gm,
];
const CONTEXT = 3; // lines around a change in a diff, as in `respell fix --diff`

/** Cut a text after blank lines; joined, they are the text. The last may be empty. */
export function paragraphs(text) {
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

/** The paragraphs of a text, each in pieces that are not too long for a request. */
export function pieces(text) {
  return paragraphs(text).flatMap(shortened);
}

/** A paragraph longer than a request should be is cut at a line end, a blank, or anywhere. */
function shortened(piece) {
  const parts = [];
  while (piece.length > LONGEST_PIECE) {
    const head = piece.slice(0, LONGEST_PIECE);
    let cut = Math.max(head.lastIndexOf("\n"), 0) || Math.max(head.lastIndexOf(" "), 0);
    cut = cut ? cut + 1 : LONGEST_PIECE;
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

/** A Markdown text of the same length, in which code, tags and link targets are hidden. */
export function maskMarkdown(text) {
  const hide = (hidden) => hidden.replace(/\S/g, FILLER);
  return MARKDOWN.reduce((masked, pattern) => masked.replace(pattern, hide), text);
}

/** Whether there is anything to check. */
export function hasLetters(text) {
  return /\p{L}/u.test(text);
}

/** Move findings along with an edit; those the edit touches are dropped. */
export function shift(findings, before, after) {
  if (before === after) return findings;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const by = after.length - before.length;
  const kept = [];
  for (const found of findings) {
    if (found.end <= head) kept.push(found);
    else if (found.start >= before.length - tail) {
      kept.push({ ...found, start: found.start + by, end: found.end + by });
    }
  }
  return kept.filter((found) => standsAlone(after, found.start, found.end));
}

function standsAlone(text, start, end) {
  const left = start > 0 && WORD_PART.test(text[start - 1]);
  const right = end < text.length && WORD_PART.test(text[end]);
  return !left && !right;
}

/** The word the caret stands in or touches: [start, end], or null. */
export function wordAt(text, caret) {
  let start = caret;
  let end = caret;
  while (start > 0 && WORD_PART.test(text[start - 1])) start -= 1;
  while (end < text.length && WORD_PART.test(text[end])) end += 1;
  while (start < end && /['’]/.test(text[start])) start += 1; // an opening quote
  return start < end && hasLetters(text.slice(start, end)) ? [start, end] : null;
}

/** Whether a finding still says what stands in the text. */
export function fits(text, found) {
  return text.slice(found.start, found.end) === found.original;
}

/** The text with the first suggestion of every finding that has one and still fits. */
export function applyAll(text, findings) {
  const parts = [];
  let done = 0;
  for (const found of findings) {
    if (!found.suggestions.length || found.start < done || !fits(text, found)) continue;
    parts.push(text.slice(done, found.start), found.suggestions[0].text);
    done = found.end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Corrections neither add nor remove lines: hunks are stretches of lines side by side. */
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
  if (changed.length) found.push(["head", `--- a/${name}\n`], ["head", `+++ b/${name}\n`]);
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

/** A probability for people. */
export function percent(probability) {
  if (probability >= 0.9995) return "> 99.9 %";
  if (probability < 0.0005) return "< 0.1 %";
  return `${(100 * probability).toFixed(1)} %`;
}

/** "1 word", "2 words". */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
