"""Options that stand behind the question, or behind what is asked for: "How do you commute? Car, bus, on foot"."""

import re

from app.internal_api.panels.understanding.attitudes import asks_for_degree
from app.internal_api.panels.understanding.choices import asks_why
from app.internal_api.panels.understanding.instructions import without_instructions
from app.internal_api.panels.understanding.lists import cut, ordered, split
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading, Sentence

_MARK = re.compile(r"(?:(?<=\s)|\A|(?<=[,;(\[]))\(?(\d{1,2}|[a-j])[.):]\)?(?: |\n|(?=[^\W\d]))")
_HARD = re.compile(r" ?[;|] ?| ?/ (?=\S)|(?<=\S) /(?=\S)")
_LINE = re.compile(r"\s*\n\s*(?:[-*+•‣◦▪□☐○] ?|\[ ?\] ?)?")
_SLASH = re.compile(r"(?<=[^\W\d])/(?=[^\W\d])")
_DASH = re.compile(r" - (?=\S)")
_END = re.compile(r"[.] (?=\S)")
_WRAPPED = re.compile(r"\s*(?:\((?P<round>[^()]{3,800})\)|\[(?P<square>[^\[\]]{3,800})\])\s*[.?!]?\s*\Z")
_BOX = re.compile(r"[\[(]([^\[\]()]{1,80})[\])]")
_BOXES = re.compile(r"(?:[\[(][^\[\]()]{1,80}[\])]\s*){2,50}")
_OR = re.compile(r" (?:or|oder|ou|o|u) ")
_PROSE = re.compile(
    r"(?:\A|(?<=, ))(?:the more|please|tell|explain|describe|be|let|give|think|imagine|use|we|you|your|they|(?:this"
    r"|that|these) (?:is|are|was|will|can|helps?)|it is"
    r"|there|thanks?|then|if|because|since|when|bitte|danke|wir|sie|ihre?|wenn|denn|sagen|nennen|gracias"
    r"|merci|si|nous|vous)\b"
    r"|\b(?:we|they|you) (?:are|is|will|would|can|have|do)\b|\b(?:is|are|was|were|will|would|ist|sind|wird|est|sont"
    r"|es|son)"
    r" (?:a|an|the|not|to|very|ein|eine|nicht|un|une|una)\b"
)
_FINAL = re.compile(r"[?!]")
_HEADING = re.compile(r"[^.?!\n:,]{2,50}:\s+(?=\S)")
_FIGURES = re.compile(
    r"(?:under|over|up to|less than|more than|unter|uber|bis|menos de|mas de|moins de|plus de)?[\W_]*\d"
)
_LABEL = re.compile(r"([^.?!\n:,()\[\]]{2,50}) (?=[(\[])")
_MOST_WORDS, _MOST_IN_ROW, _MOST_OF_PAIR, _MOST_OF_LABEL = 14, 7, 2, 4
_THREE = 3


def behind(reading: Reading) -> tuple[str, ...]:
    """The options of the first question that has a list behind it; or of a heading."""
    for at, sentence in enumerate(reading.sentences):
        if sentence.asks or (sentence.text.endswith(":") and at + 1 < len(reading.sentences)):
            return () if asks_why(sentence.text) else _listed(reading, sentence)
    return _headed(reading)


