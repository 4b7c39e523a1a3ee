"""Forms of a question whose figures are not what they seem: rankings, and scales that run the other way. Pure."""

import re
from collections.abc import Mapping
from typing import Literal

from mcp_server.toolsets.panels._aggregation.texts import plain
from mcp_server.toolsets.panels._results import Caveat
from mcp_server.toolsets.panels._study import QuestionType

LONGEST = 2_000
"""Characters looked at."""

Direction = Literal["low_is_good", "told_downwards"]

START = r"(?:^|[.!?:;,]\s+)(?:(?:please|now|bitte|and|then|how would you|could you|can you)\s+)*"
RANKING = re.compile(
    rf"{START}rank\b(?!ing| and file)"
    rf"|{START}(?:order|sort|arrange|prioriti[sz]e) (?:the|these|those|them|our|your|all|following)\b"
    rf"|{START}(?:put|place|sort|arrange|list) [^.?!:]*?\b(?:in|into) (?:the |an? |your )?(?:\w+ )?(?:order|ranking)\b"
    rf"|{START}(?:order|sort|arrange) [^.?!:]*?\b(?:by|according to|from (?:most|least|best|worst|highest|lowest))\b"
    rf"|{START}(?:ordnen|sortieren|reihen|ordne|sortiere) (?:sie )?(?![^.?!:]*\bzu\b)"
    r"|\bin eine (?:\w+ )?(?:reihenfolge|rangfolge|rangordnung)\b"
    r"|\bnach (?:\w+ )?(?:wichtigkeit|prioritat) (?:ordnen|sortieren)"
    rf"|{START}(?:classez|ordonnez|triez|ordene|ordena|clasifique|clasifica)\b"
)

LOW = r"(?<![\d.,-])(?<!option )(?<!version )(?<!variant )(?<!plan )(?<!number )[01](?![\d.,]*\d)"
HIGH = r"(?<![\d.,-])(?:[2-9]|[1-9]\d{1,2})(?![\d.,]*\d)"
MEANS = (
    r"\s*(?:[=:(\u2013-]\s*|(?:is|being|means|meaning|stands for|for|as|ist|bedeutet|heisst|steht fur|signifie"
    r"|est|es|significa)\s+)(?:(?:the|a|an|your|der|die|das|le|la|el|lo)\s+)?"
)
DEGREE = r"(?:very|extremely|completely|totally|fully|most|absolutely|sehr|vollig|voll|am|tres|tout a fait|muy)\s+"
GOOD = (
    rf"(?:best(?:e[rs]?n?)?|{DEGREE}(?:good|happy|satisfied|likely|important|easy|useful|clear|positive|gut|zufrieden"
    r"|wahrscheinlich|wichtig|besten|bien|satisfaits?|satisfecho|bueno|bon)|excellent|perfect|outstanding|top|highest"
    r"|strongly agree|agree (?:strongly|completely)|most (?:important|likely|satisfied)|ausgezeichnet|hervorragend"
    r"|stimme (?:voll|vollig|ganz)|meilleure?|mejor|gut|good)\b(?! or worse)"
)
BAD = (
    rf"(?:worst|schlechteste?[rn]?|{DEGREE}(?:bad|poor|unhappy|dissatisfied|unlikely|schlecht|unzufrieden)|terrible|awful"
    r"|poor|bad|lowest|strongly disagree|insufficient|ungenugend|mangelhaft|schlecht|pire|peor)\b"
)
LOW_IS_GOOD = re.compile(rf"{LOW}{MEANS}{GOOD}|\bbest(?: grade| mark| score)?\s*(?:=|is|being)\s*{LOW}|\bschulnoten?\b")
HIGH_IS_GOOD = re.compile(rf"{HIGH}{MEANS}{GOOD}|{LOW}{MEANS}{BAD}")
HIGH_IS_BAD = re.compile(rf"{HIGH}{MEANS}{BAD}")
DOWNWARDS = re.compile(
    r"\b(?:scale|skala|echelle|escala)\s+(?:of|from|von|de|du)?\s*(\d{1,3})(?:\s*\([^)]*\))?[^?.!\d]{0,20}?"
    r"\s*(?:to|down to|-|\u2013|bis|a|hasta)\s*(-?\d{1,3})\b"
    r"|\b(?:from|von|de)\s+(\d{1,3})\s*\([^)]*\)[^?.!\d]{0,20}?\b(?:to|down to|bis|a|hasta)\s+(-?\d{1,3})\b"
)


def direction(question: str) -> Direction | None:
    """Which way the question's scale runs, where that is not from a low figure, which is bad, up to a high one."""
    text = _folded(question)
    if LOW_IS_GOOD.search(text) and not HIGH_IS_GOOD.search(text):
        return "low_is_good"
    if HIGH_IS_BAD.search(text) and not HIGH_IS_GOOD.search(text):
        return "low_is_good"
    for found in DOWNWARDS.finditer(text):
        first, last = (found[1], found[2]) if found[1] else (found[3], found[4])
        if int(first) > int(last):
            return "told_downwards"
    return None


def low_is_good(question: str) -> str:
    """What a sentence about high and low must add on a scale that runs the other way."""
    return ", where a low figure is the good one" if direction(question) == "low_is_good" else ""


def form_caveats(question: str, kind: QuestionType) -> list[Caveat]:
    """What the form of the question makes of the figures."""
    found = []
    if ranking := RANKING.search(_folded(question)):
        found.append(Caveat(code="ranking", message=_about_ranking(ranking[0].strip(" .,:;!?"), kind)))
    if told := direction(question):
        found.append(Caveat(code="reversed_scale", message=REVERSED[told]))
    return found


REVERSED: Mapping[Direction, str] = {
    "low_is_good": (
        "On this scale a low figure is the good one: a mean below the middle is a good mark. Ask from 1 (worst) up "
        "to be read without this note."
    ),
    "told_downwards": (
        "The scale was told from its high end down: some may have taken the low end for the good one. The figures are "
        'as given. Ask "from 1 (worst) to 10 (best)".'
    ),
}
COUNTED: Mapping[QuestionType, str] = {
    "categorical": "each persona named the one that it puts first",
    "scale": "each persona gave one figure",
}


def _about_ranking(words: str, kind: QuestionType) -> str:
    counted = COUNTED.get(kind, "what was named counts, in whatever order")
    return (
        f'"{words}" asks for a ranking, which is not counted: {counted}. Ask "Which matters most?", or have each of '
        "them rated."
    )


def _folded(question: str) -> str:
    return " ".join(plain(question[:LONGEST]).split())
