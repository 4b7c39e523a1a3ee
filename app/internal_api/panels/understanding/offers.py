"""Alternatives that a question in the shape of yes or no offers: "Do you use iOS or Android?".

"Or" offers one of what it joins. It is answered by yes or no only where it joins

* nothing: "or not";
* examples of one kind: after "a", "any", "there is", or in the plural: "Do you own a car or a bike?";
* what somebody has ever done, can do, or knows: "Have you been to Spain or Italy?";
* two bare deeds that do not exclude each other: "Would you buy or recommend it?";
* those whom it is about, and of whom nothing is compared: "Is your child or partner vegan?";
* what a quality is of: "Are you allergic to nuts or milk?".
"""

import re

from app.internal_api.panels.understanding.attitudes import names_agreement_steps
from app.internal_api.panels.understanding.contraries import exclude_each_other
from app.internal_api.panels.understanding.kinds import ADVERB, IN, INDEFINITE, WORD, kind_of, opens_tail
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading, Sentence
from app.internal_api.panels.understanding.shapes import BE, CAN, HAVE, Shape, shape_of
from app.internal_api.panels.understanding.sides import Side, Sides, sides_of

OR_NOT = re.compile(
    r" (?:or|oder|ou|o)(?: why)? (?:not|nicht|no|non|pas|nein)(?= ?(?:[?.,!;)]|\Z|to\b|at all\b|so\b|yet\b|really\b))"
    r"| or (?:isn't|don't|doesn't|won't)\b"
)
_ANY = re.compile(
    r"\b(?:ever|jemals|schon (?:ein)?mal|alguna vez|nunca ha|deja|there|anything|something|everything|nothing|anyone"
    r"|anybody"
    r"|someone|any|gibt es|hay|irgend\w+|y a-t-il|quelqu'un|alguien)\b"
)
_KNOWS = re.compile(
    r"(?:know|remember|recogni[sz]e|recall|kennen|kennst|erinnern|conoce[sn]?|recuerda[sn]?|connaissez|connais|mind"
    r"|worry)\Z"
)
_WANTS = re.compile(
    r"\b(?:like|want|take|choose|pick|get|need|go for|opt for|order|prefer|rather|given the choice|either|mochten"
    r"|wollen"
    r"|nehmen|quiere|quisiera|le gustaria|voulez|aimeriez|prendriez)\b"
)
_CHOOSES = re.compile(r"\b(?:given the choice|if you (?:could|had to) choose|either|entweder|soit)\b")
_PLURAL = re.compile(r"[a-z]{2,}(?<!ss)(?<!us)(?<!is)s")
_QUALITY = re.compile(
    r"(?:able|allergic|interested|aware|afraid|familiar|affected|involved|responsible|fond|tired|eligible|related|addicted"
    r"|worried|sensitive|satisfied|happy|pleased|employed|allergisch|interessiert|zufrieden|vertraut|alergic[oa]"
    r"|interesad[oa]|satisfech[oa]|allergique|interessee?|satisfaite?)"
)
_HAS = frozenset("have own possess keep haben besitzen tiene tienes tienen avez possedez".split())  # noqa: SIM905 - reads better
_TWO = 2
_TASTES = frozenset("like love enjoy eat keep sell offer serve grow watch".split())  # noqa: SIM905 - reads better
_DEEDS_FIRST = re.compile(r"([a-z]+en) oder ([a-z]+en) (?:sie|wir)\b")
_ARTICLE = re.compile(r"\A(?:an?|the|to) (?=\w)", re.IGNORECASE)