def _listed(reading: Reading, question: Sentence) -> tuple[str, ...]:
    """All that stands behind the question has to be the list, apart from notes on how to answer."""
    start, end = _unwrapped(reading, question.end, len(reading.masked))
    text = without_instructions(reading.masked[start:end])
    start, end = _unwrapped(reading, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
    again = any(sentence.asks and sentence.start > start for sentence in reading.sentences)
    if again or end <= start or _FINAL.search(reading.masked, start, end - 1):
        return ()
    return _items(reading, start, end, firm=not asks_for_degree(question.text))


def _items(reading: Reading, start: int, end: int, *, firm: bool) -> tuple[str, ...]:
    """The strongest separator decides; where a rating is asked for, lines below it may be a greeting."""
    text = reading.masked[start:end]
    if marked := _marked(reading, start, text) or _boxed(reading, start, text):
        return marked
    separators = (_LINE, _HARD, _DASH) if firm else (_HARD,)
    for separator in separators:
        if separator.search(text):
            return _parted(reading, start, text, separator)
    return _row(reading, start, end) or (_sentences(reading, start, text) if firm else ())


def _boxed(reading: Reading, start: int, text: str) -> tuple[str, ...]:
    """As in "[tea] [ale]"."""
    if not _BOXES.fullmatch(text):
        return ()
    return presented(reading.text[start + match.start(1) : start + match.end(1)] for match in _BOX.finditer(text))


def _marked(reading: Reading, start: int, text: str) -> tuple[str, ...]:
    """As in "a) tea b) ale", "A: tea. B: ale.", "1. tea 2. ale"."""
    marks = ordered(list(_MARK.finditer(text)))
    if len(marks) < 2 or text[: marks[0].start()].strip():  # noqa: PLR2004 - one item is no list
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return presented(reading.text[start + mark.end() : start + end] for mark, end in zip(marks, ends, strict=True))


def _parted(reading: Reading, start: int, text: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    spans = [(low, high) for low, high in cut(text, [separator]) if text[low:high].strip()]
    sound = all(len(text[low:high].split()) <= _MOST_WORDS for low, high in spans)
    sound = sound and (separator is not _LINE or not any(_is_sentence(text[low:high]) for low, high in spans))
    sound = sound and (separator is not _DASH or len(spans) >= _THREE)
    return presented(reading.text[start + low : start + high] for low, high in spans) if sound else ()


def _is_sentence(line: str) -> bool:
    return line.rstrip().endswith((".", "!", ",", "…", ":")) or _PROSE.match(line) is not None


def _row(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """Parted by commas: no sentence with a comma in it."""
    text = reading.masked[start:end].strip(" .?")
    if _PROSE.search(text) or ". " in text:
        return ()
    found = split(reading, start, end)
    most = _MOST_IN_ROW if len(found) >= _THREE or _OR.search(text) else _MOST_OF_PAIR
    return found if all(len(option.split()) <= most for option in found) else ()


def _sentences(reading: Reading, start: int, text: str) -> tuple[str, ...]:
    """As in "Basic. Pro. Max."."""
    spans = cut(text, [_END])
    short = all(0 < len(text[low:high].split()) <= _MOST_OF_LABEL for low, high in spans)
    if len(spans) < _THREE or not short or _PROSE.search(text) or "," in text:
        return ()
    return presented(reading.text[start + low : start + high] for low, high in spans)


def _headed(reading: Reading) -> tuple[str, ...]:
    """As in "Gender: Male / Female / Other", "Marital status (single, married, divorced)"."""
    text = reading.masked
    for pattern in (_HEADING, _LABEL):
        if (match := pattern.match(text)) and "\n" not in text:
            start, end = _unwrapped(reading, match.end(), len(text))
            wrapped = start > match.end()
            if wrapped or pattern is _HEADING:
                return _of_heading(reading, start, end, named=len(match.group().split()) <= _MOST_OF_LABEL)
    return ()


def _of_heading(reading: Reading, start: int, end: int, *, named: bool) -> tuple[str, ...]:
    text = without_instructions(reading.masked[start:end])
    end = start + len(text.rstrip())
    start += len(text) - len(text.lstrip())
    text = reading.masked[start:end]
    if _HARD.search(text):
        return _parted(reading, start, text, _HARD)
    if _SLASH.search(text) and "," not in text:
        return split(reading, start, end)
    found = _row(reading, start, end) if named else ()
    wrapped = reading.masked[start - 1 : start] in {"(", "["}
    figures = all(_FIGURES.match(option.lower()) for option in found)
    return found if len(found) >= _THREE and (wrapped or figures) else ()


def _unwrapped(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """Without brackets around the whole, unless it is a note."""
    match = _WRAPPED.match(reading.masked[start:end])
    if not match or not without_instructions(reading.masked[start:end]).strip():
        return start, end
    low, high = match.span("round" if match["round"] else "square")
    return start + low, start + high
