/** Where the extension draws: an element of its own, which the page cannot look into. */

import { around } from "./eligible.js";
import style from "./stage.css";

export interface Stage {
  readonly host: HTMLElement;
  /** Holds the marks of the plain fields. */
  readonly marks: HTMLElement;
  /** As large as the window; holds the menu. */
  readonly frame: HTMLElement;
  readonly announcement: HTMLElement;
}

const stages = new Map<Element, Stage>();
const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** The stage for a field. What is outside an open dialog would be covered by it. */
export function stageFor(field: Element): Stage {
  const container = containerOf(field);
  let stage = stages.get(container);
  if (!stage) {
    stage = build();
    stages.set(container, stage);
  }
  if (stage.host.parentNode !== container) container.append(stage.host);
  return stage;
}

/** Never the field itself: what is added to it would become a part of its text. */
function containerOf(field: Element): Element {
  for (const node of around(field)) {
    const from = node === field ? field.parentElement : node;
    const found = from?.closest("dialog, [popover], :fullscreen");
    if (found) return found;
  }
  return document.documentElement;
}

/** Remove everything that the extension has drawn. */
export function clearStages(): void {
  for (const { host } of stages.values()) host.remove();
  stages.clear();
}

function build(): Stage {
  const host = document.createElement("respell-marks");
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [sheet];
  const add = (name: string) => {
    const node = document.createElement("div");
    node.className = name;
    root.append(node);
    return node;
  };
  const [marks, frame, announcement] = [add("marks"), add("frame"), add("announcement")];
  announcement.setAttribute("role", "status");
  return { host, marks, frame, announcement };
}
