"""Three and more options in the shape of a yes/no question: "Is it too long, too short or just right?"."""

import re

from app.internal_api.panels.understanding.either import CLAUSE, OR, OR_NOT, PREPOSITIONS, WH, without_german_end
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading, Sentence

_ASKS_WHICH = re.compile(
    r"\A[¿\"(]?(?:[^,?\n]{1,80}, )?(?:should|is|are|was|were|am"
    r"|would you (?:say|call|describe)|(?:do|did) (?:you|they|we) (?:feel|find|think|consider)"
    r"|(?:does|did|do) (?:\S{1,20} ){1,6}?(?:seem|feel|look|sound|taste)"
    r"|(?:would|will|did|do) (?:you|they|we) vote for"
    r"|(?:wurden|werden|wurdest|wirst) (?:sie|du)(?=[^?\n]{1,200} wahlen\?)"
    r"|(?:finden|fanden|empfinden|empfanden) sie|(?:findest|fandest) du"
    r"|sollten|sollen|soll|ist|sind|war|waren|es|son|era|est-ce que|devrions-nous|faut-il) "
)
_ENDS_A_CHOICE = re.compile(
    r" (?:both|neither|none|other|something else|beides|keins?|ambos|ninguno|les deux|aucun)\W*\Z"
)
# What somebody has ever done is answered by yes or no, wherever and however often it was.
_ASKS_WHETHER = re.compile(r"\A[¿\"(]?(?:(?:have|has|had|haben|hat|hatten)\b|[^?\n]{0,200}\b(?:ever|jemals)\b)")
_DEGREES = frozenset(
    "too very just about quite rather more less so way far much extremely fairly somewhat slightly mostly not"  # noqa: SIM905 - reads better
    " zu sehr viel genau eher etwas ganz recht nicht muy trop tres".split()
)
_BEHIND = PREPOSITIONS | {"to", "than", "that", "when", "compared", "so", "because", "als", "fur", "von", "um"}
_TIMES = frozenset(
    "daily weekly monthly quarterly yearly annually always often sometimes occasionally rarely seldom never hourly"  # noqa: SIM905 - reads better
    " mornings evenings weekdays weekends both neither bar allein taglich wochentlich monatlich jahrlich immer oft"
    " unterwegs vollzeit teilzeit manchmal selten seltener nie morgens mittags abends nachts zusammen".split()
)
_NOBODY = frozenset("there you i we they he she it this that these those sie du wir ihr es er ich das".split())  # noqa: SIM905 - reads better
_ANYTHING = frozenset({"there", "anything", "something", "everything", "anyone", "anybody", "nothing"})
_AMOUNT = re.compile(
    r"(?:(?:below|above|under|over|up to|less than|more than|at least|unter|über|bis zu|mehr als|weniger als) )?"
    r"[$€£¥]?\d",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"a", "an"})
_MOST_WORDS, _MOST_OF_PLACE = 3, 5


