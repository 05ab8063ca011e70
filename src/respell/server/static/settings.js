// The settings: preset, threshold and dictionary, stored in this browser.

const CHOICE_KEY = "respell.choice";
const WORDS_KEY = "respell.dictionary";
/** What the presets are for. */
export const NOTES = {
  default: "For everyday writing.",
  noisy: "For text with many mistakes; also corrects capital letters.",
  careful: "Marks only words that are almost certainly wrong.",
};

function read(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? fallback;
  } catch {
    return fallback; // storage is disabled, or the value is not ours
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // storage is disabled or full: the value is kept until the page is closed
  }
}

function readWords() {
  const words = read(WORDS_KEY, []);
  return Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
}

/** The settings of the user; `onChange` is called after every change. */
export class Settings {
  constructor(onChange) {
    this.onChange = onChange;
    this.presets = new Map();
    const { preset = "default", threshold = null } = read(CHOICE_KEY, {});
    this.preset = String(preset);
    this.threshold = typeof threshold === "number" ? threshold : null;
    this.words = readWords();
    this.#listen();
    this.#drawWords();
  }

  /** The options of a request; without a threshold, the preset's is used. */
  get options() {
    const options = { preset: this.preset, dictionary: this.words };
    if (this.threshold !== null) options.threshold = this.threshold;
    return options;
  }

  /** The least score of a correction that is made in a file without asking. */
  get writeThreshold() {
    return this.presets.get(this.preset)?.write_threshold ?? 0;
  }

  /** Show the presets of the model: {name: {threshold, …}}. */
  offer(presets) {
    this.presets = new Map(Object.entries(presets));
    if (!this.presets.has(this.preset)) this.preset = "default";
    this.#drawPresets();
    this.#drawThreshold();
  }

  /** Add a word to the dictionary. */
  learn(word) {
    const clean = word.trim();
    if (!clean || this.words.some((known) => known.toLowerCase() === clean.toLowerCase())) return;
    this.#setWords([...this.words, clean]);
  }

  #forget(word) {
    this.#setWords(this.words.filter((known) => known !== word));
    document.getElementById("dictionary-word").focus();
  }

  #setWords(words) {
    this.words = words;
    write(WORDS_KEY, words);
    this.#drawWords();
    this.onChange();
  }

  #choose(preset, threshold) {
    this.preset = preset;
    this.threshold = threshold;
    write(CHOICE_KEY, { preset, threshold });
    this.#drawThreshold();
    this.onChange();
  }

  #listen() {
    const slider = document.getElementById("threshold");
    slider.addEventListener("input", () => this.#choose(this.preset, Number(slider.value)));
    const field = document.getElementById("dictionary-word");
    document.getElementById("dictionary-form").addEventListener("submit", (event) => {
      event.preventDefault();
      for (const word of field.value.split(/[\s,]+/)) this.learn(word);
      field.value = "";
    });
    window.addEventListener("storage", (event) => {
      if (event.key !== WORDS_KEY) return; // changed in another tab
      this.words = readWords();
      this.#drawWords();
      this.onChange();
    });
  }

  #drawPresets() {
    const segments = [...this.presets.keys()].map((name) => {
      const label = document.createElement("label");
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = "preset";
      radio.value = name;
      radio.checked = name === this.preset;
      radio.addEventListener("change", () => this.#choose(name, null));
      const caption = document.createElement("span");
      caption.textContent = name[0].toUpperCase() + name.slice(1);
      label.append(radio, caption);
      return label;
    });
    document.getElementById("presets").replaceChildren(...segments);
  }

  #drawThreshold() {
    const threshold = this.threshold ?? this.presets.get(this.preset)?.threshold ?? 0.5;
    const slider = document.getElementById("threshold");
    const shown = `${(100 * threshold).toFixed(1).replace(/\.0$/, "")} %`;
    slider.value = String(threshold);
    slider.setAttribute("aria-valuetext", shown);
    document.getElementById("threshold-value").textContent = shown;
    document.getElementById("preset-note").textContent = NOTES[this.preset] ?? "";
  }

  #drawWords() {
    const chips = this.words.map((word) => {
      const item = document.createElement("li");
      const remove = document.createElement("button");
      remove.type = "button";
      remove.textContent = "✕";
      remove.setAttribute("aria-label", `Remove ${word}`);
      remove.addEventListener("click", () => this.#forget(word));
      item.append(word, remove);
      return item;
    });
    document.getElementById("dictionary").replaceChildren(...chips);
    document.getElementById("dictionary-empty").hidden = chips.length > 0;
  }
}
