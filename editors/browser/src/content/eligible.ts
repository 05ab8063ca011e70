/** Which elements of a page hold text that respell checks. */

/** Code, code editors and terminals: what they hold is not prose. */
const NOT_PROSE = [
  "code",
  "pre",
  ".monaco-editor",
  ".CodeMirror",
  ".cm-editor",
  ".ace_editor",
  ".xterm",
  '[aria-roledescription*="code" i]',
].join(",");
/** Values of `autocomplete` that ask for codes, addresses and names. */
const PERSONAL =
  /^(?:username|email|url|photo|tel|cc-|bday|one-time-code|(?:current|new)-password|webauthn|street-|address-|postal-|country|given-name|family-name|additional-name|honorific-|name$|nickname|organization$)/;
/** Names of fields that hold no prose. */
const SECRET =
  /passw|passphrase|secret|captcha|username|e-?mail$|(?<![a-z])(?:pwd|pin|otp|cvc|iban)(?![a-z])/i;
const SMALLEST = 12; // pixels; editors hide smaller fields
const secrets = new WeakSet<Element>();

/** Remember the fields that are, or were, for a password: a page may show it as plain text. */
export function watchPasswords(): void {
  const note = (node: Element | null) => {
    if (node instanceof HTMLInputElement && node.type === "password") secrets.add(node);
  };
  document.querySelectorAll("input").forEach(note);
  document.addEventListener("focusin", (event) => note(event.composedPath()[0] as Element), true);
  const observer = new MutationObserver((records) => {
    for (const { target, oldValue } of records) {
      if (oldValue?.toLowerCase() === "password") secrets.add(target as Element);
    }
  });
  observer.observe(document, {
    subtree: true,
    attributeFilter: ["type"],
    attributeOldValue: true,
  });
}

/** The field that an event came from, if respell checks it. */
export function fieldOf(target: EventTarget | null | undefined): HTMLElement | null {
  if (!(target instanceof HTMLElement)) return null;
  const field = isPlain(target) ? target : editingHost(target);
  return field && isEligible(field) ? field : null;
}

/** Whether respell still checks a field; its attributes may have changed. */
export function isEligible(field: HTMLElement): boolean {
  if (isPlain(field) ? !isProse(field) : !field.isContentEditable) return false;
  if (isCode(field) || !wantsSpelling(field) || isForeign(field)) return false;
  return field.offsetWidth >= SMALLEST && field.offsetHeight >= SMALLEST;
}

export type Plain = HTMLTextAreaElement | HTMLInputElement;

export function isPlain(node: Element): node is Plain {
  return node instanceof HTMLTextAreaElement || node instanceof HTMLInputElement;
}

function isProse(field: Plain): boolean {
  if (field.readOnly || field.disabled || secrets.has(field)) return false;
  if (field instanceof HTMLTextAreaElement) return true;
  const personal = field.autocomplete.split(/\s+/).some((word) => PERSONAL.test(word));
  const usual = field.type === "text" || field.type === "search";
  const named = SECRET.test(field.name) || SECRET.test(field.id);
  return usual && !personal && !named && !showsDots(field);
}

/** Whether the page shows dots in the place of characters. */
function showsDots(field: Element): boolean {
  const shown = getComputedStyle(field).getPropertyValue("-webkit-text-security");
  return shown !== "" && shown !== "none";
}

/** The outermost editable element around a node. */
function editingHost(node: HTMLElement): HTMLElement | null {
  if (!node.isContentEditable) return null;
  let host = node;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}

function isCode(field: Element): boolean {
  for (const node of around(field)) {
    if (node.closest(NOT_PROSE)) return true;
  }
  return false;
}

/** Whether no element around the field says spellcheck="false"; the nearest one decides. */
function wantsSpelling(field: Element): boolean {
  for (const node of around(field)) {
    const nearest = node.closest("[spellcheck]");
    if (nearest) return nearest.getAttribute("spellcheck")!.toLowerCase() !== "false";
  }
  return true;
}

/** Whether the field itself asks for another language. */
function isForeign(field: Element): boolean {
  const own = field.getAttribute("lang");
  return Boolean(own) && !/^en\b/i.test(own!);
}

/** A node, and the hosts of the shadow trees that it is in. */
export function* around(node: Element): Generator<Element> {
  for (let at: Element | null = node; at; ) {
    yield at;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
}
