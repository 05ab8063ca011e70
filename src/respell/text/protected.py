"""What is code and not a word: URLs, paths, identifiers, options, inline code and the like."""

_EXTENSIONS = (
    "bash|bat|bib|bz2|c|cc|cfg|cpp|cs|css|csv|dll|doc|docx|dylib|exe|gif|go|gz|h|hpp|htm|html|ini|"
    "ipynb|jar|java|jpeg|jpg|js|json|jsonl|jsx|lock|log|md|mp3|mp4|onnx|pdf|php|png|ppt|pptx|ps1|"
    "py|pyi|pyx|rb|rs|rst|scss|sh|so|sql|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|wav|whl|xls|xlsx|xml|"
    "xz|yaml|yml|zip|zst"
)
_DOMAINS = "ai|app|au|ca|ch|co|com|de|dev|edu|eu|fr|gov|info|int|io|mil|net|nl|nz|org|uk|us"
# In lower or upper case, but not in title case: that starts a sentence after a full stop.
_EXTENSION = rf"(?:{_EXTENSIONS}|{_EXTENSIONS.upper().replace('|C|', '|').replace('|H|', '|')})"
_DOMAIN = f"(?:{_DOMAINS}|{_DOMAINS.upper()})"
# Before a path, also all countries and endings that rarely follow a full stop.
_DOMAIN_OF_PATH = "(?:[a-z]{2}|blog|cloud|link|museum|news|online|page|pro|shop|site|tech|wiki|xyz)"
_STEP = r"/[\w.@+-]*[\w@+-]"
# Base64 changes between lower case, upper case and digits all the time; chains of words do not.
_JUMP = r"(?:[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z])"
_SIXTY_FOUR = "[A-Za-z0-9+/_-]"
_BASE64 = (
    f"(?={_SIXTY_FOUR}{{40}})(?=(?:(?:(?!{_JUMP}){_SIXTY_FOUR}){{0,40}}+{_JUMP}){{3}})"
    f"{_SIXTY_FOUR}++={{0,2}}"
)
_NEXT_LINE = r"\r?\n(?=[A-Za-z/]{0,76}+[0-9+=])[A-Za-z0-9+/]{1,76}+={0,2}(?=[\t\r]{0,9}(?:\n|\Z))"
# Alternatives of a verbose regular expression. Counts are bounded and runs possessive, so that no
# text takes more than linear time.
PROTECTED = rf"""
        # inline code; blanks inside its edges mean quotes ``like these''
        (?<!`)(?P<ticks>`{{1,3}})(?=[^\s`]|\ `)(?:[^`\n]|(?!(?P=ticks)(?!`))`++)++
        (?:(?<!\s)|(?<=`\ ))(?P=ticks)(?!`)
      | \ufffc+                                          # what a masker hid
      | {_BASE64}(?:{_NEXT_LINE})*+
      | data:[\w.+-]{{1,64}}+/[\w.+-]{{1,64}}+(?:;[\w=.-]{{1,64}}+){{0,4}},[^\s<>"'()]*
      | (?i:doi:\ ?)?\b10\.\d{{4,9}}/[^\s<>"]*\w
      | [A-Za-z][A-Za-z0-9+.-]{{1,20}}+://[^\s<>"]*[\w/&=\#-]
      | [Ww]{{3}}\.[^\s<>"]*[\w/] | mailto:\S+\w
      | [\w.+-]{{1,64}}+@[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{0,8}}  # e-mail, login
        (?::[\w.~-]{{0,64}}{_STEP})?
      | [@\#]\w+(?:[./-]\w+)*                            # handle, tag
      | \\\\[^\s"<>|]+ | [A-Za-z]:[\\/][^\s"<>|]*        # Windows path
      | [\w.+-]{{0,64}}+(?:\\[\w.+-]{{1,64}}+){{1,16}}\\?
      | (?<![\w)])(?:~|\.{{1,2}})?(?:{_STEP})+/? | ~/    # Unix path
      | (?:[\w.+-]{{1,64}}+/){{1,16}}+[\w.+-]{{0,64}}\.{_EXTENSION}\b
      | (?:[\w.+-]{{1,64}}+/){{2,16}}+(?![\w*])
      | (?:[\w-]{{1,64}}+\.){{1,8}}{_EXTENSION}\b(?:\.\w+)*(?![\w(])
      | (?<![\w.)])\*?\.(?:{_EXTENSION}|env|venv|ssh|config|github|\w{{1,20}}(?:ignore|rc))\b
        (?:\.\w+)*
      | (?:(?:[A-Za-z0-9-]{{1,64}}+\.){{1,8}}{_DOMAIN}|localhost)\b(?:\.\w+)*
        (?::\d+)?(?:[/?][^\s<>"]*[\w/])?
      | (?:[A-Za-z0-9-]{{1,64}}+\.){{1,8}}{_DOMAIN_OF_PATH}(?::\d+)?/(?:[^\s<>"]*[\w/])?
      | (?<![\w-])(?:--[A-Za-z][\w-]*\w(?:=[^\s,;]+)?|-[A-Za-z]\b(?!['\u2019-]))  # option
      | &\#?\w{{1,32}};                                  # entity
      | (?<!\w):[A-Za-z0-9_+-]{{2,32}}:(?!\w)            # :smile:
      | (?:\$\{{[^{{}}\n]{{1,99}}\}}|\$\{{?[A-Za-z_]\w*)(?:{_STEP})*          # variable
      | %[A-Za-z]\w{{0,64}}%
      | \w{{1,64}}+(?:(?:\.|::|->)\w{{1,64}}+){{0,8}}+\(\)          # call
      | \w{{1,64}}+(?:(?:\.|::|->)\w{{1,64}}+){{1,8}}+(?=\()
      | \w{{1,64}}+(?:(?:::|->)\w{{1,64}}+){{1,8}}       # qualified name
      | [A-Za-z]\w{{1,64}}+(?:\.\w{{2,64}}+){{2,8}}      # dotted name
      | (?:\w[\w./-]{{0,64}})?[^\W_]_++[^\W_]\w*(?:(?:[./-]|::|->)\w+)*  # snake_case
      # _private, but neither _emphasis_ nor _that of several words_
      | (?!_[^\W\d_]++(?:['\u2019-][^\W\d_]++)*+[.,:;!?]?_(?!\w)
          |_{{1,3}}[^\W_][^\s_]*+\ [^_\n]{{0,200}}+(?<=\S)_{{1,3}}(?!\w))
        _+[^\W_]\w*
      | (?:[a-z]\w{{0,64}}+\.){{0,4}}[A-Za-z]*[a-z]\d*[A-Z]\w*(?:\.[a-z]\w*)*  # camelCase
      | [A-Z]{{3,}}[a-z]{{3,}}\b                         # HTMLElement
      | [vV]?\d+(?:\.\d+)++[.-](?:alpha|beta|dev|post|pre|rc)\b[.-]?\d*        # version
      | [0-9A-Fa-f]{{8}}(?:-[0-9A-Fa-f]{{4}}){{3}}-[0-9A-Fa-f]{{12}}           # UUID
"""
