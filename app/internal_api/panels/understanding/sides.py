"""The sides of an "or": where the first alternative begins, and where the last one ends."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from app.internal_api.panels.understanding.either import without_german_end
from app.internal_api.panels.understanding.joints import shielded
from app.internal_api.panels.understanding.kinds import (
    ADVERB,
    DEGREE,
    IN,
    PHRASES,
    THE,
    WORD,
    kind_of,
    opens_deed,
    opens_tail,
)
from app.internal_api.panels.understanding.shapes import BE, HAVE, Shape

_JOINT = re.compile(r",? (?P<or>(?:or|oder|ou|o|u)(?: else| sonst| bien)?) (?=\S)|, (?=\S)")
_WORD = re.compile(r"\S+")
_SAYS = re.compile(r"[\w%€$£+)\]\"'\u2600-\uffff]")
_MARKS = "?!.,;:\"'“”„«»¿()"
_CONJUNCTIONS = frozenset("as so if when which who but and since because wie wenn dass como si comme quand".split())  # noqa: SIM905 - reads better
_AUXILIARIES = frozenset(
    "is are was were do does did have has had will would should can could ist sind haben hat".split()  # noqa: SIM905 - reads better
)
_SUBJECTS = frozenset("you it they we he she i the your this that there sie du es er wir ihr".split())  # noqa: SIM905 - reads better
_INFINITIVE = re.compile(r"[a-z]{2,}(?:en|ern|eln)")
_SOMEBODY = frozenset({"you", "me", "us", "him", "them", "sie", "dich", "mich", "uns", "ihnen", "usted", "ti", "vous"})
_AMOUNT = re.compile(r"[^ (]+ (?:or|oder|o|ou) ")  # what is shielded is one word
_AT = frozenset({"hause", "fuss", "zweit", "dritt", "beginn", "mittag"})
_PARTICIPLE = re.compile(r"[a-z]{0,8}ge[a-z]{2,12}(?:en|t)|(?:ver|be|er)[a-z]{3,12}(?:en|t)")
_MODALS = frozenset(
    "mochten mochtest wollen willst werden wirst wird wurden wurdest wurde sollen sollten soll sollte"  # noqa: SIM905 - reads better
    " mussen durfen".split()
)
_COMPARES = re.compile(
    r"\b(?:more|less|better|worse|best|worst|most|least|sooner|first|besser|mehr|lieber|mas|mejor|peor|menos|plus|mieux"
    r"|moins|meilleure?|(?:cheap|fast|quick|slow|strong|weak|hard|long|short|small|bigg|larg|great|high|low|clean|clear"
    r"|warm|cool|fresh|fair|saf|nic|simpl|young|old|rich|smart|soft|loud|quiet|sweet|bright|dark|light|new"
    r"|\w{2,12}i)er|wichtiger|gunstiger|schneller|schoner|einfacher|leckerer|attraktiver|angenehmer|nutzlicher)\b"
    r"(?<!\bsupplier)(?<!\bcarrier)(?<!\bbarrier)(?<!\bcourier)(?<!\bpremier)"
)
_LONGEST, _LONGEST_NAME, _LONGEST_SUBJECT, _MOST_BEFORE_NAME = 14, 7, 4, 3

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One alternative: its words, and where they stand."""

    words: tuple[str, ...]
    spans: Spans

    def cut(self, start: int = 0, end: int | None = None) -> "Side":
        """Some of its words."""
        return Side(self.words[start:end], self.spans[start:end])


@dataclass(frozen=True, slots=True)
class Sides:
    """What "or" joins.

    Attributes:
        found: the alternatives.
        before: the words between the opening of the question and the first of them.
        of_subject: they are what the question is about: "Is tea or ale better?".
        deeds: each begins with a verb: "Do you drive or take the train?".
        compared: whether it is asked which of them is more, or better.

    """

    found: tuple[Side, ...]
    before: tuple[str, ...] = ()
    of_subject: bool = False
    deeds: bool = False
    compared: bool = False


