"""Notes on how to answer, which are no options: "(select all that apply)", "Please choose one:"."""

import re

_WORDS = (
    r"select|choose|pick|tick|check|mark|circle|multiple|several|all that appl(?:y|ies)|as many|one (?:answer|option"
    r"|only)"
    r"|only one|up to|max(?:imum|imal)?\.? (?:of )?\w|at most|optional|required|please specify|specify|rank|wahlen"
    r"|mehrfach\w*|mehrere"
    r"|kreuzen|ankreuzen|zutreffende?s?|eine antwort|bis zu|hochstens|bitte|puede (?:elegir|seleccionar|marcar)"
    r"|elija|elige"
    r"|seleccion\w+|marque|marca|varias|multiples|una (?:sola )?(?:opcion|respuesta)|hasta|como maximo|especifique"
    r"|plusieurs"
    r"|choisi\w+|cochez|selectionne\w*|une seule|reponses? possibles?|jusqu'a|au maximum|precisez|preciser"
)
_IN_BRACKETS = re.compile(rf" ?[(\[](?:please |bitte |por favor,? )?(?:{_WORDS})[^()\[\]\n]{{0,80}}[)\]] ?[.:]?")
_LEADS = re.compile(
    rf"\s*(?:(?:please |bitte |por favor,? |veuillez )?(?:{_WORDS})[^\n?:.;,|/]{{0,70}}(?:, (?:die|was|was auf sie)"
    r"[^\n?:.;,|/]{1,30})?[.:\n]"
    r"|(?:answer |response |possible |antwort|mogliche )?(?:options|answers|choices|antworten|auswahl|opciones"
    r"|respuestas"
    r"|reponses|choix) ?:)\s*"
)
_TRAILS = re.compile(
    rf"(?:(?<=[.?!)\]]) |\n)(?:please |bitte |por favor,? )?(?:{_WORDS})[^\n?:,|/]{{0,70}}\s*\Z"
    r"|[.?!;,]? (?:and |und |y |et )?(?:why|warum|wieso|por que|pourquoi)(?: or why not| not| so)?\s*\?\s*\Z"
    r"|[.?!;,]? (?:please |bitte )?(?:explain|tell us|give|begrunde\w*)\b[^\n?|/]{0,70}\Z"
)


def without_instructions(text: str) -> str:
    """The same length, blanks in place of notes; `text` is lower case without accents."""
    bare = _IN_BRACKETS.sub(_blank, text)
    while match := _LEADS.match(bare, len(bare) - len(bare.lstrip())):
        if match.end() >= len(bare):
            break
        bare = " " * match.end() + bare[match.end() :]
    return _TRAILS.sub(_blank, bare)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
