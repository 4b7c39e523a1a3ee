"""The categories of `sidebar.md`: headings and list items without a link name what the links below them belong to."""

import posixpath
import re
from collections.abc import Collection

_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^\s()<>]+)>?[^)]*\)")
_MARKER = re.compile(r"^\s*(?:#{1,6}|[-*+]|\d+[.)])\s+")
SIDEBAR = "sidebar.md"
OTHER = "Other"


def categories(sidebar: str, paths: Collection[str]) -> dict[str, str]:
    """The category of each of `paths`, in the order of the sidebar; those that it does not name come last."""
    found: dict[str, str] = {}
    current = OTHER
    for line in sidebar.splitlines():
        if (marker := _MARKER.match(line)) is None:
            continue
        targets = [path for link in _LINK.findall(line) if (path := _page_of(link, paths)) is not None]
        if not targets and not _LINK.search(line):
            current = line[marker.end() :].strip(" *_:#") or current
        for path in targets:
            found.setdefault(path, current)
    return {**found, **{path: OTHER for path in _in_order(paths) if path not in found and path != SIDEBAR}}


def _page_of(link: str, paths: Collection[str]) -> str | None:
    path = posixpath.normpath(link.partition("#")[0].lstrip("/")) if "://" not in link else ""
    stem = path.removesuffix(".html").removesuffix(".md")
    return next((one for one in (path, f"{stem}.md", f"{stem}.mdx", f"{stem}/index.md") if one in paths), None)


def _in_order(paths: Collection[str]) -> list[str]:
    """As a table of contents would have them: the index of a folder before the rest of it."""
    return sorted(paths, key=lambda path: (posixpath.dirname(path) != "", posixpath.dirname(path), _rank(path), path))


def _rank(path: str) -> bool:
    return posixpath.basename(path).partition(".")[0].lower() not in {"index", "readme"}
