"""RTF: the text between the control words; pictures, fonts and styles are left out."""

import re

from app.internal_api.knowledge.extractors.plain import Extracted

TOKEN = re.compile(
    r"\\'(?P<hex>[0-9a-fA-F]{2})|\\u(?P<code>-?\d{1,6}) ?|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    r"|\\(?P<symbol>[^a-zA-Z])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
BREAKS = {"par": "\n\n", "line": "\n", "row": "\n", "sect": "\n\n", "page": "\n\n", "tab": " ", "cell": " | "}
CHARACTERS = {
    "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019",
    "ldblquote": "\u201c", "rdblquote": "\u201d",
}  # fmt: skip
SYMBOLS = {"~": " ", "-": "", "_": "-", "\\": "\\", "{": "{", "}": "}", "\n": "\n\n", "\r": "\n\n"}
SILENT = frozenset({
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header", "footer", "headerl",
    "headerr", "footerl", "footerr", "footnote", "themedata", "datastore", "listtable",
    "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "latentstyles", "fldinst",
})  # fmt: skip
SURROGATES = 0x10000


def extract_rtf(data: bytes, _charset: str | None) -> Extracted:
    """RTF itself is ASCII, and is read as Latin text."""
    said: list[str] = []
    silent = [False]  # one entry for each open group
    repeats = False  # the next character only repeats a \\u code for older readers
    for token in TOKEN.finditer(data.decode("latin-1")):
        word, symbol = token["word"], token["symbol"]
        if token["brace"] == "{":
            silent.append(silent[-1])
        elif token["brace"] and len(silent) > 1:
            silent.pop()
        silent[-1] |= word in SILENT or symbol == "*"  # "ignore this group if you do not know it"
        if not silent[-1]:
            said.append(_said(token, 1 if repeats else 0))
        repeats = bool(token["code"] or (repeats and (word or symbol)))
    # Characters beyond the first plane arrive as two surrogates.
    return Extracted(("".join(said).encode("utf-16", "surrogatepass").decode("utf-16", "replace"),))


def _said(token: re.Match[str], skip: int) -> str:
    """What a token stands for, without the `skip` characters at the beginning of a text."""
    if token["code"]:
        return chr(int(token["code"]) % SURROGATES)
    if token["hex"]:
        return bytes.fromhex(token["hex"]).decode("cp1252", "replace")[skip:]
    word = BREAKS.get(token["word"]) or CHARACTERS.get(token["word"])
    return word or SYMBOLS.get(token["symbol"]) or (token["text"] or "")[skip:]
