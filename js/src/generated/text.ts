// Written by `python benchmarks/js_tables.py` from the tables of the Python package.

import { Pattern } from "../pattern.js";

export const Case = {
  LOWER: 0,
  TITLE: 1,
  UPPER: 2,
  MIXED: 3,
};
export const NoisyTokens = {
  ODD: new Pattern("(?:[A-Za-z]+(?:_[A-Za-z]+)+|\\[\\[[A-Za-z]+|(?=[A-Za-z]*0)(?=0*[A-Za-z])[A-Za-z0]+)"),
  ODD_MARKS: new Pattern("(?:(?:[a-z]{1,2}|(?:(?:[iI\\u{130}\\u{131}]|[mM][eE]|[mM][yY]|[yY][oO][uU]|[yY][oO][uU][rR]|[hH][eE]|[hH][iI\\u{130}\\u{131}][mM]|[hH][iI\\u{130}\\u{131}][sS\\u{17f}]|[sS\\u{17f}][hH][eE]|[hH][eE][rR]|[hH][eE][rR][sS\\u{17f}]|[iI\\u{130}\\u{131}][tT]|[iI\\u{130}\\u{131}][tT][sS\\u{17f}]|[wW][eE]|[uU][sS\\u{17f}]|[oO][uU][rR]|[tT][hH][eE][yY]|[tT][hH][eE][mM]|[tT][hH][eE][iI\\u{130}\\u{131}][rR]|[tT][hH][iI\\u{130}\\u{131}][sS\\u{17f}]|[tT][hH][iI\\u{130}\\u{131}]|[tT][hH][eE][sS\\u{17f}][eE]|[hH][iI\\u{130}\\u{131}]|[aA][mM]|[iI\\u{130}\\u{131}][sS\\u{17f}]|[aA][rR][eE]|[wW][aA][sS\\u{17f}]|[wW][eE][rR][eE]|[bB][eE]|[dD][oO]|[dD][oO][eE][sS\\u{17f}]|[dD][iI\\u{130}\\u{131}][dD]|[hH][aA][sS\\u{17f}]|[hH][aA][vV][eE]|[hH][aA][dD]|[wW][iI\\u{130}\\u{131}][lL][lL]|[wW][oO][uU][lL][dD]|[cC][aA][nN]|[cC][oO][uU][lL][dD]|[nN][oO][tT]|[sS\\u{17f}][aA][yY]|[sS\\u{17f}][aA][yY][sS\\u{17f}]|[gG][oO]|[gG][oO][eE][sS\\u{17f}]|[gG][oO][tT]|[aA][lL][wW][aA][yY][sS\\u{17f}]?|[tT][hH][eE]|[aA][nN][dD]|[oO][rR]|[bB][uU][tT]|[iI\\u{130}\\u{131}][fF]|[sS\\u{17f}][oO]|[tT][oO]|[oO][fF]|[iI\\u{130}\\u{131}][nN]|[oO][nN]|[aA][tT]|[bB][yY]|[fF][oO][rR]|[fF][rR][oO][mM]|[wW][iI\\u{130}\\u{131}][tT][hH])))['\\u{2019}][sS]|(?:[A-Za-z]*[A-RT-Za-rt-z]|(?:(?:[iI\\u{130}\\u{131}]|[mM][eE]|[mM][yY]|[yY][oO][uU]|[yY][oO][uU][rR]|[hH][eE]|[hH][iI\\u{130}\\u{131}][mM]|[hH][iI\\u{130}\\u{131}][sS\\u{17f}]|[sS\\u{17f}][hH][eE]|[hH][eE][rR]|[hH][eE][rR][sS\\u{17f}]|[iI\\u{130}\\u{131}][tT]|[iI\\u{130}\\u{131}][tT][sS\\u{17f}]|[wW][eE]|[uU][sS\\u{17f}]|[oO][uU][rR]|[tT][hH][eE][yY]|[tT][hH][eE][mM]|[tT][hH][eE][iI\\u{130}\\u{131}][rR]|[tT][hH][iI\\u{130}\\u{131}][sS\\u{17f}]|[tT][hH][iI\\u{130}\\u{131}]|[tT][hH][eE][sS\\u{17f}][eE]|[hH][iI\\u{130}\\u{131}]|[aA][mM]|[iI\\u{130}\\u{131}][sS\\u{17f}]|[aA][rR][eE]|[wW][aA][sS\\u{17f}]|[wW][eE][rR][eE]|[bB][eE]|[dD][oO]|[dD][oO][eE][sS\\u{17f}]|[dD][iI\\u{130}\\u{131}][dD]|[hH][aA][sS\\u{17f}]|[hH][aA][vV][eE]|[hH][aA][dD]|[wW][iI\\u{130}\\u{131}][lL][lL]|[wW][oO][uU][lL][dD]|[cC][aA][nN]|[cC][oO][uU][lL][dD]|[nN][oO][tT]|[sS\\u{17f}][aA][yY]|[sS\\u{17f}][aA][yY][sS\\u{17f}]|[gG][oO]|[gG][oO][eE][sS\\u{17f}]|[gG][oO][tT]|[aA][lL][wW][aA][yY][sS\\u{17f}]?|[tT][hH][eE]|[aA][nN][dD]|[oO][rR]|[bB][uU][tT]|[iI\\u{130}\\u{131}][fF]|[sS\\u{17f}][oO]|[tT][oO]|[oO][fF]|[iI\\u{130}\\u{131}][nN]|[oO][nN]|[aA][tT]|[bB][yY]|[fF][oO][rR]|[fF][rR][oO][mM]|[wW][iI\\u{130}\\u{131}][tT][hH])))['\\u{2019}]|[A-Za-z]+\\?[A-Za-z]+|(?!(?:(?:[aA]|[iI\\u{130}\\u{131}]|[aA][mM]|[aA][nN]|[aA][sS\\u{17f}]|[aA][tT]|[bB][eE]|[bB][yY]|[dD][oO]|[gG][oO]|[hH][eE]|[hH][iI\\u{130}\\u{131}]|[iI\\u{130}\\u{131}][fF]|[iI\\u{130}\\u{131}][nN]|[iI\\u{130}\\u{131}][sS\\u{17f}]|[iI\\u{130}\\u{131}][tT]|[mM][eE]|[mM][yY]|[nN][oO]|[oO][fF]|[oO][hH]|[oO][kK\\u{212a}]|[oO][nN]|[oO][rR]|[sS\\u{17f}][oO]|[tT][oO]|[uU][pP]|[uU][sS\\u{17f}]|[wW][eE]))\\?)[A-Za-z]{1,2}\\?|[a-z][A-Z][a-z]+|[0-9][A-Za-z]{3,}|[A-Za-z]{2,}[0-9][A-Za-z]+)"),
  POSSESSIVE: new Pattern("[A-Za-z]+['\\u{2019}][sS]?"),
  CLITIC: new Pattern("(?:(?:['\\u{2019}](?:[sS\\u{17f}]|[tT]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])|[nN]['\\u{2019}][tT]))"),
};
export const Sentences = {
  SENTENCE_END: new Pattern("[\\.\\!\\?\\u{2026}]+"),
  CLOSING: new Set(["\"", "'", ")", "]", "}", "’", "”"]),
  MAX_CLOSING: 8,
  ABBREVIATIONS: new Set(["apr", "aug", "capt", "co", "col", "corp", "dec", "dr", "feb", "gen", "gov", "hon", "inc", "jan", "jr", "jul", "jun", "lt", "ltd", "mar", "mr", "mrs", "ms", "no", "nov", "oct", "prof", "rep", "rev", "sen", "sep", "sept", "sgt", "sr", "st", "vs"]),
};
export const Tokenize = {
  LONGEST_ACRONYM: 5,
  TOKEN: new Pattern("(?:(?<plain>[A-Z]?[a-z]+(?=(?:[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\,\\;\\!\\?\\)\\]\"\\u{201d}\\u{2026}\\u{2013}\\u{2014}]|[\\.\\:]?(?![[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]))))|(?<stop>[\\.\\,\\;\\:\\!\\?](?![[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]))|(?<initials>(?:[A-Za-z]\\.)+[A-Za-z](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))\\.?(?!(?:[\\p{L}\\p{N}_\\@\\/]|\\.[\\p{L}\\p{N}_])))|(?<code>(?:(?<!`)(?<ticks>`{1,3})(?=(?:[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\`]| `))(?=(?<a2>(?:(?:[^\\`\\n]|(?!\\k<ticks>(?!`))(?=(?<a1>`+))\\k<a1>))+))\\k<a2>(?:(?<![\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])|(?<=` ))\\k<ticks>(?!`)|\\u{fffc}+|(?=[A-Za-z0-9\\+\\/_\\-]{40})(?=(?:(?=(?<a3>(?:(?!(?:[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]))[A-Za-z0-9\\+\\/_\\-]){0,40}))\\k<a3>(?:[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z])){3})(?=(?<a4>[A-Za-z0-9\\+\\/_\\-]+))\\k<a4>={0,2}(?=(?<a7>(?:\\r?\\n(?=(?=(?<a5>[A-Za-z\\/]{0,76}))\\k<a5>[0-9\\+\\=])(?=(?<a6>[A-Za-z0-9\\+\\/]{1,76}))\\k<a6>={0,2}(?=[\\t\\r]{0,9}(?:\\n|$)))*))\\k<a7>|data:(?=(?<a8>[\\p{L}\\p{N}_\\.\\+\\-]{1,64}))\\k<a8>\\/(?=(?<a9>[\\p{L}\\p{N}_\\.\\+\\-]{1,64}))\\k<a9>(?:;(?=(?<a10>[\\p{L}\\p{N}_\\=\\.\\-]{1,64}))\\k<a10>){0,4},[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\<\\>\"'\\(\\)]*|(?:(?:[dD][oO][iI\\u{130}\\u{131}]: ?))?(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))10\\.[\\p{Nd}]{4,9}\\/[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\<\\>\"]*[\\p{L}\\p{N}_]|[A-Za-z](?=(?<a11>[A-Za-z0-9\\+\\.\\-]{1,20}))\\k<a11>:\\/\\/[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\<\\>\"]*[\\p{L}\\p{N}_\\/\\&\\=\\#\\-]|[Ww]{3}\\.[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\<\\>\"]*[\\p{L}\\p{N}_\\/]|mailto:[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]]+[\\p{L}\\p{N}_]|(?=(?<a12>[\\p{L}\\p{N}_\\.\\+\\-]{1,64}))\\k<a12>@[\\p{L}\\p{N}_\\-]{1,64}(?:\\.[\\p{L}\\p{N}_\\-]{1,64}){0,8}(?::[\\p{L}\\p{N}_\\.\\~\\-]{0,64}\\/[\\p{L}\\p{N}_\\.\\@\\+\\-]*[\\p{L}\\p{N}_\\@\\+\\-])?|[\\@\\#][\\p{L}\\p{N}_]+(?:[\\.\\/\\-][\\p{L}\\p{N}_]+)*|\\\\\\\\[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\"\\<\\>\\|]+|[A-Za-z]:[\\\\\\/][^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\"\\<\\>\\|]*|(?=(?<a13>[\\p{L}\\p{N}_\\.\\+\\-]{0,64}))\\k<a13>(?:\\\\(?=(?<a14>[\\p{L}\\p{N}_\\.\\+\\-]{1,64}))\\k<a14>){1,16}\\\\?|(?<![\\p{L}\\p{N}_\\)])(?:(?:~|\\.{1,2}))?(?:\\/[\\p{L}\\p{N}_\\.\\@\\+\\-]*[\\p{L}\\p{N}_\\@\\+\\-])+\\/?|~\\/|(?=(?<a16>(?:(?=(?<a15>[\\p{L}\\p{N}_\\.\\+\\-]{1,64}))\\k<a15>\\/){1,16}))\\k<a16>[\\p{L}\\p{N}_\\.\\+\\-]{0,64}\\.(?:bash|bat|bib|bz2|c|cc|cfg|cpp|cs|css|csv|dll|doc|docx|dylib|exe|gif|go|gz|h|hpp|htm|html|ini|ipynb|jar|java|jpeg|jpg|js|json|jsonl|jsx|lock|log|md|mp3|mp4|onnx|pdf|php|png|ppt|pptx|ps1|py|pyi|pyx|rb|rs|rst|scss|sh|so|sql|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|wav|whl|xls|xlsx|xml|xz|yaml|yml|zip|zst|BASH|BAT|BIB|BZ2|CC|CFG|CPP|CS|CSS|CSV|DLL|DOC|DOCX|DYLIB|EXE|GIF|GO|GZ|HPP|HTM|HTML|INI|IPYNB|JAR|JAVA|JPEG|JPG|JS|JSON|JSONL|JSX|LOCK|LOG|MD|MP3|MP4|ONNX|PDF|PHP|PNG|PPT|PPTX|PS1|PY|PYI|PYX|RB|RS|RST|SCSS|SH|SO|SQL|SVG|TAR|TEX|TGZ|TOML|TS|TSV|TSX|TXT|WAV|WHL|XLS|XLSX|XML|XZ|YAML|YML|ZIP|ZST)(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))|(?=(?<a18>(?:(?=(?<a17>[\\p{L}\\p{N}_\\.\\+\\-]{1,64}))\\k<a17>\\/){2,16}))\\k<a18>(?![\\p{L}\\p{N}_\\*])|(?:(?=(?<a19>[\\p{L}\\p{N}_\\-]{1,64}))\\k<a19>\\.){1,8}(?:bash|bat|bib|bz2|c|cc|cfg|cpp|cs|css|csv|dll|doc|docx|dylib|exe|gif|go|gz|h|hpp|htm|html|ini|ipynb|jar|java|jpeg|jpg|js|json|jsonl|jsx|lock|log|md|mp3|mp4|onnx|pdf|php|png|ppt|pptx|ps1|py|pyi|pyx|rb|rs|rst|scss|sh|so|sql|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|wav|whl|xls|xlsx|xml|xz|yaml|yml|zip|zst|BASH|BAT|BIB|BZ2|CC|CFG|CPP|CS|CSS|CSV|DLL|DOC|DOCX|DYLIB|EXE|GIF|GO|GZ|HPP|HTM|HTML|INI|IPYNB|JAR|JAVA|JPEG|JPG|JS|JSON|JSONL|JSX|LOCK|LOG|MD|MP3|MP4|ONNX|PDF|PHP|PNG|PPT|PPTX|PS1|PY|PYI|PYX|RB|RS|RST|SCSS|SH|SO|SQL|SVG|TAR|TEX|TGZ|TOML|TS|TSV|TSX|TXT|WAV|WHL|XLS|XLSX|XML|XZ|YAML|YML|ZIP|ZST)(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))(?:\\.[\\p{L}\\p{N}_]+)*(?![\\p{L}\\p{N}_\\(])|(?<![\\p{L}\\p{N}_\\.\\)])\\*?\\.(?:(?:bash|bat|bib|bz2|c|cc|cfg|cpp|cs|css|csv|dll|doc|docx|dylib|exe|gif|go|gz|h|hpp|htm|html|ini|ipynb|jar|java|jpeg|jpg|js|json|jsonl|jsx|lock|log|md|mp3|mp4|onnx|pdf|php|png|ppt|pptx|ps1|py|pyi|pyx|rb|rs|rst|scss|sh|so|sql|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|wav|whl|xls|xlsx|xml|xz|yaml|yml|zip|zst|BASH|BAT|BIB|BZ2|CC|CFG|CPP|CS|CSS|CSV|DLL|DOC|DOCX|DYLIB|EXE|GIF|GO|GZ|HPP|HTM|HTML|INI|IPYNB|JAR|JAVA|JPEG|JPG|JS|JSON|JSONL|JSX|LOCK|LOG|MD|MP3|MP4|ONNX|PDF|PHP|PNG|PPT|PPTX|PS1|PY|PYI|PYX|RB|RS|RST|SCSS|SH|SO|SQL|SVG|TAR|TEX|TGZ|TOML|TS|TSV|TSX|TXT|WAV|WHL|XLS|XLSX|XML|XZ|YAML|YML|ZIP|ZST)|env|venv|ssh|config|github|[\\p{L}\\p{N}_]{1,20}(?:ignore|rc))(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))(?:\\.[\\p{L}\\p{N}_]+)*|(?:(?:(?=(?<a20>[A-Za-z0-9\\-]{1,64}))\\k<a20>\\.){1,8}(?:ai|app|au|ca|ch|co|com|de|dev|edu|eu|fr|gov|info|int|io|mil|net|nl|nz|org|uk|us|AI|APP|AU|CA|CH|CO|COM|DE|DEV|EDU|EU|FR|GOV|INFO|INT|IO|MIL|NET|NL|NZ|ORG|UK|US)|localhost)(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))(?:\\.[\\p{L}\\p{N}_]+)*(?::[\\p{Nd}]+)?(?:[\\/\\?][^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\<\\>\"]*[\\p{L}\\p{N}_\\/])?|(?:(?=(?<a21>[A-Za-z0-9\\-]{1,64}))\\k<a21>\\.){1,8}(?:[a-z]{2}|blog|cloud|link|museum|news|online|page|pro|shop|site|tech|wiki|xyz)(?::[\\p{Nd}]+)?\\/(?:[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\<\\>\"]*[\\p{L}\\p{N}_\\/])?|(?<![\\p{L}\\p{N}_\\-])-(?:-[A-Za-z][\\p{L}\\p{N}_\\-]*[\\p{L}\\p{N}_](?:=[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\,\\;]+)?|[A-Za-z](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))(?!['\\u{2019}\\-]))|&#?[\\p{L}\\p{N}_]{1,32};|(?<![\\p{L}\\p{N}_]):[A-Za-z0-9_\\+\\-]{2,32}:(?![\\p{L}\\p{N}_])|\\$(?:\\{[^\\{\\}\\n]{1,99}\\}|\\{?[A-Za-z_][\\p{L}\\p{N}_]*)(?:\\/[\\p{L}\\p{N}_\\.\\@\\+\\-]*[\\p{L}\\p{N}_\\@\\+\\-])*|%[A-Za-z][\\p{L}\\p{N}_]{0,64}%|(?=(?<a22>[\\p{L}\\p{N}_]{1,64}))\\k<a22>(?=(?<a24>(?:(?:\\.|::|->)(?=(?<a23>[\\p{L}\\p{N}_]{1,64}))\\k<a23>){0,8}))\\k<a24>\\(\\)|(?=(?<a25>[\\p{L}\\p{N}_]{1,64}))\\k<a25>(?=(?<a27>(?:(?:\\.|::|->)(?=(?<a26>[\\p{L}\\p{N}_]{1,64}))\\k<a26>){1,8}))\\k<a27>(?=\\()|(?=(?<a28>[\\p{L}\\p{N}_]{1,64}))\\k<a28>(?:(?:::|->)(?=(?<a29>[\\p{L}\\p{N}_]{1,64}))\\k<a29>){1,8}|[A-Za-z](?=(?<a30>[\\p{L}\\p{N}_]{1,64}))\\k<a30>(?:\\.(?=(?<a31>[\\p{L}\\p{N}_]{2,64}))\\k<a31>){2,8}|(?:[\\p{L}\\p{N}_][\\p{L}\\p{N}_\\.\\/\\-]{0,64})?[^[^\\p{L}\\p{N}_]_](?=(?<a32>_+))\\k<a32>[^[^\\p{L}\\p{N}_]_][\\p{L}\\p{N}_]*(?:(?:[\\.\\/\\-]|::|->)[\\p{L}\\p{N}_]+)*|(?!(?:_(?=(?<a33>[^[^\\p{L}\\p{N}_]\\p{Nd}_]+))\\k<a33>(?=(?<a35>(?:['\\u{2019}\\-](?=(?<a34>[^[^\\p{L}\\p{N}_]\\p{Nd}_]+))\\k<a34>)*))\\k<a35>[\\.\\,\\:\\;\\!\\?]?_(?![\\p{L}\\p{N}_])|_{1,3}[^[^\\p{L}\\p{N}_]_](?=(?<a36>[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000_]*))\\k<a36> (?=(?<a37>[^_\\n]{0,200}))\\k<a37>(?<=[[^\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]])_{1,3}(?![\\p{L}\\p{N}_])))_+[^[^\\p{L}\\p{N}_]_][\\p{L}\\p{N}_]*|(?:[a-z](?=(?<a38>[\\p{L}\\p{N}_]{0,64}))\\k<a38>\\.){0,4}[A-Za-z]*[a-z][\\p{Nd}]*[A-Z][\\p{L}\\p{N}_]*(?:\\.[a-z][\\p{L}\\p{N}_]*)*|[A-Z]{3,}[a-z]{3,}(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))|[vV]?[\\p{Nd}]+(?=(?<a39>(?:\\.[\\p{Nd}]+)+))\\k<a39>[\\.\\-](?:alpha|beta|dev|post|pre|rc)(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))[\\.\\-]?[\\p{Nd}]*|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}))|(?<name>(?:[A-Z]{1,5}&[A-Z]{1,5}(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))|[a-z]&[a-z](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))|[A-Z](?:#|\\+\\+)(?![\\p{L}\\p{N}_])|(?:['\\u{2019}](?:(?:[sS\\u{17f}]|[tT]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM]|[eE][mM]|[nN]|[tT][iI\\u{130}\\u{131}][lL]|[tT][iI\\u{130}\\u{131}][sS\\u{17f}]|[tT][wW][aA][sS\\u{17f}]))|[Nn]['\\u{2019}][Tt])(?![\\p{L}\\p{N}_\\u{300}-\\u{36f}])))|(?<number>(?:[\\p{Nd}]+(?:[\\.\\,\\:\\/][\\p{Nd}]+)*[\\p{L}\\p{N}_]*(?:(?:%|\\u{b0}[CFK](?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))))?(?:\\/(?:s|h|d|min|sec|hr|yr)(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_])))?|(?:[^[^\\p{L}\\p{N}_]\\p{Nd}_](?:(?:[\\u{300}-\\u{36f}]|[\\u{ad}\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}](?=[^[^\\p{L}\\p{N}_]\\p{Nd}_])))*)+[\\p{Nd}][\\p{L}\\p{N}_]*))|(?<word>(?:[^[^\\p{L}\\p{N}_]\\p{Nd}_](?:(?:[\\u{300}-\\u{36f}]|[\\u{ad}\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}](?=[^[^\\p{L}\\p{N}_]\\p{Nd}_])))*)+(?:['\\u{2019}](?:[^[^\\p{L}\\p{N}_]\\p{Nd}_](?:(?:[\\u{300}-\\u{36f}]|[\\u{ad}\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}](?=[^[^\\p{L}\\p{N}_]\\p{Nd}_])))*)+)*)|(?<mark>(?:(?<sign>[^\\p{L}\\p{N}_\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])(?:\\k<sign>)*|_+|[\\p{L}\\p{N}_]+)))", ["plain", "stop", "initials", "code", "name", "number", "word", "mark"]),
  ENGLISH: new Pattern("[A-Za-z\\u{c0}-\\u{24f}'\\u{2019}]+"),
  ASCII: new Pattern("[A-Za-z]"),
  COMBINING: new Pattern("[\\u{300}-\\u{36f}]"),
  ACRONYM: new Pattern("[A-Z]{2,5}s?"),
  HYPHENS: new Set(["-", "\u00ad", "‐"]),
  POSSESSIVE: new Pattern("(?<_1>[^\\n]+)(?<_2>['\\u{2019}][sS])"),
  LETTERS: new Pattern("[^[^\\p{L}\\p{N}_]\\p{Nd}_]{2,}"),
  STEMS: new Set(["ai", "ca", "sha", "wo"]),
  KINDS: {
    stop: "mark",
    initials: "name",
    code: "code",
    name: "name",
    number: "number",
    mark: "mark",
  },
};
export const Windows = {
  OUTSIDE: -1,
  BEFORE: [{"text": "the", "kind": "name"}, {"text": "word", "kind": "name"}, {"text": "\"", "kind": "mark"}],
  AFTER: [{"text": "\"", "kind": "mark"}, {"text": ".", "kind": "mark"}],
  BATCH_WORDS: 768,
  CARRIER_LENGTH: 6,
};
export const Words = {
  CONTRACTIONS_IN_S: new Set(["everybody's", "everyone's", "he's", "here's", "how's", "it's", "let's", "nobody's", "nothing's", "one's", "she's", "somebody's", "someone's", "something's", "that's", "there's", "this's", "what's", "when's", "where's", "who's", "why's"]),
  LOOKALIKES: {
    ł: "l",
    ø: "o",
    đ: "d",
    ı: "i",
    ħ: "h",
    ŧ: "t",
    ŋ: "n",
    þ: "th",
    ð: "d",
    œ: "oe",
    æ: "ae",
    ß: "ss",
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ј: "j",
    ѕ: "s",
    ԁ: "d",
    ӏ: "l",
    к: "k",
    м: "m",
    т: "t",
    н: "h",
    в: "b",
    г: "r",
    ѵ: "v",
    ԝ: "w",
    α: "a",
    β: "b",
    γ: "y",
    ε: "e",
    ι: "i",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ω: "w",
  },
};
export const Characters = {
  SPACE: "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000",
  DIGIT: "\\p{Nd}\\u{b2}\\u{b3}\\u{b9}\\u{1369}\\u{136a}\\u{136b}\\u{136c}\\u{136d}\\u{136e}\\u{136f}\\u{1370}\\u{1371}\\u{19da}\\u{2070}\\u{2074}\\u{2075}\\u{2076}\\u{2077}\\u{2078}\\u{2079}\\u{2080}\\u{2081}\\u{2082}\\u{2083}\\u{2084}\\u{2085}\\u{2086}\\u{2087}\\u{2088}\\u{2089}\\u{2460}\\u{2461}\\u{2462}\\u{2463}\\u{2464}\\u{2465}\\u{2466}\\u{2467}\\u{2468}\\u{2474}\\u{2475}\\u{2476}\\u{2477}\\u{2478}\\u{2479}\\u{247a}\\u{247b}\\u{247c}\\u{2488}\\u{2489}\\u{248a}\\u{248b}\\u{248c}\\u{248d}\\u{248e}\\u{248f}\\u{2490}\\u{24ea}\\u{24f5}\\u{24f6}\\u{24f7}\\u{24f8}\\u{24f9}\\u{24fa}\\u{24fb}\\u{24fc}\\u{24fd}\\u{24ff}\\u{2776}\\u{2777}\\u{2778}\\u{2779}\\u{277a}\\u{277b}\\u{277c}\\u{277d}\\u{277e}\\u{2780}\\u{2781}\\u{2782}\\u{2783}\\u{2784}\\u{2785}\\u{2786}\\u{2787}\\u{2788}\\u{278a}\\u{278b}\\u{278c}\\u{278d}\\u{278e}\\u{278f}\\u{2790}\\u{2791}\\u{2792}\\u{10a40}\\u{10a41}\\u{10a42}\\u{10a43}\\u{10e60}\\u{10e61}\\u{10e62}\\u{10e63}\\u{10e64}\\u{10e65}\\u{10e66}\\u{10e67}\\u{10e68}\\u{11052}\\u{11053}\\u{11054}\\u{11055}\\u{11056}\\u{11057}\\u{11058}\\u{11059}\\u{1105a}\\u{1f100}\\u{1f101}\\u{1f102}\\u{1f103}\\u{1f104}\\u{1f105}\\u{1f106}\\u{1f107}\\u{1f108}\\u{1f109}\\u{1f10a}",
};
