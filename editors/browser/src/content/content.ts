/** Runs in every page: finds the fields that people write in, and checks them. */

import { isAlive } from "../connection.js";
import type { AskSite, Next, Site } from "../messages.js";
import { readSettings, type Settings, watchSettings } from "../settings.js";
import { fieldOf, isEligible, isPlain, watchPasswords } from "./eligible.js";
import { Field } from "./field.js";
import { PlainField } from "./plainField.js";
import { Popover } from "./popover.js";
import { RichField } from "./richField.js";
import { clearStages } from "./stage.js";

const LOOK_MS = 400; // how often fields are looked at: scripts change them without any event
const RETRY_MS = 5_000;

const fields = new Map<HTMLElement, Field>();
const popover = new Popover();
let settings: Settings | undefined;
let timer = 0;
let frame = 0;

/** The site of the tab, also in frames of other sites. */
function host(): string {
  const [top] = [...(location.ancestorOrigins ?? [])].slice(-1);
  return top && top !== "null" ? new URL(top).host : location.host;
}

function isOn(): boolean {
  return settings !== undefined && isAlive() && !settings.offSites.includes(host());
}

function options() {
  const { preset, variant, words } = settings!;
  return { preset, variant, dictionary: words };
}

/** The field of an event; it is new to us if it has the focus for the first time. */
function enter(target: EventTarget | null | undefined): Field | null {
  const element = isOn() ? fieldOf(target) : null;
  if (!element) return null;
  const known = fields.get(element);
  if (known) return known;
  const hooks = { drawn: () => popover.follow(field), failed: retry };
  const field = isPlain(element)
    ? new PlainField(element, options, hooks)
    : new RichField(element, options, hooks);
  fields.set(element, field);
  timer ||= setInterval(look, LOOK_MS);
  field.edited();
  return field;
}

function leave(field: Field): void {
  if (popover.field === field) popover.close();
  fields.delete(field.element);
  field.remove();
}

function leaveAll(): void {
  popover.close();
  for (const field of fields.values()) leave(field);
  clearInterval(timer);
  timer = 0;
  clearStages();
}

/** Look for what has changed without an event. */
function look(): void {
  if (!isAlive()) {
    leaveAll();
    return;
  }
  if (document.hidden) return;
  for (const field of fields.values()) {
    if (!field.element.isConnected || !isEligible(field.element)) leave(field);
    else {
      field.refresh();
      if (field instanceof PlainField) field.place();
    }
  }
}

let retryTimer = 0;

/** The model could not be used; the popup of the extension says why. */
function retry(): void {
  clearTimeout(retryTimer);
  retryTimer = setTimeout(() => {
    for (const field of fields.values()) field.checkAgain();
  }, RETRY_MS);
}

function fieldAt(event: Event): Field | null {
  return enter(event.composedPath()[0]);
}

/** The field that has the focus. */
function focused(): Field | null {
  let { activeElement: at } = document;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return enter(at);
}

function clicked(event: MouseEvent): void {
  if (popover.contains(event)) return;
  const field = fieldAt(event);
  const found = field?.findingAt(field.caret(), event.clientX, event.clientY);
  if (field && found) popover.show(field, found, { focus: false });
}

function pressed(event: KeyboardEvent): void {
  if (!popover.field || popover.contains(event) || event.isComposing) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    popover.focus();
  } else if (event.key === "Escape") {
    popover.close();
  } else {
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Keep the marks and the menu at their words. */
function moved(): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => {
    for (const field of fields.values()) {
      if (field instanceof PlainField) field.place();
    }
    if (popover.field) popover.follow(popover.field);
  });
}

function listen(): void {
  const on = <E extends keyof DocumentEventMap>(type: E, act: (event: DocumentEventMap[E]) => void) =>
    document.addEventListener(type, act, { capture: true, passive: type === "scroll" });
  on("focusin", fieldAt);
  on("focusout", (event) => {
    if (!popover.contains(event)) fields.get(event.composedPath()[0] as HTMLElement)?.left();
  });
  on("beforeinput", (event) => fieldAt(event)?.typing());
  on("input", (event) => {
    const field = fieldAt(event);
    if (field && popover.field === field) popover.close();
    field?.edited({ composing: (event as InputEvent).isComposing });
  });
  on("compositionend", (event) => fieldAt(event)?.edited());
  on("selectionchange", () => {
    for (const field of fields.values()) field.moved();
  });
  on("pointerdown", (event) => {
    for (const field of fields.values()) field.stopTyping();
    if (!popover.contains(event)) popover.close();
  });
  on("click", clicked);
  on("keydown", pressed);
  on("scroll", moved);
  on("fullscreenchange", () => popover.close());
  addEventListener("resize", moved);
}

function answer(message: AskSite | Next, _sender: unknown, reply: (site: Site) => void): void {
  if (message.type === "site") {
    if (window === top) reply({ host: host() });
    return;
  }
  const field = document.hasFocus() ? focused() : null;
  if (field) popover.go(field, field.caret() ?? 0);
}

function apply(changed: Settings): void {
  settings = changed;
  if (!isOn()) leaveAll();
  else if (fields.size) for (const field of fields.values()) field.checkAgain();
  else focused();
}

watchPasswords();
listen();
chrome.runtime.onMessage.addListener(answer);
watchSettings(apply);
readSettings().then(apply, () => {}); // the extension was removed meanwhile
