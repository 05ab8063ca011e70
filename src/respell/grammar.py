"""What is not prose in Markdown, HTML, LaTeX and reStructuredText, as rules for a scanner."""

from dataclasses import dataclass

_SOFT = r"\n(?![ \t\r]*\n)"  # a line end that does not end the paragraph


@dataclass(frozen=True, slots=True)
class Rule:
    """Hides what `opens` matches, and from there on to `closes`."""

    opens: str
    closes: str = ""
    keep: int = 0  # so many characters at the front stay visible
    word: bool = False  # the letters around it go with it: the rest of na&iuml;ve is no word
    glue: str = ""  # what may stand between it and these letters


_ALL = 1 << 20
_BLOCKS = "script style pre svg".split()
_CODE = "code kbd samp var tt math".split()  # these stand inside words too: the <var>n</var>th
_ATTRIBUTES = r"""(?:[^<>"']|"[^"]*"|'[^']*')*+"""
_OPEN = rf"(?=[\s>])(?!{_ATTRIBUTES}(?<=/)>)"  # the rest of a tag, unless it closes itself
_ELEMENTS = {
    name: Rule(f"<{name}{_OPEN}", rf"</{name}\s*>", word=name in _CODE) for name in _BLOCKS + _CODE
}
_ELEMENTS["comment"] = Rule("<!--", "-->")
_ENTITIES = {
    "variable": Rule(r"\{\{.{0,200}?\}\}", word=True),
    "template": Rule(r"\{%.{0,200}?%\}"),
    "sign": Rule(r"&(?:nbsp|\w{1,4}sp|[mn]dash|hellip|lt|gt|amp|quot|[lr][da]quo|bull|middot);"),
    "letter": Rule(r"&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[\da-f]{1,6});", word=True),
}
_INLINE = (  # tags that do not end a word
    "</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|data|del|dfn|em|font|i|ins|mark|nobr|q|s|small|span|"
    r"strike|strong|sub|sup|time|u|wbr)(?=[\s/>])"
)


def _cutting(mark: str) -> Rule:
    """Hides words with marks in them: no part of <b>D</b>efinition is a word."""
    return Rule(rf"(?<=[^\W_])(?:{mark})++(?=[^\W\d_])", word=True)


_HTML = {
    **_ELEMENTS,
    "instruction": Rule(r"<\?", r"\?>"),
    "cutting": _cutting(f"{_INLINE}{_ATTRIBUTES}>"),
    "tag": Rule(rf"<[/!]?[a-z]{_ATTRIBUTES}>|<[/!]?[a-z][^<>]*+>"),
    "cut": Rule(r"<[/!]?[a-z][^<>]*+\Z", ">"),
    **_ENTITIES,
}
# Words between underscores, or several of them; _private and __init__ are neither.
_UNDERSCORE_INSIDE = r"(?<=[^\W_])_++(?=[^\W_])"
_ONE_WORD = r"[^\W\d_]++(?:['\u2019-][^\W\d_]++)*+[.,:;!?]?"
_SEVERAL_WORDS = (
    rf"(?:[^\s_]|{_UNDERSCORE_INSIDE})++\s(?:[^_\n]|{_SOFT}|{_UNDERSCORE_INSIDE})*+(?<=\S)"
)
_IN_TAG = rf"(?:[^<>\n]|{_SOFT})*+>"
_MARKDOWN = {
    "escape": Rule(r"\\[!-/:-@\[-`{-~]", keep=_ALL),
    "inline": Rule(
        rf"(?P<ticks>`++)(?:[^`\n]|{_SOFT}|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)", word=True
    ),
    "ticks_alone": Rule("`+", keep=_ALL),
    **_ELEMENTS,
    "cutting": _cutting(
        rf"{_INLINE}{_IN_TAG}|\*{{1,3}}|~{{1,2}}|==|\^|\](?:\([^\s()]*\)|\[[^\]\n]*\])"
    ),
    # Hidden, because the model doubts no word between two stars.
    "emphasis": Rule(r"(?<![\w/])\*{1,3}(?=\w)|(?<=[\w.,:;!?)])\*{1,3}(?![\w/])"),
    "underscores": Rule(
        rf"(?<![\w/])(?:_(?={_ONE_WORD}_(?!\w))|_{{1,3}}(?={_SEVERAL_WORDS}_{{1,3}}(?!\w)))"
        r"|(?<=[^\W_]|[.,:;!?)\"'\u2019\u201d])_{1,3}(?![\w/]|\.\w)"
    ),
    "tag": Rule(f"</?[a-z]{_IN_TAG}"),
    "target": Rule(r"\]\([ \t]*(?:<[^<>\n]*>|(?:[^\s()]|\([^\s()]*\))+)", keep=2),
    "reference": Rule(r"\]\[[^\]\n]*\]", keep=2),
    "footnote": Rule(r"\[\^[^\]\s]{1,99}\]:?"),
    # The text is the name that the link is defined by, perhaps only at the end of a long file.
    "collapsed": Rule(r"(?<![\w\]])\[[^\[\]\n]{1,999}\]\[\]"),
    # What else may be meant by brackets is short, and no sentence.
    "shortcut": Rule(
        r"(?<![\w\]])\[(?=[^\[\]\n]{0,60}[^\W\d_])[^\[\]\n]{1,60}(?<![.!?])\](?![(\[:])"
    ),
    "display": Rule(rf"\$\$(?:[^$\n]|{_SOFT})+\$\$"),
    "formula": Rule(r"\$(?=[^\s$])[^$\n]*(?<=[^\s\\])\$(?!\d)", word=True),
    "attributes": Rule(r"\{[#.:][^{}\n]{0,200}\}"),
    **_ENTITIES,
}
_BRACED = r"\{[^{}]*+\}"
for _ in range(3):  # braces in braces
    _BRACED = rf"\{{(?:[^{{}}\\]|\\[\s\S]|{_BRACED})*+\}}"
