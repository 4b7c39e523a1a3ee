"""Options beside a note that several may be chosen: "(Select all that apply) Cash; Card", "Mehrfachauswahl: …"."""

import re

from app.internal_api.panels.understanding.lists import split
from app.internal_api.panels.understanding.reading import Reading, Sentence

_NOTE = re.compile(
    r"(?:\A|(?<=[\[(.?!:,;\n-])|(?<=[.?!:,;-] )|(?<=\s)(?=[\[(]))[\[(]?"
    r"(?:(?P<noun>mehrfach(?:auswahl|nennung|antwort)(?:en)?(?: (?:sind |ist )?(?:moglich|erlaubt|zulassig))?"
    r"|mehrere (?:antworten|nennungen|angaben) (?:sind )?(?:moglich|erlaubt|zulassig)"
    r"|(?:multiple|several) (?:answers|choices|responses|selections) (?:are )?(?:possible|allowed|permitted))"
    r"|(?:bitte )?kreuzen sie (?:bitte )?alles an,? was (?:auf sie )?zutrifft"
    r"|(?:please )?(?:select|tick|check|mark|choose|pick) (?:all|any|everything)(?: of (?:these|the following))?"
    r" (?:that|which) appl(?:y|ies)(?: to you)?)"
    r"(?:(?:,? (?:max(?:imum|imal)?\.?|hochstens|bis zu|up to|at most) \w{1,8}(?: [\w ]{1,30})?)?"
    r"(?P<end> ?[)\]] ?[:.]?|\.?[)\]]|:|\.|\n|\Z)"
    r"|(?(noun) (?=\w)(?!moglich|erlaubt|zulassig|sind |ist |max|bis zu|hochst|up to|at most)|(?!)))\s*"
)
_PROSE = re.compile(
    r"\b(?:we|you|your|they|is|are|was|will|would|please|thanks?|then|this|that|these"
    r"|wir|sie|ihre?n?|ist|sind|wird|werden|nicht|bitte|danke|vielen)\b"
)
_INSIDE = re.compile(r"[.!?] \S|\?|\n")
_MOST_WORDS = 6


def noted(reading: Reading) -> tuple[str, ...]:
    """The list behind the note; where nothing stands behind it, the one between the question and the note."""
    for note in _NOTE.finditer(reading.masked):
        if note.end() == len(reading.masked):
            start = max((sentence.end for sentence in reading.sentences if _asks_before(sentence, note)), default=-1)
            return _listed(reading, start, note.start(), sure=False) if start >= 0 else ()
        end = next((sentence.end for sentence in reading.sentences if sentence.end > note.end()), note.end())
        if found := _listed(reading, note.end(), end, sure=note[0].rstrip().endswith(":")):
            return found
    return ()


def _asks_before(sentence: Sentence, note: re.Match[str]) -> bool:
    return sentence.asks and sentence.end <= note.start()


def _listed(reading: Reading, start: int, end: int, *, sure: bool) -> tuple[str, ...]:
    """Nothing where it is another question, or reads as a sentence with a comma in it."""
    text = reading.masked[start:end].strip()
    if _INSIDE.search(text) or not (sure or ";" in text or not _PROSE.search(text)):
        return ()
    found = split(reading, start, end)
    return found if sure or all(len(option.split()) <= _MOST_WORDS for option in found) else ()
