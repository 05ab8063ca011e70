// Written by `python benchmarks/js_tables.py` from the tables of the Python package.

import { Pattern } from "../pattern.js";

export const Adjust = {
  WEIGHTS: {
    nonword: {
      capitals: -4.85,
      foreign: -0.15,
      repeated: -11.54,
      code: -13.37,
      technical: -6.5,
      common: -4.67,
      name: -3.96,
      plural: -1.58,
      prefixed: -3.75,
      distance: -2.22,
      used: 0.27,
      unused: -1.69,
    },
    realword: {
      capitals: -6.75,
      better_pair: -0.88,
      worse_pair: -0.5,
      repeated: -2.77,
      code: -1.1,
      glued: -1.6,
    },
  },
  DOUBT: 2.3,
  FREQUENT: 1000,
  RARE: 10000,
  SMOOTHING: 0.5,
  MOST: 2.0,
  CERTAIN: 1e-06,
  LARGE: 10000,
  NEARBY: 80,
  TYPING_ERRORS: 0.2,
  WORD: new Pattern("[^[^\\p{L}\\p{N}_]\\p{Nd}_]{2,}"),
  GLUE_BEFORE: new Pattern("(?:[\\s\\S]?[\\/\\\\\\=\\<\\>\\@\\#\\$\\|\\+\\&\\~\\^]|[^[^\\p{L}\\p{N}_]_][\\-\\(\\[\\{\\:\\.])"),
  GLUE_AFTER: new Pattern("(?:[\\/\\\\\\=\\<\\>\\@\\#\\$\\|\\+\\&\\~\\^][\\s\\S]?|[\\-\\)\\]\\}\\:\\.][^[^\\p{L}\\p{N}_]_])"),
};
export const Decode = {
};
export const Evidence = {
  MAX_WORDS: 200000,
  MAX_CONTEXTS: 20000,
  CONTEXT: 60,
  NEIGHBOUR: 40,
  PAIR_SLOTS: 4194304,
  PAIR_FACTOR: 31,
  WORD: new Pattern("[^[^\\p{L}\\p{N}_]\\p{Nd}_]+(?:['\\u{2019}][^[^\\p{L}\\p{N}_]\\p{Nd}_]+)*"),
  CODE_LIKE: new Pattern("(?<![^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\u{fffc}])[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\u{fffc}]*?[^[^\\p{L}\\p{N}_]_][_\\/\\\\\\<\\>\\=\\:\\$\\@\\#\\(\\)\\{\\}\\[\\]\\|\\.]+[^[^\\p{L}\\p{N}_]_][^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\u{fffc}]*"),
  PART: new Pattern("(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^[^\\p{L}\\p{N}_]\\p{Nd}_]+)"),
  SHOWN: new Pattern("[^\\u{fffc}]+"),
  ENCODED: new Pattern("(?:[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]{100,}|\\\\[nrtu])"),
};
export const Policy = {
  NEGLIGIBLE: 0.01,
};
export const Rules = {
  ELONGATED: new Pattern("(?:(?<_1>[aehiouy])\\k<_1>\\k<_1>|(?<_2>[mrz])\\k<_2>\\k<_2>(?=\\n?$)|(?<_3>[a-z])\\k<_3>\\k<_3>\\k<_3>)"),
  NEGATED: new Pattern("(?:(?<regular>(?:(?:c|w|sh)ould|might|must|ha[ds]|did|does|is|are|was|were|need|ought))n(?:'?t)?|(?<irregular>(?:ca|wo|do|sha|have))n'?t)(?:(?<have>'?ve))?", ["regular", "irregular", "have"]),
  PLAIN: {
    ca: "can",
    wo: "will",
    sha: "shall",
  },
};
export const Spacing = {
  ONE_LETTER: new Set(["a", "i"]),
  MOST_EDITS: 2,
  LEAST_SHARE: 0.1,
  MOST_WAYS: 3,
  SHORTEST_MISSPELLED: 3,
};
export const Terms = {
  MAX_TERMS: 300,
  MIN_COUNT: 3,
  MIN_LENGTH: 4,
};
export const UserWords = {
  MAX_SUGGESTED: 3000,
};
export const ValidWords = {
  SUGGESTED: ["common", "technical"],
  SHORTEST: 5,
  LONG: 8,
  MOST: 8,
};
export const Variants = {
  MIN_EVIDENCE: 3,
  MAX_PER_WORD: 3,
  MIN_RATIO: 5,
  ENDINGS: ["'s", "’s", "'S", "’S", "'", "’"],
};
export const Vocabulary = {
  CLASSES: ["technical", "common", "name"],
  AFTER_LETTERS: "\udbff\udfff",
  PART: new Pattern("(?<_1>[0-9A-Z])"),
  SHARED: {
    "0": 0,
    "1": 1,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
    "7": 7,
    "8": 8,
    "9": 9,
    A: 10,
    B: 11,
    C: 12,
    D: 13,
    E: 14,
    F: 15,
    G: 16,
    H: 17,
    I: 18,
    J: 19,
    K: 20,
    L: 21,
    M: 22,
    N: 23,
    O: 24,
    P: 25,
    Q: 26,
    R: 27,
    S: 28,
    T: 29,
    U: 30,
    V: 31,
    W: 32,
    X: 33,
    Y: 34,
    Z: 35,
  },
  TAKES_ES: ["s", "x", "z", "ch", "sh"],
  TAKES_IES: new Pattern("[^aeiou]y(?=\\n?$)"),
};
export const SHORTHAND = new Set(["abt", "acct", "afaik", "ahh", "aight", "apps", "appt", "appts", "apr", "args", "asst", "aug", "avg", "aww", "bbq", "bc", "bcuz", "bday", "bestie", "bff", "bool", "brb", "btw", "convo", "convos", "couldn't've", "coz", "cuz", "cya", "dec", "deets", "dunno", "env", "eww", "fave", "faves", "feb", "ffs", "fri", "gif", "gifs", "gimme", "hah", "haha", "hahaha", "hangry", "he'd've", "he'll've", "hehe", "hehehe", "hmm", "hmu", "how'd", "how'd've", "how'll", "how'll've", "how're", "how've", "hrs", "i'd've", "i'll've", "idk", "iirc", "ikr", "ily", "img", "imho", "imo", "irl", "it'd", "it'd've", "it'll", "it'll've", "iykyk", "jan", "jul", "jun", "kgs", "kwargs", "lemme", "lmao", "lmfao", "lmk", "lol", "lotsa", "lotta", "mgmt", "mightn't've", "mins", "misc", "mon", "msgs", "mustn't've", "nov", "np", "nvm", "oct", "omg", "omw", "oof", "pfft", "pics", "pls", "plz", "ppl", "psst", "qty", "rn", "rofl", "rsvp", "sep", "sept", "she'd've", "she'll've", "shoulda", "shouldn't've", "smh", "sorta", "srsly", "stderr", "stfu", "tbf", "tbh", "that'd", "that'd've", "that'll", "that'll've", "there'd", "there'd've", "there'll", "there'll've", "there're", "there've", "these'd", "these'd've", "these'll", "these'll've", "these're", "these've", "they'd've", "they'll've", "this'd", "this'd've", "this'll", "this'll've", "thnx", "those'd", "those'd've", "those'll", "those'll've", "those're", "those've", "thru", "thur", "thurs", "thx", "tmi", "tnx", "tsk", "ttfn", "ttyl", "tues", "txt", "ur", "util", "utils", "vid", "vids", "vlog", "vlogger", "vlogs", "we'd've", "we'll've", "weds", "what'd", "what'd've", "what'll", "what'll've", "what're", "what've", "when'd", "when'd've", "when'll", "when'll've", "where'd", "where'd've", "where'll", "where'll've", "where're", "where've", "who'd", "who'd've", "who'll", "who'll've", "who're", "who've", "why'd", "why'd've", "why'll", "why'll've", "wifi", "wip", "wk", "wks", "wouldn't've", "wut", "wyd", "yall", "yeah", "you'd've", "you'll've", "yrs"]);