def sides_of(text: str, start: int, end: int, shape: Shape) -> Sides | None:
    """None where "or" joins nothing, or where it cannot be told what. `text` is lower case without accents."""
    first, *others = _pieces(text, start, end, shape.language)
    if not others or not first.words or first.words[-1] in _SOMEBODY or not all(map(_can_be_one, others)):
        return None
    compared = _COMPARES.search(text, others[-1].spans[0][0], end) is not None
    if _are_subjects(first, others, shape, compared=compared):
        cut = others[-1].cut(end=_as_subject(first, others[-1]))
        return Sides((first, *others[:-1], cut), of_subject=True, compared=compared)
    deed = _first_deed(first, others, shape)
    ended = others[-1] if deed is not None or _ends_in_verb(first, shape) else _without_german_end(others[-1], shape)
    ended = _without_tail(ended, deed=deed is not None)
    at = _first_name(first, [*others[:-1], ended], shape) if deed is None else deed
    if deed is None:
        ended = _as_long(ended, [first.cut(at), *others[:-1]])
    found = (first.cut(at), *others[:-1], ended)
    return Sides(found, first.words[:at], deeds=deed is not None, compared=compared)


def _pieces(text: str, start: int, end: int, language: str) -> list[Side]:
    """What commas and "or" part, up to the comma behind the last "or"."""
    safe = shielded(text[start:end])
    joints = list(_JOINT.finditer(safe))
    last = max((at for at, joint in enumerate(joints) if joint["or"]), default=-1)
    if last < 0:
        return [_side(text, safe, start, (0, len(safe)), language)]
    edges = [0, *(edge for joint in joints[: last + 1] for edge in joint.span())]
    edges.append(joints[last + 1].start() if last + 1 < len(joints) else len(safe))
    return [_side(text, safe, start, (edges[at], edges[at + 1]), language) for at in range(0, len(edges), 2)]


def _side(text: str, safe: str, start: int, span: tuple[int, int], language: str) -> Side:
    spans = tuple((start + match.start(), start + match.end()) for match in _WORD.finditer(safe, *span))
    spans = tuple(span for span in spans if _SAYS.search(text[slice(*span)]))
    return Side(_told_apart([text[slice(*span)].strip(_MARKS) for span in spans], language), spans)


def _told_apart(words: list[str], language: str) -> tuple[str, ...]:
    """An "a" is an article in English only, and "zu" a degree but before these."""
    if language == "de":
        pairs = zip_longest(words, words[1:], fillvalue="")
        return tuple("bei" if word == "zu" and after in _AT else word for word, after in pairs)
    return tuple("à" if word == "a" and language != "en" else word for word in words)


def _can_be_one(side: Side) -> bool:
    return 0 < len(side.words) <= _LONGEST and not _opens_clause(*side.words[:2])


def _opens_clause(first: str, second: str = "") -> bool:
    """As in "or is it cold?", "or as far as I know"; but "or as a gift" names an option."""
    return (first in _CONJUNCTIONS and second not in {"a", "an"}) or (first in _AUXILIARIES and second in _SUBJECTS)


def _are_subjects(first: Side, others: Sequence[Side], shape: Shape, *, compared: bool) -> bool:
    """As in "Is price or quality more important?": the first is a name, and the last is longer."""
    if shape.told or shape.person or kind_of(others[-1].words[0]) == DEGREE:
        return False
    article = kind_of(first.words[0]) == THE and first.words[0] not in {"this", "that", "these", "those"}
    short = len(first.words) == (2 if article else 1)
    if compared and article:
        short = len(first.words) <= _LONGEST_SUBJECT and all(kind_of(side.words[0]) == THE for side in others)
    return short and len(others[-1].words) > _as_subject(first, others[-1])


def _as_subject(first: Side, last: Side) -> int:
    """How many words of the last belong to it: as many as the first has, of which an article may be left out."""
    return len(first.words) - (kind_of(first.words[0]) == THE and kind_of(last.words[0]) != THE)


