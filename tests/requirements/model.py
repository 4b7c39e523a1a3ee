"""What a requirement is, and the four words in which a manifest is written."""

from dataclasses import dataclass


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


Entry = tuple[str, str, str, str]


def need(name: str, behaviour: str) -> Entry:
    """It holds today, and a test proves it."""
    return name, behaviour, "", ""


def later(name: str, behaviour: str, reason: str) -> Entry:
    """It will hold; `reason` names the work that brings it."""
    return name, behaviour, reason, ""


def instead(name: str, behaviour: str, reason: str) -> Entry:
    """It will not hold; `reason` says what was decided in its place."""
    return name, behaviour, "", reason


def section(document: str, prefix: str, title: str, *entries: Entry) -> tuple[Requirement, ...]:
    """The requirements of one section of a source document."""
    return tuple(
        Requirement(f"{prefix}:{name}", f"{document}#{title}", behaviour, deferred, superseded)
        for name, behaviour, deferred, superseded in entries
    )
