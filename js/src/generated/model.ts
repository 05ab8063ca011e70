// Written by `python benchmarks/js_tables.py` from the tables of the Python package.

import { Pattern } from "../pattern.js";

export const Bundle = {
  FORMAT: 2,
  LEXICON: "lexicon.txt",
  MODEL: "model.onnx",
  TRUECASE: "truecase.txt",
  VOCABULARY: "vocabulary.gz",
  MAX_FILE_SIZE: 1073741824,
  MAX_CONFIG_SIZE: 1048576,
  INVALID: new Pattern("(?:[^[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]\\n]|[\\u{0}-\\t\\u{b}-\\u{1f}\\u{7f}-\\u{9f}])"),
};
export const Compose = {
  CHUNK: 512,
  CACHED: 16384,
};
export const Encode = {
  CHAR_PAD: 0,
  CHAR_UNKNOWN: 1,
  CHAR_START: 2,
  CHAR_MASK: 3,
  FIRST_CHARACTER: 4,
  WORD_PAD: 0,
  WORD_UNKNOWN: 1,
  WORD_MASK: 2,
  WORD_OFFSET: 3,
  LONGEST: 20,
  WIDTH: 21,
  CODE: "<code>",
  NOISE_FLAG: 4,
  PRONOUN: new Set(["i", "i'd", "i'll", "i'm", "i've"]),
  DIGIT: new Pattern("[\\p{Nd}]"),
};
export const Forward = {
  REPLACE: 0,
  SPLIT: 1,
  JOIN: 2,
  KINDS: 3,
};
export const HiddenWords = {
  STRAY_CAPITAL: new Pattern("(?:[A-Za-z][a-z]+[A-Z][a-z]*|[a-z][A-Z][a-z]+)"),
  PART: new Pattern("(?:[A-Z]?[a-z]+|[A-Z])"),
};
export const Presets = {
  MODES: ["light", "noisy"],
};
export const Session = {
  INPUTS: ["words", "shapes", "slots", "spellings", "new_words", "classes", "gate"],
  NEW_WORDS: "new_words",
  COMPOSED: "composed",
  CLASSES: "classes",
  KINDS: "kinds",
  OPTIONAL_INPUTS: ["new_words", "classes"],
  OPTIONAL_OUTPUTS: ["kinds", "composed"],
  OUTPUTS: ["keep", "positions", "ids", "probabilities", "cases"],
  FLOATS: new Set(["composed", "gate", "keep", "kinds", "new_words", "probabilities"]),
  MAX_PROBABILITY: 1.001,
  DIMENSIONS: {
    gate: 0,
    positions: 1,
    cases: 1,
  },
};
export const Version = {
  CONFIG: "config.json",
  SHORT_HASH: 12,
};
export const Vocabulary = {
  GROUPS: ["unlisted", "common", "name", "technical"],
  FREQUENCIES: 3,
  ODD: 12,
  CLASS_IDS: 24,
  ABSENT: 0,
  BLOCK: 64,
  CODES: "0123456789:;",
  SHARED: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  PART: new Pattern("(?<_1>[A-Z]?)(?<_2>[^A-Z0-9\\:\\;]*)(?<_3>[0123456789\\:\\;])"),
  AFTER_CODES: "[",
  LONGEST: 25,
  PLURAL_IN_ES: ["ses", "xes", "zes", "ches", "shes", "oes"],
  NO_PLURAL_IN_S: new Pattern("(?:[sxz]|[cs]h|[^aeiou]y)s(?=\\n?$)"),
};
export const PRESET = {
  threshold_on: "score",
  fix_threshold: 0.0,
  write_threshold: 0.0,
  oov_threshold: 1.0,
  name_threshold: 0.0,
  spacing_threshold: 0.5,
  mode: "light",
  rewrite_threshold: 0.0,
  dictionary_bias: 0.0,
  vocabulary_bias: null,
};
