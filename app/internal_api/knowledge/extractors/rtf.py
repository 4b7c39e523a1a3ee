"""RTF: the text between the control words; pictures, fonts and styles are left out."""

import re

from app.internal_api.knowledge.extractors.extracted import Extracted

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


def extract_rtf(text: str) -> Extracted:
    """`text` is the file read as Latin text: RTF itself is ASCII."""
    reader = _Reader()
    for token in TOKEN.finditer(text):
        reader.take(token)
    # Characters beyond the first plane arrive as two surrogates.
    joined = "".join(reader.said).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Extracted((joined,))


class _Reader:
    def __init__(self) -> None:
        self.said: list[str] = []
        self._silent: list[bool] = [False]  # one entry for each open group
        self._skip = 0  # characters that only repeat a \u code for older readers

    def take(self, token: re.Match[str]) -> None:
        match token.lastgroup:
            case "brace":
                self._group(token["brace"])
            case "symbol":
                self._symbol(token["symbol"])
            case "word" | "number":
                self._word(token["word"])
            case "hex":
                self._say(bytes.fromhex(token["hex"]).decode("cp1252", "replace"), fallback=True)
            case "code":
                self._say(chr(int(token["code"]) % SURROGATES))
                self._skip = 1
            case _:
                self._text(token["text"])

    def _group(self, brace: str) -> None:
        self._skip = 0
        if brace == "{":
            self._silent.append(self._silent[-1])
        elif len(self._silent) > 1:
            self._silent.pop()

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":  # "ignore this group if you do not know it"
            self._silent[-1] = True
        else:
            self._say(SYMBOLS.get(symbol, ""))

    def _word(self, word: str) -> None:
        if word in SILENT:
            self._silent[-1] = True
        self._say(BREAKS.get(word) or CHARACTERS.get(word, ""))

    def _text(self, text: str) -> None:
        self._say(text[self._skip :])
        self._skip = 0

    def _say(self, text: str, *, fallback: bool = False) -> None:
        if fallback and self._skip:
            self._skip = 0
        elif not self._silent[-1]:
            self.said.append(text)
