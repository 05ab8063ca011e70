// The same as words.py: which tokens peers get, and the case of answers.
const WORD = /^\p{L}+(?:['\u2019-]\p{L}+)*$/u;
const CLITICS = ["n't", "n\u2019t", "N'T"];
const AFTER = ["'t", "\u2019t", "n't", "n\u2019t"];

export function isWord(tokens, index) {
  const following = tokens[index + 1] ?? "";
  const whole = WORD.test(tokens[index]) && !CLITICS.includes(tokens[index]);
  return whole && !AFTER.some((half) => following.startsWith(half));
}

export function firstSingle(answers) {
  return answers.find((answer) => answer && !/\s/u.test(answer));
}

export function correctEach(correct) {
  return (tokens) =>
    tokens.map((token, index) => (isWord(tokens, index) ? (correct(token) ?? token) : token));
}

export function like(word, answer) {
  if (word.length > 1 && word === word.toUpperCase()) {
    return answer.toUpperCase();
  }
  const title = /^\p{Lu}/u.test(word);
  return title ? answer.slice(0, 1).toUpperCase() + answer.slice(1) : answer;
}
