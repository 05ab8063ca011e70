"""HTML: hide tags, scripts, styles, code and entities."""

from respell.formats.scanner import Rule

_BLOCKS = "script style pre svg".split()
_CODE = "code kbd samp var tt math".split()  # also inside words: the <var>n</var>th
_ATTRIBUTES = r"""(?:[^<>"']|"[^"]*"|'[^']*')*+"""
_OPEN = rf"(?=[\s>])(?!{_ATTRIBUTES}(?<=/)>)"  # the rest of a tag, unless it closes itself
ELEMENTS = {
    name: Rule(f"<{name}{_OPEN}", rf"</{name}\s*>", word=name in _CODE) for name in _BLOCKS + _CODE
}
ELEMENTS["comment"] = Rule("<!--", "-->")
ENTITIES = {
    "variable": Rule(r"\{\{.{0,200}?\}\}", word=True),
    "template": Rule(r"\{%.{0,200}?%\}"),
    "sign": Rule(r"&(?:nbsp|\w{1,4}sp|[mn]dash|hellip|lt|gt|amp|quot|[lr][da]quo|bull|middot);"),
    "letter": Rule(r"&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[\da-f]{1,6});", word=True),
}
INLINE = (  # tags that do not end a word
    "</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|data|del|dfn|em|font|i|ins|mark|nobr|q|s|small|span|"
    r"strike|strong|sub|sup|time|u|wbr)(?=[\s/>])"
)


def splitting_word(mark: str) -> Rule:
    """Hide words with markup inside: no part of <b>D</b>efinition is a word."""
    return Rule(rf"(?<=[^\W_])(?:{mark})++(?=[^\W\d_])", word=True)


RULES = {
    **ELEMENTS,
    "instruction": Rule(r"<\?", r"\?>"),
    "cutting": splitting_word(f"{INLINE}{_ATTRIBUTES}>"),
    "tag": Rule(rf"<[/!]?[a-z]{_ATTRIBUTES}>|<[/!]?[a-z][^<>]*+>"),
    "cut": Rule(r"<[/!]?[a-z][^<>]*+\Z", ">"),
    **ENTITIES,
}
FIRST = "<&{"
