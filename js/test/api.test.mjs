// The functions of the package, and what they say about bad input.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Data } from "../dist/decision/data.js";
import {
  apply,
  formatInEditor,
  formatOf,
  ignoreComment,
  load,
  Offsets,
  RespellError,
} from "../dist/node.js";
import { BUNDLE } from "./shared.mjs";

const corrector = await load({ model: BUNDLE });
const knowsBlanks = corrector.bundle.config.spacing ?? false;
const places = (found) => found.map(({ start, end, replacement }) => [start, end, replacement]);
const words = (found) => found.map(({ original, replacement }) => [original, replacement]);

test("check and correct", async () => {
  const text = "🙂 I recieve teh `teh` mail";
  assert.deepEqual(words(await corrector.check(text)), [
    ["recieve", "receive"],
    ["teh", "the"],
  ]);
  assert.equal(await corrector.correct(text), "🙂 I receive the `teh` mail");
  const [first] = await corrector.check(text);
  assert.deepEqual([first.start, first.end], [4, 11]); // code points
  const offsets = new Offsets(text);
  assert.equal(text.slice(offsets.toUtf16(first.start), offsets.toUtf16(first.end)), "recieve");
  assert.equal(offsets.toCodePoints(offsets.toUtf16(5)), 5);
});

test("options of a corrector and of a check", async () => {
  const text = "The refspec is teh colour.";
  const strict = await load({ model: BUNDLE, threshold: 1 });
  assert.deepEqual(await strict.check(text), []);
  assert.equal((await strict.check(text, { preset: "default" })).length > 0, true);
  const knows = corrector.with({ dictionary: ["teh"] });
  assert.deepEqual(words(await knows.check(text, { dictionary: ["refspec"] })), []);
  const american = await corrector.check(text, { variant: "en-US", dictionary: ["refspec"] });
  assert.deepEqual(words(american), [
    ["teh", "the"],
    ["colour", "color"],
  ]);
  assert.equal(american[1].kind, "variant");
});

test("blanks, if the model can", async () => {
  const text = "I recieve alot, in fact to gether";
  const found = await corrector.check(text);
  assert.deepEqual(await corrector.check(text, { spacing: false }), found);
  const withBlanks = await corrector.check(text, { spacing: "auto" });
  if (knowsBlanks) {
    assert.deepEqual(await corrector.check(text, { spacing: true }), withBlanks);
    assert.ok(withBlanks.some(({ kind }) => kind === "split"));
  } else {
    assert.deepEqual(withBlanks, found);
  }
});

test("documents: what recurs is a term", async () => {
  const text = `${"A refspec maps refs. ".repeat(6)}The refpsec is teh one. Run \`refspec\` now.`;
  assert.equal(words(await corrector.check(text))[0][0], "refspec");
  assert.deepEqual(words(await corrector.checkDocument(text, { format: "markdown" })), [
    ["refpsec", "refspec"],
    ["teh", "the"],
  ]);
});

test("documents: the variant that the user chose counts more than that of the text", async () => {
  const text = "The color of the center is my favorite color. The neighbor likes this behavour.";
  const found = await corrector.checkDocument(text, { variant: "en-GB" });
  assert.equal(
    apply(text, found),
    "The colour of the centre is my favourite colour. The neighbour likes this behaviour.",
  );
});

test("odd characters and line ends", async () => {
  const texts = [
    "👩‍👩‍👧 I 𝒜𝓁𝓅𝒽𝒶 teh 🇫🇷 mail",
    "I saw\r\nteh mail.\r\n\r\nBefor lunch.\r",
    "Cafe\u0301 na\u0308ive teh cafe\u0301s",
    "a \ud800 teh \udc00 \0 \u2028 cat",
  ];
  for (const text of texts) {
    const found = await corrector.check(text, { threshold: 0.1 });
    assert.ok(found.some(({ original }) => original === "teh"));
    const characters = [...text];
    for (const { start, end, original } of found) {
      assert.equal(characters.slice(start, end).join(""), original);
    }
  }
});

const PARAGRAPH = "I hope that you will like it before the end of the month. This is teh answer. ";

test("checks that overlap give the same answers", async () => {
  const texts = [PARAGRAPH.repeat(30), "I saw teh mail", "", PARAGRAPH];
  const fresh = await load({ model: BUNDLE });
  const together = await Promise.all(texts.map((text) => fresh.check(text)));
  for (const [i, text] of texts.entries()) {
    assert.deepEqual(together[i], await fresh.check(text)); // known by now
    assert.deepEqual(places(together[i]), places(await corrector.check(text)));
  }
});

test("a check can be cancelled", async () => {
  const control = new AbortController();
  const long = Array.from({ length: 2000 }, (_, i) => `I hope that ${i} of you like teh mail.`).join("\n\n");
  setTimeout(() => control.abort(), 100);
  const start = performance.now();
  await assert.rejects(() => corrector.check(long, { signal: control.signal }), {
    name: "AbortError",
  });
  assert.ok(performance.now() - start < 20_000); // the whole text takes much longer
  const { signal } = control;
  await assert.rejects(() => corrector.check("teh", { signal }), { name: "AbortError" });
  await assert.rejects(() => corrector.checkDocument("teh", { signal }), { name: "AbortError" });
});