def deeds_first(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Kaufen oder mieten Sie?", where the subject stands behind both."""
    match = _DEEDS_FIRST.match(sentence.text)
    if not match or not exclude_each_other(match.groups()):
        return ()
    spans = (match.span(1), match.span(2))
    return presented(reading.text[sentence.start + low : sentence.start + high] for low, high in spans)


# What follows are examples of it: "streaming services like …". "Do your kids like …" has the verb.
_SUCH_AS = re.compile(r"\w+ (?:such as|including)\Z|\A(?!(?:your|our|their|the) )(?:\w+ )*?\w{3,}s like\Z")


def offered(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """What a question offers; nothing where it is to be answered by yes or no."""
    shape = shape_of(sentence.text, reading.language)
    if shape is None or not sentence.asks or OR_NOT.search(sentence.text) or names_agreement_steps(sentence.text):
        return ()
    sides = sides_of(reading.masked, sentence.start + shape.rest, sentence.end, shape)
    if sides is None or _is_answered_by_yes_or_no(sides, shape, sentence.text):
        return ()
    if _are_bare_deeds(sides, shape):
        *others, last = sides.found
        return presented(
            _text(reading, side) for side in (*(side.cut(end=1) for side in others), _bare(last, len(others)))
        )
    options = [_text(reading, side) for side in sides.found]
    bare = reading.language == "en" and (len(options) == _TWO or all(map(_ARTICLE.match, options)))
    return presented(_ARTICLE.sub("", option) if bare else option for option in options)


def _text(reading: Reading, side: Side) -> str:
    return reading.text[side.spans[0][0] : side.spans[-1][1]].rstrip("?!. ")


def _is_answered_by_yes_or_no(sides: Sides, shape: Shape, text: str) -> bool:
    """What introduces the question decides nothing, unless it says that one is to be chosen."""
    if _CHOOSES.search(text):
        return False
    if _SUCH_AS.search(" ".join(sides.before)):
        return True
    asked = text[max(0, text.rfind(", ", 0, shape.rest)) :]
    return _ANY.search(asked.rpartition(" or ")[0] or asked) is not None or _asks_whether(sides, shape, asked)


def _asks_whether(sides: Sides, shape: Shape, text: str) -> bool:
    if sides.of_subject:
        return not sides.compared
    if shape.person and shape.kind == HAVE:
        return True
    if shape.person and shape.kind == CAN and not all(_says_how(side) for side in sides.found):
        return True
    if shape.kind == BE or _are_of_quality(sides):
        return _are_of_quality(sides)
    if _are_bare_deeds(sides, shape):
        return not exclude_each_other(side.words[0] for side in sides.found)
    return not sides.deeds and _are_examples(sides, shape, text)


def _says_how(side: Side) -> bool:
    return kind_of(side.words[0]) in {IN, ADVERB}


def _are_of_quality(sides: Sides) -> bool:
    around = (*sides.before, *sides.found[-1].words[1:])
    return any(_QUALITY.fullmatch(word) for word in around)


def _are_bare_deeds(sides: Sides, shape: Shape) -> bool:
    """As in "Do you rent or own your home?": what is done stands behind the last, and so it is of all."""
    first = sides.found[0]
    if len(first.words) > 1 or _says_how(first):
        return False
    if shape.person:
        return shape.leads_to_deed and not sides.before
    return sides.deeds and len(sides.found) == _TWO and exclude_each_other(side.words[0] for side in sides.found)


def _bare(last: Side, others: int) -> Side:
    """The last deed without what is done with all; the last of a row may have its own: "… or have no opinion"."""
    if others == 1:
        return last.cut(end=1)
    return last.cut(end=next((at for at in range(1, len(last.words)) if opens_tail(last.words[at:], deed=False)), None))


def _are_examples(sides: Sides, shape: Shape, text: str) -> bool:
    """Of one kind of things, of which one or more may be there, or be known."""
    deed = sides.before[:1] if shape.leads_to_deed else (shape.verb,)
    if any(_KNOWS.search(word) for word in deed):
        return True
    first = sides.found[0].words[0]
    if first in INDEFINITE:
        return not (_WANTS.search(text) or (sides.before and kind_of(sides.before[-1]) == IN))
    if all(side.words[0].isdigit() for side in sides.found):
        return len(sides.found) == _TWO
    bare = kind_of(first) == WORD
    if bare and shape.person and any(word in _HAS for word in deed):
        return True
    return (
        bare
        and any(word in _TASTES for word in deed)
        and all(_PLURAL.fullmatch(side.words[-1]) for side in sides.found)
    )
