"""The requirement manifest: every sentence of the documents that this project was built from."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Requirement:
    """One sentence, table row or fact of a source document.

    Attributes:
        id: stable; tests name it in `@pytest.mark.requirement(id)`.
        source: the document and its section.
        behaviour: the sentence in our words, with its exact names and numbers.
        deferred: which later work brings it. Then no test may claim it yet.
        superseded: what was decided instead. Then no test may claim it.

    """

    id: str
    source: str
    behaviour: str
    deferred: str = ""
    superseded: str = ""


def _read(manifest: Path) -> tuple[Requirement, ...]:
    sections: dict[str, dict[str, Any]] = tomllib.loads(manifest.read_text("utf-8"))
    return tuple(
        Requirement(name, source, **({"behaviour": entry} if isinstance(entry, str) else entry))
        for source, entries in sections.items()
        for name, entry in entries.items()
    )


REQUIREMENTS = tuple(one for manifest in sorted(Path(__file__).parent.glob("*.toml")) for one in _read(manifest))
