"""Read Markdown as a viewer does: CommonMark with GitHub's tables and strikethrough, and HTML taken for HTML."""

from markdown_it import MarkdownIt
from markdown_it.token import Token

VIEWER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(source: str) -> list[Token]:
    """Every token, those inside paragraphs and cells too."""
    return [inner for token in VIEWER.parse(source) for inner in (token, *(token.children or ()))]


def kinds(source: str) -> set[str]:
    return {token.type for token in tokens(source)}


def shown(source: str) -> str:
    """What a reader sees, with a line feed at each break."""
    seen = {"text": None, "text_special": None, "softbreak": "\n", "hardbreak": "\n", "paragraph_close": "\n"}
    return "".join((seen[t.type] or t.content) if t.type in seen else "" for t in tokens(source)).strip()


def cells(source: str) -> list[list[str]]:
    """The rows of all tables."""
    rows: list[list[str]] = []
    inside = False
    for token in VIEWER.parse(source):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            inside = True
        elif token.type == "inline" and inside:
            rows[-1].append("".join(child.content for child in token.children or ()))
            inside = False
    return rows
