"""Questions that can be read in two ways: how one was read, and what to give to have it read the other way. Pure.

The internal API decides by the wording; here it is only seen that the wording left a choice.
"""

import re
from collections.abc import Iterator

from mcp_server.toolsets.panels._aggregation.set_phrases import TOGETHER
from mcp_server.toolsets.panels._aggregation.texts import plain
from mcp_server.toolsets.panels._results import Caveat
from mcp_server.toolsets.panels._study import AskedQuestion

LONGEST = 2_000  # characters looked at
MATERIAL = re.compile(r"\"[^\"]*\"|«[^»]*»|\([^)]*\)|\[[^\]]*\]")
ANSWERS = (frozenset({"yes", "no"}), frozenset({"ja", "nein"}), frozenset({"si", "no"}), frozenset({"oui", "non"}))
OPENS = r"(?:^|[.!?,:;]\s+|¿)"
NO_ALTERNATIVE = (
    r"(?!(?:not|no|nicht|nein|non|pas|more|less|fewer|older|younger|above|over|so|other\w*|any\w*|some\w*|mehr|weniger"
    r"|mas|plus|moins|otr\w+|autres?|andere\w*)\b)"
)
REST = r"[^?.!;:]{0,160}"
OR = rf"(?P<first>[a-z'-]+),? (?:or|oder|ou|o|u) {NO_ALTERNATIVE}(?P<last>[a-z'-]+){REST}\?"
EITHER = re.compile(
    rf"{OPENS}(?:(?P<be>is|are|was|were)|do|does|did|would|will|have|has|had|can|could|should) {REST}?{OR}"
    rf"|{OPENS}(?!(?:wie|was|wer|wo|wann|warum|welche\w*) )[a-z]+ (?:sie|du|ihr) {REST}?"
    rf"{OR.replace('<first>', '<first2>').replace('<last>', '<last2>')}"
    rf"|¿(?!(?:que|cual|cuales|como|cuando|donde|quien|por|cuanto\w*) ){REST}?"
    rf"{OR.replace('<first>', '<first3>').replace('<last>', '<last3>')}"
    rf"|(?:-(?:vous|tu)|\best-ce que (?:vous|tu)) {REST}?"
    rf"{OR.replace('<first>', '<first4>').replace('<last>', '<last4>')}"
)
CHOOSES = re.compile(
    r"\b(?:prefer|rather|choose|pick|which|yes or no|lieber|eher|bevorzug\w+|welche\w*|prefier\w+|preferez|plutot)\b"
)
LISTED = re.compile(
    r"[?:]\s+[^?.!:,]{1,40}(?:, [^?.!:,]{1,40}){1,20}(?:,? (?:or|oder|o|ou) [^?.!:,]{1,40}|, [^?.!:,]{1,40})[?.!]?\s*$"
)


def reading_caveats(asked: AskedQuestion) -> list[Caveat]:
    """What was decided where the question left a choice, and how to decide otherwise."""
    return [Caveat(code="note", message=message) for message in _notes(asked, _folded(asked.text))]


def _notes(asked: AskedQuestion, text: str) -> Iterator[str]:
    options = [" ".join(plain(option).split()) for option in asked.options]
    either = None if CHOOSES.search(text) else EITHER.search(text)
    if asked.type == "categorical" and either and not _one_thing(either):
        if frozenset(options) in ANSWERS:
            yield (
                '"Or" was taken to join examples, and the question to ask for yes or no. To have one of them chosen, '
                'give them as options (questionType "categorical").'
            )
        elif options and not either["be"] and all(option in text for option in options):
            named = " or ".join(f'"{option}"' for option in asked.options)
            yield f'The question was taken as a choice: {named}. If it asks for yes or no, give options ["Yes", "No"].'
    if asked.type == "qualitative" and LISTED.search(text):
        yield (
            "The question was taken as an open one, though it lists answers. To have them counted, give them as "
            'options (questionType "categorical" or "multiselect").'
        )


def _one_thing(either: re.Match[str]) -> bool:
    """As in "to a friend or colleague"."""
    words = (
        [word for word in either.groups()[1:] if word] if either["be"] else [word for word in either.groups() if word]
    )
    return " ".join(word.removesuffix("s") for word in words) in TOGETHER


def _folded(question: str) -> str:
    return " ".join(MATERIAL.sub(" ", plain(question[:LONGEST])).split())