_ARGUMENTS = rf"(?:\s?\[[^\[\]\n]*\]|{_BRACED})*"
_NO_PROSE = (
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
LATEX = {
    **{name: Rule(rf"\\begin\{{{name}\*?\}}", rf"\\end\{{{name}\*?\}}") for name in _ENVIRONMENTS},
    "display": Rule(r"\$\$", r"\$\$"),
    "brackets": Rule(r"\\\[", r"\\\]"),
    "parentheses": Rule(r"\\\(", r"\\\)"),
    "formula": Rule(rf"\$(?:[^$\\\n]|\\[\s\S]|{_SOFT})+\$", word=True),
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
    "arguments": Rule(rf"\\(?:{_NO_PROSE})(?![a-zA-Z])\*?{_ARGUMENTS}"),
    "argument": Rule(r"\\(?:href|(?:text|page)?color|[fc]?colorbox)\{[^{}]*\}"),
    "remark": Rule(r"%[^\n]*"),
    "command": Rule(r"\\[a-zA-Z@]+\*?"),
    "escape": Rule(r"\\[\s\S]"),
}
_RST = {
    "escape": Rule(r"\\.", keep=_ALL),
    "literal": Rule(rf"``(?:[^`\n]|`(?!`)|{_SOFT})+``"),
    "role": Rule(rf":[\w:+.-]{{1,60}}:`(?:[^`\n]|{_SOFT})+`"),
    "named": Rule(r"`(?=\S)[^`<\n]+`_", keep=_ALL),
    "interpreted": Rule(r"`(?=\S)[^`<\n]+`(?!_)"),
    "target": Rule(r"<[^<>`\n]+>`__?"),
    "substitution": Rule(r"\|(?=\S)[^|\n]+(?<=\S)\|"),
    "footnote": Rule(r"\[[#*\d][\w-]{0,60}\]_"),
    "reference": Rule(r"(?<=[^\W_])__?(?!\w)", word=True, glue="-0123456789"),
}
RULES = {"html": _HTML, "markdown": _MARKDOWN, "latex": LATEX, "rst": _RST}
"""What is hidden in each kind of file; of rules that match at one place the first counts."""
FIRST = {"html": "<&{", "markdown": r"\\`<\]\[$&{*_~=\^", "latex": r"\\$%", "rst": r"\\`:<|\[_"}
"""The characters that a rule can start with, as a set of a regular expression."""
