"""LaTeX: hide commands, formulas, and arguments that are not prose."""

from respell.formats.scanner import SOFT_BREAK, Rule

_BRACED = r"\{[^{}]*+\}"
for _ in range(3):  # braces in braces
    _BRACED = rf"\{{(?:[^{{}}\\]|\\[\s\S]|{_BRACED})*+\}}"
_ARGUMENTS = rf"(?:\s?\[[^\[\]\n]*\]|{_BRACED})*"
_NOT_PROSE = (
    r"label|(?:eq|page|auto|name|sub|[cCv])?ref|\w*[cC]ite\w*|bibliography(?:style)?|bibitem|url|"
    r"usepackage|RequirePackage|documentclass|includegraphics|input|include|[vh]space|(?:set|addto)(?:length|counter)|graphicspath|"
    r"lstset|hypersetup|geometry|pagestyle|thispagestyle|addbibresource|tikzset|[gG]ls(?:pl)?|"
    r"texttt|lstinline|mintinline|path|nolinkurl|index|[aA]c[slf]?p?|[aA]cr(?:short|long|full)(?:pl)?|"
    r"SI(?:range|list)?|si|(?:num|qty)(?:range|list)?|unit|ang"
)
_DEFINE = (
    r"(?:re)?newcommand|providecommand|(?:re)?newenvironment|[egx]?def|"
    r"DeclareMathOperator|(?:New|Renew|Provide|Declare)DocumentCommand"
)
_ENVIRONMENTS = (
    "equation align gather multline eqnarray displaymath math alignat flalign "
    "verbatim Verbatim lstlisting minted comment tikzpicture filecontents thebibliography"
).split()
RULES = {
    **{name: Rule(rf"\\begin\{{{name}\*?\}}", rf"\\end\{{{name}\*?\}}") for name in _ENVIRONMENTS},
    "display": Rule(r"\$\$", r"\$\$"),
    "brackets": Rule(r"\\\[", r"\\\]"),
    "parentheses": Rule(r"\\\(", r"\\\)"),
    "formula": Rule(rf"\$(?:[^$\\\n]|\\[\s\S]|{SOFT_BREAK})+\$", word=True),
    "verb": Rule(r"\\(?:verb|lstinline)\*?(?P<bar>[^\w\s*{])[^\n]*?(?P=bar)"),
    "accent": Rule(
        r"\\(?:[\"'`^~=.](?:\{\\?[a-zA-Z]*\}|\\?[a-zA-Z])|[cvuHkrbdt]\{\\?[a-zA-Z]*\}|[-/]"
        r"|(?:ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?![a-zA-Z])(?:\{\}| )?)",
        word=True,
        glue="{}",
    ),
    "frame": Rule(rf"\\(?:begin|end)\{{[^{{}}]*\}}{_ARGUMENTS}"),
    "define": Rule(
        rf"\\(?:{_DEFINE})(?![a-zA-Z])\*?(?:\s?\\[a-zA-Z@]+[^\\{{}}\[\]\n]{{0,99}})?{_ARGUMENTS}"
    ),
    "arguments": Rule(rf"\\(?:{_NOT_PROSE})(?![a-zA-Z])\*?{_ARGUMENTS}"),
    "argument": Rule(r"\\(?:href|(?:text|page)?color|[fc]?colorbox)\{[^{}]*\}"),
    "remark": Rule(r"%[^\n]*"),
    "command": Rule(r"\\[a-zA-Z@]+\*?"),
    "escape": Rule(r"\\[\s\S]"),
}
FIRST = r"\\$%"
