// Harper's spelling rule on the sentence as text; its first suggestion of one word.
import { isWord, firstSingle } from "../words.mjs";

export async function load(find) {
  const { Dialect, LocalLinter } = await find("harper.js");
  const { binaryInlined } = await find("harper.js/binaryInlined");
  const linter = new LocalLinter({ binary: binaryInlined, dialect: Dialect.American });
  const config = await linter.getDefaultLintConfig();
  await linter.setLintConfig(
    Object.fromEntries(Object.keys(config).map((rule) => [rule, rule === "SpellCheck"])),
  );
  return async (tokens) => {
    const answers = [...tokens];
    const lints = await linter.lint(tokens.join(" "), { language: "plaintext" });
    for (const lint of lints) {
      const index = indexAt(tokens, lint.span().start);
      const suggestions = lint.suggestions().map((s) => s.get_replacement_text());
      if (isWord(tokens, index) && lint.get_problem_text() === tokens[index]) {
        answers[index] = firstSingle(suggestions) ?? tokens[index];
      }
      lint.free();
    }
    return answers;
  };
}

// The token at an offset; Harper counts characters, JavaScript counts UTF-16 units.
function indexAt(tokens, offset) {
  let start = 0;
  for (let index = 0; index < tokens.length; index++) {
    start += [...tokens[index]].length + 1;
    if (offset < start) {
      return index;
    }
  }
  return tokens.length - 1;
}