test("others work while a long text is checked", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const numbered = Array.from({ length: 150 }, (_, i) => `There are ${i} cats and ${i} dogs here.`);
  await corrector.check(numbered.join("\n\n"));
  clearInterval(timer);
  assert.ok(turns > 1);
});

test("a sentence that is known is not read again", async () => {
  const text = "🙂 Here is teh cat. ";
  const [first] = await corrector.check(text);
  const [again, second] = await corrector.check(`🙂🙂\n\n${text}\n\n${text}`);
  assert.deepEqual(again, { ...first, start: first.start + 4, end: first.end + 4 });
  assert.equal(second.start, again.start + [...text].length + 2);
  const [wide] = await corrector.check("🙂 Here  is   teh cat. ");
  assert.deepEqual([wide.original, wide.start], ["teh", 13]);
});

test("tables that cannot be read once", async () => {
  let broken = true;
  const read = async () => {
    if (broken) throw new RespellError("no network");
    return new TextEncoder().encode("about\n\ncolour color -");
  };
  const data = new Data(read);
  await assert.rejects(() => data.variants(), { message: "no network" });
  broken = false;
  assert.equal((await data.variants()).toVariant("colour", "en-US"), "color");
});

test("empty texts", async () => {
  assert.deepEqual(await corrector.check(""), []);
  assert.deepEqual(await corrector.checkMany([]), []);
  assert.deepEqual(await corrector.checkTokens([]), []);
  assert.deepEqual(await corrector.checkDocument("\n\n"), []);
});

test("bad input", async () => {
  const refuses = (act, message) => assert.rejects(act, { name: "RespellError", message });
  await refuses(() => corrector.check("a", { format: "word" }), /no format "word"; known are plain/);
  await refuses(() => corrector.check("a", { preset: "none" }), /no preset "none" in this model/);
  await refuses(() => corrector.check("a", { threshold: 2 }), /threshold must be a number between/);
  await refuses(() => corrector.check("a", { variant: "fr" }), /variant must be one of auto, en-GB/);
  await refuses(() => corrector.check("a", { dictionary: "a" }), /dictionary must be a list/);
  await refuses(() => corrector.check("a", { dictionary: [5] }), /dictionary must be a list/);
  await refuses(() => corrector.check("a", { thresold: 0.5 }), /no option "thresold"; known are pre/);
  await refuses(() => corrector.check(5), /a text must be a string, not number/);
  await refuses(() => corrector.checkMany("abc"), /checkMany takes a list of texts; use check for/);
  await refuses(() => corrector.checkTokens("abc"), /tokens must be a list of words/);
  await refuses(() => load({}), /model must be the path of a model folder/);
  await refuses(() => corrector.check("a", { maxSuggestions: 0 }), /maxSuggestions must be a whole/);
  const unknown = /spacing must be true, false or "auto", not 1/;
  await refuses(() => corrector.check("a", { spacing: 1 }), unknown);
  const cannot = /^this model does not find missing or extra spaces; turn the option spacing off$/;
  if (!knowsBlanks) {
    await refuses(() => corrector.check("a", { spacing: true }), cannot);
    await refuses(() => load({ model: BUNDLE, spacing: true }), cannot);
  }
  await refuses(() => corrector.explain("a b", 1), /no word at 1/);
  const found = { start: 0, end: 3, original: "teh", replacement: "the" };
  assert.throws(() => apply("other", [found]), /does not fit the text/);
});

test("damaged and missing files of a model", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "respell-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const refuses = (message) =>
    assert.rejects(() => load({ model: folder }), { name: "RespellError", message });
  await refuses(/config\.json: cannot be read \(ENOENT\)/);
  cpSync(BUNDLE, folder, { recursive: true });
  const change = async (name, content, message) => {
    const path = join(folder, name);
    const before = readFileSync(path);
    writeFileSync(path, content);
    await refuses(message);
    writeFileSync(path, before);
  };
  await change("config.json", "{", /config\.json: not readable as JSON/);
  await change("config.json", '{"format": 1}', /config\.json: not a model of format 2/);
  await change("config.json", '{"format": 2}', /config\.json: keys are missing/);
  await change("lexicon.txt", "the\n", /lexicon\.txt: damaged, its SHA-256 differs/);
  await change("model.onnx", "", /model\.onnx: damaged/);
});

test("formats of files", () => {
  assert.equal(formatOf("a/b.MD"), "markdown");
  assert.equal(formatOf("Makefile"), "makefile");
  assert.equal(formatOf(".md"), "plain");
  assert.equal(formatOf("openssl.1ssl"), "man");
  assert.equal(formatOf("a.10b"), "plain");
  assert.equal(formatInEditor("typescriptreact", "x"), "typescript");
  assert.equal(formatInEditor("plaintext", "x.rs"), "rust");
  assert.equal(ignoreComment("python"), "# respell: ignore");
  assert.equal(ignoreComment("plain"), "");
});
