"""Options that stand in the sentence itself: behind a colon, in brackets, "A, B or C?", "A or B?"."""

import re
from collections.abc import Iterator
from itertools import islice

from app.internal_api.panels.understanding.choices import asks_to_choose, asks_why, is_open
from app.internal_api.panels.understanding.either import OR, OR_NOT, PREFERS, WH, either_of_two, more_or_less, opposites
from app.internal_api.panels.understanding.joints import QUANTITY
from app.internal_api.panels.understanding.lists import groups, split
from app.internal_api.panels.understanding.offers import deeds_first, offered
from app.internal_api.panels.understanding.polar import begins_polar, begins_with_verb, is_polar
from app.internal_api.panels.understanding.reading import Reading, Sentence

_COLON = re.compile(r":(?= |\n|\Z)| -(?= )")
_PICKED_FROM = re.compile(
    r"\b(?:choose|pick|select|decide|choosing|picking) (?:(?:just |only )?one )?(?:from|of|between"
    r"|among) (?!these\b|the following\b|all\b)"
    r"|\b(?:which|what) (?:one )?(?:of|between|among|from) (?!these\b|those\b|the\b|our\b|your\b|this\b|them\b"
    r"|us\b|all\b)"
    r"|\bbetween (?=[^\d?!\n]{1,60} and )"
    r"|\b(?:wahlen sie|entscheiden sie sich) (?:aus|zwischen) |\b(?:elija|elige|escoja) entre |\bchoisi\w{1,5} entre "
)
_VERB_AFTER = re.compile(
    r",? (?:which|what|who|do|does|did|is|are|was|were|would|will|should|could|can|have|has|best|most|appeals?"
    r"|fits?|suits?|sounds?|works?"
    r"|feels?|looks?|matters?|makes?|describes?)\b"
)
_HEADING = re.compile(
    r"[¿\"(]?((?!(?:if|for|when|as|on|in|about|regarding|considering|given|our|we)\b)[^.?!\n:]{1,60}):(?= \S)"
)
_HOW = re.compile(r"\A[¿\"(]?(?:how|when|where|wie|wann|wo|como|cuando|donde|comment|quand)\b")
_OFTEN = re.compile(
    r"\bhow (?:often|frequently)\b|\bwie (?:oft|haufig)\b|\bcon que frecuencia\b|\ba quelle frequence\b"
)
_LAST = re.compile(r"[)\]] ?[?]")
_ASKS_LATER = re.compile(r", (?:what|which|how|who|where|was|wie|welche\w*|que|cual|quel\w*)\b")
_ANSWER_FIRST = re.compile(r"\A(?:yes|ja|si|oui), ?\w")
# "One or two words are enough" counts; "One or two?" asks.
_VAGUE = re.compile(
    r"\b(?:one|two|three|an?|a few|a couple|once|eine?[nrms]?|zwei|drei|wenige) (?:or|oder)"
    r" (?:two|three|four|many|more|several"
    r"|twice|zwei|drei|vier|viele|mehrere?) \w"
)
_SAYS_WHO = re.compile(r" (?:sie|du|ihr|you|they|we)\b")
_SHORT_SENTENCE = 12
_MOST_COLONS = 5
_NEXT_STARTS = re.compile(r"\A(?:options?|choose|pick|select|choices|answers?|would it be|is it|e\.?g|for example)\b")


def in_sentence(reading: Reading, sentence: Sentence, before: Sentence | None) -> tuple[str, ...]:
    """The options of one sentence; `before` is the question that it may complete."""
    if is_open(sentence.text):
        return ()
    return next((found for finder in _FINDERS if (found := finder(reading, sentence, before))), ())


