"""Markdown of the documentation folder as HTML: no markup of its own passes, and no work is without end."""

import posixpath
from collections.abc import Mapping
from html import escape
from pkgutil import resolve_name
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from mcp_server.toolsets.docs.index import SUFFIXES

PREFIX = "/docs"
LARGEST = 500_000
"""Characters of a page; one with more is shown as it is written."""

MOST_STEPS = 25_000
"""Lines, and places in lines, at which the parser looks: a second of work at most. 450 kB of real text have as many."""

KEPT = 8_000_000
"""Characters of rendered pages that are remembered."""

FOLLOWED = ("http://", "https://", "mailto:", "#")


class TooManySteps(Exception):
    """The text is made to be slow."""


class Renderer:
    """Renders pages, and keeps the latest, up to `most` characters. For one thread at a time."""

    def __init__(self, most: int = KEPT) -> None:
        self._parser: Any = None
        self._kept: dict[tuple[str, float, int], str] = {}
        self._most = most

    def html(self, key: tuple[str, float, int], content: str, anchors: Mapping[int, str]) -> str:
        """A page. `key` is its path, time of change and size; `anchors` those of its headings, by line from 1."""
        html = self._kept.pop(key, None)
        if html is None:
            html = self._html(key[0], content, anchors)
        self._kept[key] = html  # the newest is the last
        while sum(map(len, self._kept.values())) > self._most:
            del self._kept[next(iter(self._kept))]
        return html

    def _html(self, path: str, content: str, anchors: Mapping[int, str]) -> str:
        self._parser = self._parser or _parser()
        try:
            tokens = self._parser.parse(content, {"left": MOST_STEPS if len(content) <= LARGEST else 0})
        except TooManySteps:
            return f'<pre class="whole">{escape(content)}</pre>'
        for token in tokens:
            token.attrs.pop("style", None)  # how cells are aligned, which the policy of our pages does not allow so
            if token.type == "heading_open" and token.level == 0 and (anchor := anchors.get(token.map[0] + 1)):
                token.attrSet("id", anchor)
            for child in token.children or ():
                if child.type == "link_open" and (address := _address(path, str(child.attrs.pop("href", "")))):
                    child.attrSet("href", address)
        rendered: str = self._parser.renderer.render(tokens, self._parser.options, {})
        return rendered


def link_to(path: str, anchor: str = "") -> str:
    """Where people read a page."""
    stem, suffix = posixpath.splitext(path)
    known = suffix.lower() in {*SUFFIXES, ".html"}
    return f"{PREFIX}/{quote(stem if known else path)}" + (f"#{quote(anchor)}" if anchor else "")


def local(path: str, target: str) -> str | None:
    """The path in the folder to which `target` leads from the page at `path`; None where it leads out of it."""
    try:
        parts = urlsplit(target)
    except ValueError:  # a bracket in the host, say
        return None
    name = unquote(parts.path)
    if parts.scheme or parts.netloc or not name:
        return None
    base = "" if name.startswith("/") else posixpath.dirname(path)
    found = posixpath.normpath(posixpath.join(base, name.removeprefix(f"{PREFIX}/").lstrip("/")))
    return None if found.startswith("..") else found


def _parser() -> Any:
    """It reads HTML as the index does, so that both see the same headings; none of it is rendered."""
    parser = resolve_name("markdown_it:MarkdownIt")("commonmark").enable(["table", "strikethrough"])
    parser.block.ruler.before("table", "step", _step, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("text", "step", _step)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _step(state: Any, *_more: Any) -> bool:
    """A rule of the parser that never applies, and counts. Raises `TooManySteps`."""
    state.env["left"] -= 1
    if state.env["left"] < 0:
        raise TooManySteps
    return False


def _address(path: str, href: str) -> str | None:
    """A link to another page of the folder, as it is served. Other files of it are not served."""
    inside = local(path, href)
    if inside is None:
        return href if href.lower().startswith(FOLLOWED) else None
    is_page = posixpath.splitext(inside)[1].lower() in {"", ".html", *SUFFIXES}
    return link_to(inside, unquote(href.partition("#")[2])) if is_page else None


def _code(_renderer: Any, tokens: Any, place: int, *_more: Any) -> str:
    """Code, which can be scrolled by keyboard."""
    return f'<pre tabindex="0"><code>{escape(tokens[place].content)}</code></pre>\n'


def _markup(_renderer: Any, tokens: Any, place: int, *_more: Any) -> str:
    """The author's HTML as text; a comment is for authors alone."""
    text = tokens[place].content.strip()
    return "" if text.startswith("<!--") and text.endswith("-->") else escape(tokens[place].content)


def _image(_renderer: Any, tokens: Any, place: int, *_more: Any) -> str:
    """What the image shows: it may be anywhere, and would tell who reads."""
    return f"<em>{escape(tokens[place].content or 'image')}</em>"


_RULES = {
    "fence": _code,
    "code_block": _code,
    "html_inline": _markup,
    "html_block": _markup,
    "image": _image,
    "th_open": lambda *_: '<th scope="col">',
    "table_open": lambda *_: '<div class="scroll" tabindex="0"><table>\n',
    "table_close": lambda *_: "</table></div>\n",
}
