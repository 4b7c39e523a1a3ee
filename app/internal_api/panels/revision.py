"""A researcher's revision of a codebook: what merging, renaming or splitting its themes comes to. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from app.internal_api.engines.coding import RESERVED, Code, Coding
from app.internal_api.engines.snippets import split_sentences
from app.internal_api.errors import BadRequest
from app.internal_api.knowledge.terms import fold
from app.internal_api.models.studies import ReviseCodebook
from app.internal_api.panels.values import SEPARATOR

Quotes = Mapping[str, Sequence[str]]
"""By the id of a code, the parts of one answer that show it."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A checked revision of a codebook: `into` says which codes become another, `parted` the same of minds `moved`."""

    codes: tuple[Code, ...]
    what: str
    into: Mapping[str, str] = field(default_factory=dict)
    parted: Mapping[str, str] = field(default_factory=dict)
    moved: Collection[str] = ()


def revise(codes: Sequence[Code], codings: Mapping[str, Coding], asked: ReviseCodebook) -> Revision:
    """What is asked for, if it can be done. Raises BadRequest."""
    by_id = {code.id: code for code in codes}
    themes = list(dict.fromkeys(asked.themes))
    named = [by_id[one] for one in themes if one in by_id]
    splits_reserved = asked.action == "split" and len(themes) == 1 and themes[0] in RESERVED
    if len(named) != len(themes) and not splits_reserved:
        raise refusal("A theme is not in the codebook of this question.")
    if (len(themes) > 1) != (asked.action == "merge"):
        raise refusal("Merging takes two or more themes; renaming and splitting take one.")
    taken = {code.label.casefold() for code in codes if code not in named or asked.action == "split"}
    taken |= {label.casefold() for label in RESERVED.values()}
    label = (asked.label or (named[0].label if named else "")).replace(SEPARATOR, ",")
    if not asked.label and asked.action != "merge":
        raise refusal("A label is needed.")
    if label.casefold() in taken:
        raise refusal("Another theme has this label; merge the two instead.")
    if asked.action == "split":
        return _split(codes, codings, asked, label)
    first, *others = named
    were = dict.fromkeys(one for code in named for one in (*code.original_labels, code.label) if one != label)
    kept = replace(first, label=label, definition=asked.definition or first.definition, original_labels=tuple(were))
    gone = {code.id: first.id for code in others}
    left = tuple(kept if code is first else code for code in codes if code.id not in gone)
    did = "Merged" if others else "Renamed"
    return Revision(left, f"{did} {', '.join(f'“{code.label}”' for code in named)} into “{label}”", into=gone)


def _split(codes: Sequence[Code], codings: Mapping[str, Coding], asked: ReviseCodebook, label: str) -> Revision:
    source = asked.themes[0]
    holders = {mind for mind, coding in codings.items() if source in coding.codes}
    moved = holders.intersection(asked.mind_ids)
    if not moved or moved == holders:
        raise refusal("A split moves some answers of the theme to the new one, and leaves some.")
    spoken = ", ".join(f"“{word}”" for word in asked.words)
    new = Code(uuid4().hex[:8], label, asked.definition or (f"Speaks of {spoken}" if spoken else ""))
    was = next((code.label for code in codes if code.id == source), RESERVED.get(source, ""))
    who = f"answers with {spoken}" if spoken else f"{len(moved)} of its {len(holders)} answers"
    return Revision((*codes, new), f"Split “{was}”: {who} are “{label}” now", parted={source: new.id}, moved=moved)


def refusal(message: str) -> BadRequest:
    return BadRequest(message, {"code": "INVALID_REVISION"})


def quotes_of(coding: Coding, more: Quotes) -> Quotes:
    """What shows each code of an answer: its quote, and `more` of the codes that were merged into it."""
    return {code: [quote, *more.get(code, ())] for code, quote in coding.codes.items()}


def recoded(said: Quotes, into: Mapping[str, str], words: Sequence[str] = (), text: str = "") -> dict[str, list[str]]:
    """An answer's codes after some became others: where `words` part them, what holds none of these stays itself.

    What was quoted of it may be but a part of the sentence that holds them.
    """
    folded, found = [fold(word) for word in words], dict[str, list[str]]()
    for code, quotes in said.items():
        stays = [quote for quote in quotes if quote and folded and not any(word in fold(quote) for word in folded)]
        if len(stays) == len(quotes):
            spoken = [one for one in split_sentences(text) if any(word in fold(one) for word in folded)]
            stays = [quote for quote in stays if not any(quote in one for one in spoken)]
        new = into.get(code, code)
        if stays:
            found.setdefault(code, []).extend(stays)
        found.setdefault(new, []).extend(quote for quote in quotes if quote not in stays)
    return found


def coded_by_hand(
    coded: Mapping[str, Any] | None, into: Mapping[str, str], words: Sequence[str], text: str
) -> Mapping[str, Any] | None:
    """A coding by hand, with what the codes before it became."""
    if coded is None or not (codes := coded["before"]["codes"]):
        return coded
    now = recoded(quotes_of(Coding(codes), {}), into, words, text)
    return {**coded, "before": {**coded["before"], "codes": {code: quotes[0] for code, quotes in now.items()}}}
