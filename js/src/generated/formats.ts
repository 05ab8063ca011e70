// Written by `python benchmarks/js_tables.py` from the tables of the Python package.

import { Pattern } from "../pattern.js";

export const Asciidoc = {
  DELIMITER: new Pattern("(?<_1>(?:-{2}|-{4,}|\\.{4,}|\\+{4,}|\\/{4,}|={4,}|\\*{4,}|_{4,}|[\\|\\,\\:\\!]={3,}))$"),
  FENCE: new Pattern("(?<_1>```)[^\\`]*$"),
  CONTINUATION: new Pattern("(?:\\+$|'{3,}$|<{3,}$|-{3}$|\\*{3}$)"),
  ATTRIBUTE: new Pattern(":!?[\\p{L}\\p{N}_][\\p{L}\\p{N}_\\-]*!?:(?:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]|$)"),
  BLOCK_ATTRIBUTES: new Pattern("\\[(?:(?<_1>(?:,|[\\p{L}\\p{N}_\\-]*))(?=(?<a1>(?:(?:[^\\[\\]\"]|\"[^\"]*\"))*))\\k<a1>\\]$|\\[[^\\[\\]]*\\]\\]$)"),
  CODE: new Set([",", "asciimath", "comment", "ditaa", "graphviz", "latexmath", "listing", "literal", "mermaid", "pass", "plantuml", "source", "stem", "synopsis"]),
  COMMENT: new Pattern("\\/\\/(?!\\/)"),
  MACRO: new Pattern("(?:ifn?def::[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\[]*\\[\\]?|[a-z][\\p{L}\\p{N}_]*::[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\[]*\\[[^\\]]*\\]$)"),
  TITLE: new Pattern("(?:={1,6}|#{1,6})[ \\t]+(?<_1>[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]][^\\n]*)"),
  ITEM: new Pattern("[ \\t]*(?:[\\*\\.\\-]{1,6}|[\\p{Nd}]+\\.|[a-zA-Z]\\.)[ \\t]"),
  TERM: new Pattern("[ \\t]*(?<_1>[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]][^\\n]*?)(?::{2,4}|;;)(?=(?:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]|$))"),
  CODE_TERM: new Pattern("(?:[\\-'\\`\\<\\$\\(\\{]|git[ \\-]|[a-z][\\p{L}\\p{N}_\\:\\.\\/\\-]*$|[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]*[\\p{L}\\p{N}_\\-][\\._\\=\\<\\:\\/\\$\\*\\[][[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]|[^\\n]*<[\\p{L}\\p{N}_ \\-]+>)"),
  NAME: new Pattern("[\\p{L}\\p{N}_\\.\\+\\-]+(?:, [\\p{L}\\p{N}_\\.\\+\\-]+)* - "),
  CELL: new Pattern("(?<![[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]])(?:[\\p{Nd}\\.]{1,6}[\\+\\*])?[\\<\\^\\>\\.]{0,4}[adehlmsv]?\\|"),
};
export const Man = {
  CONTROL: new Pattern("(?:\\.[ \\t]*(?<_1>(?:\\\\\"|[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\\\]*))|'(?<_2>(?:\\\\\"|[a-z]{2}(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_])))))"),
  HEADINGS: new Set(["SH", "SS", "Sh", "Ss"]),
  PROSE: new Set(["Nd", "SH", "SS", "Sh", "Ss"]),
  TAG_FOLLOWS: new Set(["TP", "TQ"]),
  FONTS: new Set(["B", "I", "SB", "SM"]),
  WORDS: new Set(["B", "BI", "BR", "I", "IB", "IR", "RB", "RI", "SB", "SM"]),
  MARKS: new Set(["!", ",", ".", ":", ";", "?"]),
  ENDS: {
    nf: "fi",
    EX: "EE",
    Vb: "Ve",
    TS: "TE",
    EQ: "EN",
    PS: "PE",
    SY: "YS",
    DS: "DE",
    Bd: "Ed",
    de: ".",
    de1: ".",
    am: ".",
    ig: ".",
  },
  FILLED: new Pattern("\\.[ \\t]*Bd[ \\t]+-(?:filled|ragged|centered)"),
  ZERO_WIDTH: new Pattern("(?:(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))[A-Za-z]\\\\&\\.[A-Za-z]\\\\&\\.|\\\\&)"),
  NAME: new Pattern("(?:[^\\n]*?[ \\t])?(?:\\\\?-|\\\\\\(e[mn])(?=[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])"),
};
export const Markdown = {
  QUOTE: new Pattern("[ \\t]*>(?:[ \\t]*>)* ?"),
  FENCE: new Pattern("[ \\t]*(?:(?:[\\-\\*\\+]|[\\p{Nd}]{1,9}[\\.\\)])[ \\t]+)?(?<_1>(?:`{3,}(?![^\\n]*`)|~{3,}))"),
  ITEM: new Pattern("[ \\t]*(?:[\\-\\*\\+]|[\\p{Nd}]{1,9}[\\.\\)])[ \\t]+(?=[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]])"),
  DEFINITION: new Pattern(" {0,3}\\[(?!\\^)[^\\]\\n]+\\]:[ \\t]*[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]+"),
  FRONT: new Pattern(" ?(?<_1>(?:---|\\+{3}))[ \\t\\r]*\\n(?=[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]])(?:[^\\n]*\\n)*?(?:\\k<_1>|\\.{3})[ \\t\\r]*(?:\\n|$)"),
};
export const Mdx = {
  STATEMENT: new Pattern("(?:import[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*(?:[\"'\\{\\*]|type[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]|[\\p{L}\\p{N}_\\$]+(?:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*,|[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+from(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))))|export[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*(?:[\\{\\*]|(?:default|const|let|var|function|class|async|type|interface|enum)(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))))"),
  OPEN: new Pattern("(?:\\\\[^\\n]|(?<ticks>(?=(?<a1>`+))\\k<a1>)(?=(?<a3>(?:(?:[^\\`\\n]|(?!\\k<ticks>(?!`))(?=(?<a2>`+))\\k<a2>))*))\\k<a3>\\k<ticks>(?!`)|`+|(?<brace>\\{))", ["ticks", "brace"]),
  INSIDE: new Pattern("(?:\"(?=(?<a1>(?:(?:[^\"\\\\\\n]|\\\\[^\\n]))*))\\k<a1>\"|'(?=(?<a2>(?:(?:[^'\\\\\\n]|\\\\[^\\n]))*))\\k<a2>'|`(?=(?<a3>(?:(?:[^\\`\\\\\\n]|\\\\[^\\n]))*))\\k<a3>`|\\/\\*[^\\n]*?\\*\\/|(?<![\\:\\p{L}\\p{N}_])\\/\\/[^\\n]*|\\/\\*|[\\{\\}])"),
  CONTINUED: new Pattern("[ \\t\\}\\)\\]\\/\\<]"),
};
export const Notebook = {
  SYNTAX: new Pattern("[\"\\[\\]\\{\\}\\:\\,]"),
  CONTENT: new Pattern("(?=(?<a2>(?:(?:(?=(?<a1>[^\"\\\\]+))\\k<a1>|\\\\[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]))*))\\k<a2>"),
  PIECE: new Pattern("(?:[^\\\\]+|\\\\(?:u[\\p{Nd}a-fA-F]{4}|[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]))"),
  LINE_END: new Pattern("\",?[ \\t\\r]*\\n"),
  LONGEST_KEY: 16,
  CHARACTERS: {
    n: "\n",
    r: "\r",
    t: "\t",
    "\"": "\"",
    "\\": "\\",
    "/": "/",
  },
  WORD: new Pattern("(?:[\\p{L}\\p{N}_\\.\\+\\-]{0,64}(?:\\\\[\\p{L}\\p{N}_\\.\\+\\-]+)+|(?:[^[^\\p{L}\\p{N}_]\\p{Nd}_](?:(?:[\\u{300}-\\u{36f}]|[\\u{ad}\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}](?=[^[^\\p{L}\\p{N}_]\\p{Nd}_])))*)+(?=(?<a1>(?:['\\u{2019}](?:[^[^\\p{L}\\p{N}_]\\p{Nd}_](?:(?:[\\u{300}-\\u{36f}]|[\\u{ad}\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}](?=[^[^\\p{L}\\p{N}_]\\p{Nd}_])))*)+)*))\\k<a1>)"),
};
export const Org = {
  BLOCK: new Pattern("[ \\t]*#\\+[bB][eE][gG][iI\\u{130}\\u{131}][nN]_(?<_1>(?:[sS\\u{17f}][rR][cC]|[eE][xX][aA][mM][pP][lL][eE]|[eE][xX][pP][oO][rR][tT]|[cC][oO][mM][mM][eE][nN][tT]))(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))"),
  BLOCK_ENDS: {
    SRC: new Pattern("[ \\t]*#\\+[eE][nN][dD]_[Ss\\u{17f}][Rr][Cc](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))"),
    EXAMPLE: new Pattern("[ \\t]*#\\+[eE][nN][dD]_[Ee][Xx][Aa][Mm][Pp][Ll][Ee](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))"),
    EXPORT: new Pattern("[ \\t]*#\\+[eE][nN][dD]_[Ee][Xx][Pp][Oo][Rr][Tt](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))"),
    COMMENT: new Pattern("[ \\t]*#\\+[eE][nN][dD]_[Cc][Oo][Mm][Mm][Ee][Nn][Tt](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))"),
  },
  MARKUP: new Pattern("[ \\t]*(?:#\\+(?!(?:title|TITLE|Title|subtitle|SUBTITLE|Subtitle|caption|CAPTION|Caption):)[\\p{L}\\p{N}_]|[\\#\\:](?:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]|$)|:[\\p{L}\\p{N}_\\-]+:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*$|\\|[\\-\\+\\|\\:]+[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*$|-{5,}[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*$|(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):)"),
  DRAWER: new Pattern("[ \\t]*:(?:[Pp][Rr][Oo][Pp][Ee][Rr][Tt][Ii\\u{130}\\u{131}][Ee][Ss\\u{17f}]|[Ll][Oo][Gg][Bb][Oo][Oo][Kk\\u{212a}]|[Cc][Ll][Oo][Cc][Kk\\u{212a}]):[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*$"),
  DRAWER_END: new Pattern("(?:[ \\t]*:[Ee][Nn][Dd]:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*$|\\*+ )"),
  LABEL: new Pattern("[ \\t]*(?:#\\+(?:title|TITLE|Title|subtitle|SUBTITLE|Subtitle|caption|CAPTION|Caption):|[\\-\\+\\*][ \\t]+[A-Z][\\p{L}\\p{N}_ ]{0,30}: [^\\n]*?[ \\t]::(?=(?:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]|$)))"),
  HEADLINE: new Pattern("\\*+[ \\t]"),
  TAGS: new Pattern("[ \\t]:(?:[\\p{L}\\p{N}_\\@\\#\\%]+:)+[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*$"),
};
export const Pragmas = {
  PRAGMA: new Pattern("(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))respell:[ \\t]*(?<_1>(?:ignore-next-line|ignore|off|on))(?![\\p{L}\\p{N}_\\-])"),
  IGNORE_LINE: "respell: ignore",
};
export const Rdoc = {
  ITEM: new Pattern("[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*(?:[\\*\\-]|[\\p{Nd}]+\\.|[A-Za-z]\\.|\\[[^\\]\\n]+\\]|[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\:][[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]*::)(?:[ \\t]+|[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*(?=\\n?$))"),
};
export const Rst = {
  DIRECTIVE: new Pattern("[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*\\.\\.[ \\t]+(?:\\|[^\\|\\n]+\\|[ \\t]+)?(?<_1>[\\p{L}\\p{N}_\\:\\+\\.\\-]+)::(?=[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])"),
  FOOTNOTE: new Pattern("[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*\\.\\.[ \\t]+\\[[^\\]\\n]+\\]"),
  FIELD: new Pattern("[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*:[^\\:\\`\\n]+:(?=[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])"),
  PROSE: new Set(["admonition", "attention", "caution", "danger", "deprecated", "epigraph", "error", "highlights", "hint", "important", "note", "rubric", "seealso", "sidebar", "tip", "topic", "versionadded", "versionchanged", "warning"]),
  CODE: new Set(["code", "code-block", "csv-table", "doctest", "graphviz", "highlight", "image", "include", "literalinclude", "math", "mermaid", "parsed-literal", "plot", "prompt", "raw", "sourcecode", "testcode", "testoutput", "toctree"]),
};
export const Scanner = {
  FILLER: "￼",
  LINE: new Pattern("(?:[^\\n]*\\n|[^\\n]+)"),
  WHOLE: 1048576,
  VISIBLE: new Pattern("[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]"),
};
export const Source = {
};