def in_a_row(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Should we launch in spring, summer or autumn?"; the first option has to be told from what leads to it."""
    masked = reading.masked
    joins = list(OR.finditer(masked, sentence.start, sentence.end))
    if (
        len(joins) != 1
        or not sentence.asks
        or WH.match(sentence.text)
        or OR_NOT.search(masked, sentence.start, sentence.end)
    ):
        return ()
    begun = _ASKS_WHICH.match(sentence.text)
    start = sentence.start + (begun.end() if begun else 0)
    lead, *between = (piece.split() for piece in reading.text[start : joins[0].start()].split(", "))
    behind = reading.text[joins[0].end() : sentence.end].rstrip("?!. ").partition(", ")[0]
    last = without_german_end(behind, reading.language).split()
    if not (lead and between and last and all(between)):
        return ()
    if not _ASKS_WHETHER.match(sentence.text) and (same := _of_one_kind(lead, between, last)):
        return presented(" ".join(piece) for piece in same)
    if not (begun or _ENDS_A_CHOICE.search(sentence.text)) or lead[0].lower() in _ANYTHING:
        return ()
    return presented(" ".join(piece) for piece in _built_alike(lead, between, last))


def _of_one_kind(lead: list[str], between: list[list[str]], last: list[str]) -> list[list[str]]:
    """As in "Do you ride alone, with friends or with colleagues?": all say where, how, how often or how much."""
    for fits in (_is_place_or_time, _is_amount):
        length = max(len(piece) for piece in between)
        cut = last if len(last) <= _MOST_OF_PLACE and fits is _is_place_or_time else last[:length]
        rest = [*between, [cut[0]] if _plain(cut[0]) in _TIMES else cut]
        if all(fits(piece) for piece in rest):
            first = next((lead[at:] for at in range(max(1, len(lead) - 4), len(lead)) if fits(lead[at:])), None)
            return [first, *rest] if first else []
    return []


def _is_place_or_time(piece: list[str]) -> bool:
    if len(piece) == 1:
        return _plain(piece[0]) in _TIMES or _plain(piece[0]) in {"alone", "online", "offline", "abroad", "outdoors"}
    at_home = piece[0] == "zu" and piece[1].lower() == "hause"  # and not "zu teuer"
    return len(piece) <= _MOST_OF_PLACE and (at_home or _plain(piece[0]) in PREPOSITIONS)


def _is_amount(piece: list[str]) -> bool:
    return len(piece) <= _MOST_OF_PLACE and _AMOUNT.match(" ".join(piece)) is not None


def _plain(word: str) -> str:
    return word.lower().replace("ä", "a").replace("ö", "o").replace("ü", "u")


def _built_alike(lead: list[str], between: list[list[str]], last: list[str]) -> list[list[str]]:
    """Nothing where an option cannot be told from the words around it."""
    if any(len(piece) > _MOST_WORDS for piece in between) or last[0].lower() in CLAUSE:
        return []
    first = _first(lead, [*between, last[: _end(last)]])
    ended = _without_what_follows(last, [first, *between])
    if not ended or " ".join(first).lower() in _NOBODY:
        return []
    return [first, *between, ended]


def _first(lead: list[str], others: list[list[str]]) -> list[str]:
    """The end of the lead that is built as the others are: beginning with the same word, or as short as they are."""
    begins = {piece[0].lower() for piece in others}
    for at in range(len(lead) - 1, max(-1, len(lead) - 1 - _MOST_WORDS), -1):
        if lead[at].lower() in begins or (lead[at].lower() in _ARTICLES and begins & _ARTICLES):
            return lead[_with_degrees(lead, at) :]
    shortest = min(_content(piece) for piece in others)
    return lead[_with_degrees(lead, max(0, len(lead) - max(1, shortest))) :]


def _with_degrees(lead: list[str], at: int) -> int:
    while at and lead[at - 1].lower() in _DEGREES and (lead[at - 1].lower() != "about" or lead[at] == "right"):
        at -= 1
    return at


def _end(last: list[str]) -> int:
    """Where what is said of all options begins."""
    ends = (at for at, word in enumerate(last) if at and word.lower() in _BEHIND and last[at:] != ["in", "between"])
    return next((at for at in ends if last[at:] != ["than", "expected"]), len(last))


def _content(piece: list[str]) -> int:
    return sum(word.lower() not in _DEGREES for word in piece)


def _without_what_follows(last: list[str], others: list[list[str]]) -> list[str]:
    """As in "... or dissatisfied with the app": what is said of all options stands behind the last one.

    Where no word tells where the option ends, it ends as another does that begins alike; or it is short as a whole.
    """
    end = _end(last)
    kept = last[:end]
    alike = [len(piece) for piece in others if piece[0].lower() == kept[0].lower()]
    if alike:
        return kept[: max(alike)]
    most = max(_content(piece) for piece in others)
    if _content(kept) <= most or (end == len(last) <= _MOST_WORDS):
        return kept
    return []
