"""Options that one "or" joins: "Should we launch in spring or autumn?", "iPhone vs Android: which is better?"."""

import re

from app.internal_api.panels.understanding.choices import is_open
from app.internal_api.panels.understanding.lists import split
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading, Sentence

OR = re.compile(r"(?<=[^\s,;:.?!]),? (?:or|oder|ou|o|u|vs\.?|versus) (?=\S)")
OR_NOT = re.compile(r" (?:or|oder|ou|o)(?: why)? (?:not|nicht|no|non|pas|nein)\b(?!-)")
PREFERS = re.compile(
    r"\b(?:rather (?:have |buy |see |use |be |get |take |choose |pick |go with )?|makes? you feel "
    r"|prefer(?:red)? (?:to (?:have |use |buy |see )?)?"
    r"|opt for |go (?:with|for) |lean (?:towards?|to) |side with |would you (?:choose|pick|select) (?:to )?"
    r"|eher |lieber (?:mogen |haben |nehmen )?|bevorzugen sie |bevorzugst du"
    r" |prefiere[ns]? |preferirias? |preferez-vous |preferes-tu |preferiez-vous |plutot )(?=\S)"
)
WH = re.compile(
    r"\A[¿\"(]?(?:(?:and|so|now|then|overall|personally|if [^,?\n]{1,120}|when [^,?\n]{1,120}|in [^,?\n]{1,80}"
    r"|for [^,?\n]{1,80}), )?"
    r"(?:(?:in|at|on|from|to|for|with|through|by|via) )?(?:which|what|who|whom|where|when|how|welche\w?"
    r"|was(?! (?:it|this|that|the|there|your|our|his|her|he|she|an?)\b)|wer|wo|wann|wie"
    r"|cual\w*|que|quien|donde|cuando|como|quel\w*|lequel|laquelle|qui|quoi|ou|quand|comment)\b"
)
_EITHER = re.compile(
    r"\A(?:should|is|are|was|were|sollten|sollen|soll|ist|sind|deberiamos|debemos|es|devrions-nous|doit-on"
    r"|faut-il)\b|\beither\b|\bmore likely to\b"
    r"|\bentweder\b|\bsoit\b"
)
PREPOSITIONS = frozenset(
    "in on at by with from to for as im am per mit bei auf en con por au aux dans sur par avec"  # noqa: SIM905 - reads better
    " online offline alone outdoors indoors abroad".split()
)
_PLACED = PREPOSITIONS | {"the", "a", "an"}
_OPPOSITES = re.compile(
    r"\b(easy|hard|difficult|simple|good|bad|positive|negative|cheap|expensive|happy|sad|for|against|true"
    r"|false|agree|disagree"
    r"|better|worse|too \w{1,12}|cheaper|higher|lower|useful|useless|clear|unclear|confusing|fair|unfair|like"
    r"|dislike|love|hate"
    r"|leicht|schwer|gut|schlecht|teuer|gunstig|richtig|falsch|facil|dificil|bueno|malo|caro|barato|verdadero"
    r"|falso|vrai|faux"
    r"|facile|difficile|bon|mauvais) (?:or|oder|o|ou) (hard|easy|difficult|complicated|bad|good|negative"
    r"|positive|expensive"
    r"|cheap|sad|happy|against|for|false|true|disagree|agree|worse|better|too \w{1,12}|pricier|lower|higher"
    r"|useless|useful|unclear"
    r"|clear|confusing|unfair|fair|dislike|hate|schwer|leicht|schlecht|gut|gunstig|teuer|falsch|richtig"
    r"|dificil|facil|malo|bueno"
    r"|barato|caro|falso|verdadero|faux|vrai|difficile|facile|mauvais|bon)\b(?! not\b)"
)
_STEPS = re.compile(
    r"\b(more|better|higher|easier|longer|larger|bigger|stronger|faster|cheaper), (\w{3,12}),? or (?:about |roughly )?"
    r"(the same|equal|unchanged|no different)\b"
)
_GERMAN_END = re.compile(r"(?<=\w) (?:sein|werden|[a-zäöü]{4,14}en)\Z")
_ARTICLE = re.compile(r"\A(?:a|an|the) (?=\w)", re.IGNORECASE)
_MOST_WORDS_LEFT = 3


def opposites(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Was it easy or hard to use?", "True or false: …"."""
    if WH.match(sentence.text):
        return ()
    match = _OPPOSITES.search(reading.masked, sentence.start, sentence.end)
    told = sentence.asks or (match is not None and match.end() < sentence.end and reading.masked[match.end()] == ":")
    if steps := _STEPS.search(reading.masked, sentence.start, sentence.end):
        match, told = steps, True
    return presented(reading.text[slice(*span)] for span in match.regs[1:]) if match and told else ()


def either_of_two(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Which do you prefer, A, B or C?", "Would you rather A or B?", "iPhone vs Android: which is better?"."""
    masked = reading.masked
    last = max((match.start() for match in OR.finditer(masked, sentence.start, sentence.end)), default=None)
    if last is None or OR_NOT.search(masked, sentence.start, sentence.end):
        return ()
    cues = [match.end() for match in PREFERS.finditer(masked, sentence.start, last)]
    comma = masked.find(", ", sentence.start, sentence.end)
    lead = masked[sentence.start : comma] if comma > 0 else ""
    if WH.match(sentence.text) and 0 < comma <= last and not is_open(lead):
        return split(reading, max([comma, *cues]), sentence.end)
    if cues:
        return _without_articles(split(reading, cues[-1], sentence.end))
    return _versus(reading, sentence)


def _versus(reading: Reading, sentence: Sentence) -> tuple[str, ...]:
    match = re.match(
        r"([^.?!\n:,]{1,80}) (?:vs\.?|versus|or) ([^.?!\n:,]{1,80})[:,-] ?(?:which|what|who)\b", sentence.text
    )
    if not match:
        return ()
    spans = [match.span(1), match.span(2)]
    return presented(reading.text[sentence.start + low : sentence.start + high] for low, high in spans)


def asked_for(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Should we launch in spring or autumn?": what stands right before "or", as long as what stands after it."""
    masked = reading.masked
    joins = list(OR.finditer(masked, sentence.start, sentence.end))
    if len(joins) != 1 or not sentence.asks or OR_NOT.search(masked, sentence.start, sentence.end):
        return ()
    right = _GERMAN_END.sub("", reading.text[joins[0].end() : sentence.end].rstrip("?!. "))
    left = reading.text[sentence.start : joins[0].start()].split()
    if not right or not (_EITHER.search(sentence.text) or _parallel(left, right)):
        return ()
    return _without_articles(presented([" ".join(_beginning(left, right)), right]))


def _parallel(left: list[str], right: str) -> bool:
    """As in "online or in a shop" is a choice; "read or listen to it" is none."""
    first = right.split(maxsplit=1)[0].lower()
    return first in PREPOSITIONS and any(word.lower() in _PLACED for word in left[-_MOST_WORDS_LEFT - 1 :])


def _beginning(left: list[str], right: str) -> list[str]:
    words = right.split()
    for at in range(len(left) - 1, max(0, len(left) - 6), -1):
        if words[0].lower() in _PLACED and left[at].lower() in _PLACED:
            return left[at:]
        if left[at].lower() == words[0].lower():
            return left[at:]
    return left[-min(len(words), _MOST_WORDS_LEFT) :]


def _without_articles(options: tuple[str, ...]) -> tuple[str, ...]:
    return presented(_ARTICLE.sub("", option) for option in options)