def _before_colon(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Yes or no: would you buy it?", "Price or quality: which matters more?"."""
    match = _HEADING.match(sentence.text)
    if not match or asks_to_choose(match[1]) or begins_polar(sentence.text, reading.language) or WH.match(match[1]):
        return ()
    return split(reading, sentence.start + match.start(1), sentence.start + match.end(1))


def _behind_colon(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    for match in islice(_COLON.finditer(reading.masked, sentence.start, sentence.end), _MOST_COLONS):
        lead = reading.masked[sentence.start : match.start()]
        chooses = asks_to_choose(lead)
        if not (chooses or _asks(sentence, lead)):
            continue
        plain_list = chooses or OR.search(reading.masked, match.end(), sentence.end) is not None or WH.match(lead)
        if plain_list and (found := split(reading, match.end(), _stop(sentence), conjoined=chooses)):
            return found
    return ()


def _in_brackets(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Which plan would you choose (Basic, Pro or Max)?"."""
    if not (asks_to_choose(sentence.text) or is_polar(sentence.text, reading.language) or WH.match(sentence.text)):
        return ()
    chooses = asks_to_choose(sentence.text)
    for start, end in groups(reading.masked, sentence.start, sentence.end):
        inner = reading.masked[start:end]
        often = _OFTEN.search(sentence.text) or (WH.match(sentence.text) and _LAST.match(reading.masked, end))
        listed = OR.search(inner) or "/" in inner or (often and inner.count(",") > 1)
        if (chooses or listed) and (found := split(reading, start, end)):
            return found
    return ()


def _picked_from(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Choose between A and B", "Which of A, B and C do you use?"."""
    match = _PICKED_FROM.search(reading.masked, sentence.start, sentence.end)
    if not match or _HOW.match(sentence.text):
        return ()
    verb = _VERB_AFTER.search(reading.masked, match.end(), sentence.end)
    return split(reading, match.end(), verb.start() if verb else _stop(sentence), conjoined=True)


def _completing(reading: Reading, sentence: Sentence, before: Sentence | None) -> tuple[str, ...]:
    """As in "Which plan would you pick? Basic, Pro, or Max."; "Tea or coffee?"."""
    first = sentence.text.split(" ", 1)[0]
    if WH.match(sentence.text) or begins_with_verb(sentence.text, reading.language) or PREFERS.search(sentence.text):
        return ()
    if (
        ": " in sentence.text
        or _ASKS_LATER.search(sentence.text)
        or OR_NOT.search(sentence.text)
        or (before and asks_why(before.text))
    ):
        return ()
    if _VAGUE.search(QUANTITY.sub("", sentence.text)):
        return ()
    joined = OR.search(QUANTITY.sub("", sentence.text)) is not None
    if before is None or is_open(before.text):
        fits = joined and sentence.asks and len(sentence.text.split()) <= _SHORT_SENTENCE
        fits = fits and not _SAYS_WHO.search(sentence.text)
    else:
        listed = joined or "/" in sentence.text or _ANSWER_FIRST.match(sentence.text) is not None
        fits = (listed or _chooses(before)) and not _NEXT_STARTS.match(sentence.text)
        fits = fits and first not in {"i", "we", "it", "this", "please", "if", "why"}
    start, end = next(iter(groups(reading.masked, sentence.start, sentence.end)), (sentence.start, sentence.end))
    whole = reading.masked[sentence.start : start] + reading.masked[end : sentence.end] in {"()", "[]", "().", "()?"}
    return (split(reading, start, end) if whole else split(reading, sentence.start, sentence.end)) if fits else ()


def _chooses(sentence: Sentence) -> bool:
    return sentence.asks and asks_to_choose(sentence.text)


def _asks(sentence: Sentence, lead: str) -> bool:
    return sentence.asks or lead.rstrip().endswith("?")


def _stop(sentence: Sentence) -> int:
    return sentence.end


def pairs_of(sentences: tuple[Sentence, ...]) -> Iterator[tuple[Sentence, Sentence | None]]:
    """Each sentence with the question right before it."""
    before: Sentence | None = None
    for sentence in sentences:
        yield sentence, before
        before = sentence if sentence.asks or sentence.text.endswith(":") else None


_FINDERS = (
    _before_colon,
    _behind_colon,
    _in_brackets,
    _picked_from,
    more_or_less,
    deeds_first,
    either_of_two,
    offered,
    opposites,
    _completing,
)
