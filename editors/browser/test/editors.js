// A page with real editors: three for prose, which are checked, and three for code, which are not;
// and with fields that React controls.

import ace from "ace-builds/src-noconflict/ace.js";
import { basicSetup, EditorView as CodeMirror } from "codemirror";
import { createEditor } from "lexical";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { registerRichText } from "@lexical/rich-text";
import * as monaco from "monaco-editor/editor/editor.api.js";
import { exampleSetup } from "prosemirror-example-setup";
import { schema } from "prosemirror-schema-basic";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import Quill from "quill";
import { createElement, useState } from "react";
import { createRoot } from "react-dom/client";

function area(id) {
  const node = document.createElement("section");
  node.id = id;
  document.body.append(node);
  return node;
}

const lexical = area("lexical");
lexical.contentEditable = "true";
const editor = createEditor({ onError: (error) => console.error(error) });
editor.setRootElement(lexical);
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);

new EditorView(area("prosemirror"), {
  state: EditorState.create({ schema, plugins: exampleSetup({ schema, menuBar: false }) }),
});
new Quill(area("quill"));

function Controlled() {
  const [text, setText] = useState("");
  window.setState = setText;
  const given = { value: text, onChange: (event) => setText(event.target.value) };
  return [
    createElement("input", { key: 1, id: "line", ...given }),
    createElement("textarea", { key: 2, id: "area", ...given }),
    createElement("pre", { key: 3, id: "state" }, text),
  ];
}
createRoot(area("react")).render(createElement(Controlled));

new CodeMirror({ parent: area("codemirror"), extensions: [basicSetup] });
ace.edit(area("ace"));
self.MonacoEnvironment = { getWorker: () => new Worker("data:text/javascript,") };
monaco.editor.create(area("monaco"), { editContext: !location.search.includes("textarea") });
