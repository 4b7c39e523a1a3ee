"""`llms.txt` and `llms-full.txt` (llmstxt.org): the documentation for models and their tools."""

import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from urllib.parse import quote

from app.documentation.rendering import PREFIX, local
from mcp_server.toolsets.docs.pages import FRONT_MATTER
from mcp_server.toolsets.docs.service import DocsService

CURATED = "llms.txt"
LARGEST_CURATED = 1_000_000
FULL_BYTES = 20 * 1024 * 1024
HOMES = ("index.md", "README.md", "readme.md")
SUMMARY = "Documentation, as Markdown pages. Each link leads to the page's source."

_LINE = re.compile(r"[\r\n\[\]]+")
_TARGET = re.compile(r"(?<=\]\()[^\s()]+")


async def overview(docs: DocsService, site: str) -> str:
    """All pages by category, each with the address of its Markdown."""
    pages, categories, before = await docs.pages(), await docs.categories(), ""
    is_one = len(set(categories.values())) == 1
    home = next((pages[name].title for name in HOMES if name in pages), "Documentation")
    lines = [f"# {_plain(home)}", "", f"> {SUMMARY}"]
    for path, category in categories.items():
        if category != before:
            lines += ["", f"## {'Pages' if is_one else _plain(category)}", ""]
        before = category
        lines.append(f"- [{_plain(pages[path].title)}]({site}{PREFIX}/{quote(path)})")
    return "\n".join([*lines, ""])


async def everything(docs: DocsService, site: str, most: int = FULL_BYTES) -> AsyncIterator[bytes]:
    """The Markdown of all pages, in the order of the sidebar, as far as it fits into so many bytes."""
    pages, left = await docs.pages(), most
    for path in await docs.categories():
        text = without_front_matter(await docs.content(pages[path])).strip()
        part = f"# {pages[path].title}\n\nSource: {site}{PREFIX}/{quote(path)}\n\n{text}\n\n---\n\n"
        encoded = part.encode("utf-8", "replace")
        left -= len(encoded)
        if left < 0:
            yield f"The rest is too long for one file: {site}/llms.txt names all pages.\n".encode()
            return
        yield encoded


def curated(root: Path, pages: Mapping[str, object], site: str) -> str | None:
    """The folder's own `llms.txt`, with the links to its pages made absolute. None: there is none in it."""
    try:
        file = (root / CURATED).resolve(strict=True)
        if not file.is_relative_to(root) or not file.is_file() or file.stat().st_size > LARGEST_CURATED:
            return None
        text = file.read_text("utf-8", "replace")
    except (OSError, RuntimeError):  # it is not there, or a link to itself
        return None

    def absolute(found: re.Match[str]) -> str:
        path, (_, sign, fragment) = local(CURATED, found[0]), found[0].partition("#")
        known = path in pages or f"{path}.md" in pages
        return f"{site}{PREFIX}/{quote(path)}{sign}{fragment}" if path is not None and known else found[0]

    return _TARGET.sub(absolute, text)


def without_front_matter(content: str) -> str:
    """Empty lines are in its place, so that all others keep their numbers."""
    return FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), content, count=1)


def _plain(title: str) -> str:
    """A title that ends neither its line nor the link in which it stands."""
    return _LINE.sub(" ", title).strip()
