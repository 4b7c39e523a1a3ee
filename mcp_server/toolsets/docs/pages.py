"""One Markdown file as a page: its title, its sections, and which lines they are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pkgutil import resolve_name

FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
LONGEST_FRONT_MATTER = 20_000
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_MARKUP = re.compile(r"[*`]|(?<!\w)_|_(?!\w)|!?\[([^\]]*)\]\([^)]*\)|<[^>]+>")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]+")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next one of its level; lines are counted from 1, both included."""

    heading: str
    level: int
    line_start: int
    line_end: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Page:
    """What is known of one file, but for its text. `mtime` is in seconds, `size` in bytes."""

    path: str
    title: str
    sections: tuple[Section, ...]
    mtime: float
    size: int
    word_count: int

    def section_at(self, line: int) -> Section | None:
        """The innermost section of a line."""
        around = [one for one in self.sections if one.line_start <= line <= one.line_end]
        return max(around, key=lambda one: (one.level, one.line_start), default=None)


def text_of(section: Section, content: str) -> str:
    return "\n".join(content.split("\n")[section.line_start - 1 : section.line_end])


class Reader:
    """Reads pages. Its parser finds the blocks alone: what stands inside of a line has no headings, and takes long."""

    def __init__(self) -> None:
        self._parser = resolve_name("markdown_it:MarkdownIt")("commonmark")
        self._parser.core.ruler.enableOnly(["normalize", "block"])

    def read(self, path: str, content: str, *, mtime: float, size: int) -> Page:
        """The page of one file. Its title is its front matter's, else its first heading of level 1, else its name."""
        front = FRONT_MATTER.match(content)
        begins = front.end() if front is not None else 0
        skipped = content.count("\n", 0, begins)
        last = content.count("\n") + (not content.endswith("\n"))
        sections = tuple(self._sections(content[begins:], skipped, last))
        title = _front_title(front[1]) if front is not None else ""
        title = title or next((one.heading for one in sections if one.level == 1), "") or _named(path)
        return Page(path, title, sections, mtime, size, len(content.split()))

    def _sections(self, body: str, skipped: int, last: int) -> Iterator[Section]:
        found: list[tuple[str, int, int]] = []
        tokens = self._parser.parse(body)
        for opened, inline in pairwise(tokens):
            if opened.type == "heading_open" and opened.level == 0 and opened.map is not None:
                found.append((plain(inline.content), int(opened.tag[1]), skipped + opened.map[0] + 1))
        taken: dict[str, int] = {}
        for place, (heading, level, line) in enumerate(found):
            ends = next((start - 1 for _, other, start in found[place + 1 :] if other <= level), last)
            yield Section(heading, level, line, ends, _anchor(heading, taken))


def plain(heading: str) -> str:
    """A heading without its markup, and without the attributes that some dialects put behind it."""
    return " ".join(_MARKUP.sub(lambda found: found[1] or "", _ATTRIBUTES.sub("", heading)).split())


def _anchor(heading: str, taken: dict[str, int]) -> str:
    """The fragment that leads to a heading, as code hosts make it; a second one of that name gets a number."""
    anchor = _NOT_IN_ANCHOR.sub("", heading.lower()).replace(" ", "-")
    times = taken[anchor] = taken.get(anchor, -1) + 1
    return f"{anchor}-{times}" if times else anchor


def _front_title(text: str) -> str:
    """What stands behind `title:`. The rest of it is nobody's business here, and may be a bomb for a reader of YAML."""
    line = next((one for one in text[:LONGEST_FRONT_MATTER].splitlines() if one.startswith("title:")), "")
    return line.removeprefix("title:").strip().strip("\"'")


def _named(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0].replace("-", " ").replace("_", " ").strip() or path
