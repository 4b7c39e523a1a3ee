"""Markdown of the documentation folder as HTML: no markup of its own passes, and links lead to the pages as served."""

import posixpath
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pkgutil import resolve_name
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from mcp_server.toolsets.docs.pages import FRONT_MATTER, Section

PREFIX = "/docs"
LARGEST, MOST_BRACKETS = 500_000, 10_000
"""Characters of a page; one with more is shown as it is written. To parse it would take seconds."""

SUFFIXES = (".md", ".mdx", ".markdown", ".html")


class Renderer:
    """Renders pages, and keeps what it has made."""

    def __init__(self) -> None:
        self._parser: Any = None
        self.html = lru_cache(maxsize=200)(self._html)

    def _html(self, path: str, content: str, sections: tuple[Section, ...]) -> str:
        """The page at `path`, whose headings have the anchors of its `sections`."""
        if len(content) > LARGEST or content.count("[") > MOST_BRACKETS:
            return f'<pre class="whole">{escape(content)}</pre>'
        if self._parser is None:
            self._parser = resolve_name("markdown_it:MarkdownIt")("commonmark", {"html": False})
            self._parser.enable(["table", "strikethrough"])
            self._parser.add_render_rule("image", _image)
        front = FRONT_MATTER.match(content)
        tokens = self._parser.parse(content[front.end() :] if front is not None else content)
        _anchor(tokens, sections)
        for token in tokens:
            if token.type == "th_open":
                token.attrSet("scope", "col")
            for child in token.children or ():
                if child.type == "link_open":
                    child.attrSet("href", _address(path, str(child.attrGet("href") or "")))
        rendered: str = self._parser.renderer.render(tokens, self._parser.options, {})
        return rendered


def link_to(path: str, anchor: str = "") -> str:
    """Where people read a page."""
    stem = next((path.removesuffix(suffix) for suffix in SUFFIXES if path.endswith(suffix)), path)
    return f"{PREFIX}/{quote(stem)}" + (f"#{quote(anchor)}" if anchor else "")


def _anchor(tokens: Sequence[Any], sections: Sequence[Section]) -> None:
    headings = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    for token, section in zip(headings, sections, strict=False):
        token.attrSet("id", section.anchor)


def _address(path: str, href: str) -> str:
    """A link to another page of the folder, as it is served; any other as it is."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or not parts.path.endswith(SUFFIXES):
        return href
    target = parts.path if parts.path.startswith("/") else posixpath.join(posixpath.dirname(path), parts.path)
    return link_to(posixpath.normpath(unquote(target)).lstrip("/"), parts.fragment)


def _image(_renderer: Any, tokens: Sequence[Any], index: int, *_more: Any) -> str:
    """What the image shows: it may be anywhere, and would tell who reads."""
    return f"<em>{escape(tokens[index].content or 'image')}</em>"
