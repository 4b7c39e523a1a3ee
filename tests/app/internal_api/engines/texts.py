"""Documents that personas know in the tests, cut into passages at their headings."""

from pathlib import Path

from app.internal_api.knowledge.documents import Passage

ESPRESSO, BICYCLES, KAFFEE = (
    Path(__file__).with_name("documents").joinpath(f"{name}.md").read_text(encoding="utf-8")
    for name in ("espresso", "bicycles", "kaffee")
)


def passages_of(text: str, title: str) -> list[Passage]:
    """The document as a search that finds everything would return it."""
    sections = text.split("\n## ")
    found = []
    for number, section in enumerate(sections):
        heading, _, body = section.partition("\n")
        found.append(
            Passage(
                chunk_id=f"{title}-{number}",
                item_id=title,
                text=body.strip(),
                title=title,
                link=None,
                page=None,
                heading=heading.strip("# "),
                similarity=1 - number / 100,
            )
        )
    return found