def _first_deed(first: Side, others: Sequence[Side], shape: Shape) -> int | None:
    """Where the first deed begins; None where no deeds are joined."""
    if shape.kind == BE and not shape.told:
        return None
    ends = [side.words[-1] for side in (first, *others)]
    if shape.verb in _MODALS and len(first.words) > 1 and all(map(_INFINITIVE.fullmatch, ends)):
        return 0 if shape.person else _first_name(first, others, shape)
    if "be" in first.words and all(len(side.words) > 1 and kind_of(side.words[0]) == WORD for side in others):
        return first.words.index("be") + 1
    if not all(opens_deed(side.words) for side in others):
        return None
    if shape.person:
        return 0
    begins = {side.words[0] for side in others}
    places = range(len(first.words) - 1, -1 if shape.told else 0, -1)
    return next((at for at in places if first.words[at] in begins or opens_deed(first.words[at:])), None)


def _first_name(first: Side, others: Sequence[Side], shape: Shape) -> int:
    """Where the first alternative begins that is no deed: built as the others are, or as short."""
    words = first.words
    low = 1 if shape.person and shape.leads_to_deed and len(words) > 1 else 0
    places = range(len(words) - 1, max(low, len(words) - _LONGEST_NAME) - 1, -1)
    begins = {side.words[0] for side in others}
    kinds = _kinds(begins, words[-1])
    alike = next((at for at in places if words[at] in begins or kind_of(words[at]) in kinds), None)
    alike = next((at for at in places if _AMOUNT.match(words[at])), alike)
    if alike is None:
        alike = max(low, len(words) - (1 if kinds else _shortest(words, low, others)))
    while alike > low and (
        kind_of(words[alike - 1]) == DEGREE or words[alike - 1] in begins or words[alike - 1] == "than"
    ):
        alike -= 1
    return alike


def _kinds(begins: Iterable[str], ends: str) -> set[str]:
    """The kinds of phrases that the others are; "in a shop" stands beside "online", too."""
    kinds = {kind_of(word) for word in begins}
    if ADVERB in kinds and kind_of(ends) != ADVERB:
        kinds.add(IN)
    return kinds & PHRASES


def _shortest(words: Sequence[str], low: int, others: Sequence[Side]) -> int:
    """As few words as the others have; all that belong to it where the last is the same: "print books or e-books"."""
    if others[-1].words[-1].endswith(f"-{words[-1]}"):
        return min(_MOST_BEFORE_NAME, len(words) - low)
    return max(1, min(map(_content, others)))


def _content(side: Side) -> int:
    return sum(kind_of(word) != DEGREE for word in side.words)


def _ends_in_verb(first: Side, shape: Shape) -> bool:
    """As in "Sind die Preise gestiegen oder gesunken?"."""
    return shape.kind in {BE, HAVE} and _PARTICIPLE.fullmatch(first.words[-1]) is not None


def _without_german_end(last: Side, shape: Shape) -> Side:
    return last.cut(end=len(without_german_end(" ".join(last.words), shape.language).split()))


def _without_tail(last: Side, *, deed: bool) -> Side:
    places = range(1, len(last.words))
    return last.cut(end=next((at for at in places if opens_tail(last.words[at:], deed=deed)), None))


def _as_long(last: Side, others: Sequence[Side]) -> Side:
    """What is said of all alternatives stands behind the last one, which ends as another does that begins alike."""
    kind = kind_of(last.words[0])
    if kind == IN and all(len(side.words) == 1 and kind_of(side.words[0]) == IN for side in others):
        return last.cut(end=1)
    alike = [len(side.words) for side in others if kind_of(side.words[0]) == kind]
    most = max(alike, default=len(last.words))
    rest = last.words[most:]
    said_of_all = bool(rest) and (kind in {DEGREE, ADVERB} or _COMPARES.fullmatch(rest[0]) is not None)
    return last.cut(end=most) if said_of_all else last
