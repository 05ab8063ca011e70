// Written by `python benchmarks/js_tables.py` from the tables of the Python package.

export const Corrector = {
  LOOK_AHEAD_WORDS: 16384,
  NOTHING_RANKED: 2.0,
  SUSPECT_SHARE: 0.25,
};
export const Options = {
  MAX_SUGGESTIONS: 5,
};
export const PRESETS = ["default", "noisy", "careful"];
export const VARIANTS = ["auto", "en-GB", "en-US"];
export const SPACING = ["split", "join"];
