"""The codes of open answers: what a codebook is, and what is wrong with one that a model wrote. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

OTHER, NO_VIEW = "other", "no_view"
RESERVED = {OTHER: "Other", NO_VIEW: "No view"}
"""Codes of what fits no theme and of who has no view, by their ids."""
MOST_CODES = 8
LONGEST_LABEL, LONGEST_DEFINITION = 80, 400
Stance = Literal["agrees", "disagrees", "neither"]


@dataclass(frozen=True, slots=True)
class Code:
    """A theme. `original_labels` are those of the codes that were merged into it."""

    id: str
    label: str
    definition: str = ""
    original_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coding:
    """What one answer says: the ids of its codes, each with a quote; and its stance towards the question's premise.

    `coded` is who gave it its codes by hand, when, and what was there before.
    """

    codes: Mapping[str, str]
    stance: Stance | None = None
    coded: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Coded:
    """Codes, and the coding of each answer that has one, by the answer's key. `method` is model, embeddings or empty.

    `failure` is why a language model did not code them: a stable word as `reason`, and its host.
    """

    codes: tuple[Code, ...] = ()
    codings: Mapping[str, Coding] = field(default_factory=dict)
    method: str = ""
    failure: Mapping[str, str | None] | None = None


def folded(name: object) -> str:
    """A name as it is looked for: models write it with other capitals and blanks."""
    return " ".join(str(name).split()).casefold()


Name = Annotated[str, BeforeValidator(folded)]


Label = Annotated[str, Field(max_length=LONGEST_LABEL, pattern=r"[\p{L}\p{N}]")]


class WrittenCode(BaseModel):
    id: Name = Field(min_length=1, max_length=40)
    label: Label
    definition: str = Field("", max_length=LONGEST_DEFINITION)


class WrittenMark(BaseModel):
    code: Name
    quote: str = ""


class WrittenCoding(BaseModel):
    n: int
    codes: list[WrittenMark]
    stance: Annotated[Stance, BeforeValidator(folded)]


class WrittenCodebook(BaseModel):
    """What a model was asked for; its parts are read one by one, so that a broken one costs only itself."""

    codes: list[Any] = []
    answers: list[Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """The codes that stand, the codings without a fault by their numbers, and what was wrong with the rest."""

    codes: tuple[Code, ...]
    codings: dict[int, Coding] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def check(
    written: WrittenCodebook | None, texts: Mapping[int, str], known: Sequence[Code], taken: Collection[str] = ()
) -> Checked:
    """`written` against the answers that it is of: each once, with codes that exist and quotes that were said.

    `taken` are codes that other answers to the question have.
    """
    if written is None:
        return Checked(tuple(known), faults=("There was no complete JSON object of that form.",))
    often: dict[int, list[WrittenCoding]] = {}
    for given in written.answers:
        with suppress(ValueError):
            read = WrittenCoding.model_validate(given)
            often.setdefault(read.n, []).append(read)
    used = {mark.code for each in often.values() for coding in each for mark in coding.codes}.union(taken)
    codes, ids, faults = _codes(written, known, used)
    strange = often.keys() - texts.keys()
    faults += [f"There is no answer {number}." for number in sorted(strange)]
    misnumbered = texts.keys() if strange else _misnumbered(often, texts)
    codings: dict[int, Coding] = {}
    for number, text in texts.items():
        given_once = often.get(number, [])
        wrong = "is missing, or not of that form" if not given_once else "is there more than once"
        if len(given_once) == 1:
            wrong = _fault(given_once[0], text, ids) or ("is in doubt" if number in misnumbered else "")
        if wrong:
            faults.append(f"Answer {number} {wrong}.")
        else:
            marks = {ids[mark.code]: mark.quote for mark in reversed(given_once[0].codes)}
            codings[number] = Coding(dict(reversed(marks.items())), given_once[0].stance)
    return Checked(codes, codings, tuple(faults))


def _misnumbered(often: Mapping[int, Sequence[WrittenCoding]], texts: Mapping[int, str]) -> set[int]:
    """Those beside an answer whose quote stands in another: numbers are shifted there, also of what has no quote."""
    found, everything = set[int](), "\n".join(texts.values())
    for order in ([*texts], [*texts][::-1]):
        is_shifted = False
        for number in order:
            if is_shifted:
                found.add(number)
            if quotes := [mark.quote for each in often.get(number, ()) for mark in each.codes if mark.quote.strip()]:
                is_shifted = any(quote not in texts[number] and quote in everything for quote in quotes)
    return found


def _codes(
    written: WrittenCodebook, known: Sequence[Code], used: Collection[str]
) -> tuple[tuple[Code, ...], dict[str, str], list[str]]:
    """The known codes and the new ones, and the id of each by its names; one of a known label is that one.

    Known ones that no answer has now leave their place to new ones.
    """
    codes, faults = {code.id: code for code in known}, []
    ids = {folded(one): one for one in (*RESERVED, *codes)}
    labels = {folded(name): code.id for code in known for name in (code.label, *code.original_labels)}
    labels |= {folded(label): one for one, label in RESERVED.items()}
    unused = codes.keys() - {(labels | ids).get(one) for one in used}
    listed: dict[str, list[WrittenCode]] = {}
    for given in written.codes:
        with suppress(ValueError):
            code = WrittenCode.model_validate(given)
            listed.setdefault(code.id, []).append(code)
    for one, (code, *others) in listed.items():
        label = " ".join(code.label.replace(";", ",").split())  # labels are listed with it between them
        if one in ids:
            continue
        if any(other.label != code.label for other in others):
            faults.append(f"Two codes have the id {one}.")
        elif folded(label) in labels:
            ids[one] = labels[folded(label)]
        elif len(codes) - len(unused) >= MOST_CODES:
            faults.append(f"There are more than {MOST_CODES} codes; {one} does not count.")
        else:
            ids[one] = labels[folded(label)] = one
            codes[one] = Code(one, label, " ".join(code.definition.split()))
    return tuple(codes.values()), labels | ids, faults


def _fault(coding: WrittenCoding, text: str, ids: Mapping[str, str]) -> str:
    """What is wrong with it; empty where nothing is."""
    given = {ids.get(mark.code) for mark in coding.codes}
    if not given:
        return f"has no code; {OTHER} and {NO_VIEW} are codes"
    if None in given:
        return "has a code that is not in the list"
    if NO_VIEW in given and len(given) > 1:
        return f"has {NO_VIEW} beside other codes"
    if any(mark.quote not in text or not (mark.quote.strip() or ids[mark.code] in RESERVED) for mark in coding.codes):
        return "has a quote that is no exact part of it"
    return ""


def renamed(coding: Coding, ids: Mapping[str, str]) -> Coding:
    """With other ids for some of its codes; two that become one keep the first quote."""
    codes: dict[str, str] = {}
    for one, quote in coding.codes.items():
        codes.setdefault(ids.get(one, one), quote)
    return replace(coding, codes=codes)


class WrittenGroup(BaseModel):
    label: Label
    definition: str = Field("", max_length=LONGEST_DEFINITION)
    codes: list[str]


class WrittenMerge(BaseModel):
    codes: list[WrittenGroup]


def check_merge(written: WrittenMerge | None, codes: Sequence[Code]) -> str:
    """What is wrong with groups of codes; empty where each code is in exactly one."""
    if written is None:
        return "There was no complete JSON object of that form."
    named = [one for group in written.codes for one in group.codes]
    if sorted(named) != sorted(code.id for code in codes):
        return "Each code must be in exactly one group, and none that is not in the list."
    if not 0 < len(written.codes) <= MOST_CODES:
        return f"There may be at most {MOST_CODES} groups."
    labels = [*RESERVED.values(), *(" ".join(group.label.split()) for group in written.codes)]
    if len({label.casefold() for label in labels}) < len(labels):
        return f"Each group needs a label of its own, and none is called {' or '.join(RESERVED.values())}."
    return ""


def merged(groups: Iterable[WrittenGroup], codes: Sequence[Code], known: Sequence[Code]) -> dict[str, Code]:
    """By the id of each code, the one that it becomes: a known one of its group, else the first under the new label."""
    by_id, kept = {code.id: code for code in codes}, {code.id for code in known}
    found: dict[str, Code] = {}
    for group in groups:
        names = sorted(group.codes, key=lambda one: one not in kept)
        if not names:
            continue
        new = Code(names[0], " ".join(group.label.replace(";", ",").split()), " ".join(group.definition.split()))
        # Two known codes are two for a reason: each stays itself.
        found |= {one: by_id[one] if one in kept else by_id[names[0]] if names[0] in kept else new for one in names}
    return found
