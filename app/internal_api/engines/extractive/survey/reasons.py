"""The reason that comes before the value: quotations, where they end, and what the persona makes of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.internal_api.engines.engine import Persona
from app.internal_api.engines.extractive.sentences import shorten
from app.internal_api.engines.extractive.survey.aims import Aim
from app.internal_api.engines.extractive.survey.disposition import draw
from app.internal_api.engines.extractive.survey.material import MOST_QUOTED, Material
from app.internal_api.engines.extractive.survey.phrases import Phrases, phrases_for
from app.internal_api.engines.extractive.survey.statements import Statement
from app.internal_api.engines.extractive.survey.weighing import personal
from app.internal_api.engines.extractive.terms import fold
from app.internal_api.engines.extractive.wordings import wording_for

CONCISE = (5, 20)
STANDARD = (25, 90)
EXPANDED = (70, 180)
LENGTHS = {"concise": CONCISE, "standard": STANDARD, "expanded": EXPANDED}
_WHY = 60  # words of quotation before a value
_LONGEST_DESCRIPTION = 240
_LONGEST_FIELD = 100
_UNSAID = "Created via API"
_CLEAR = 0.15  # from here knowledge takes a side
_KEEPS_UP = 0.4  # of the best statement's worth
_LEAD = 8  # words before a quotation
_SPOKEN = ".!?…:;"

Reason = tuple[str, tuple[Statement, ...]]  # the words, and the statements that they quote


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks on what, and in which words."""

    persona: Persona
    material: Material
    phrases: Phrases

    def pick(self, options: Sequence[str]) -> str:
        """One of several wordings; this persona always takes the same for this question."""
        return options[int(draw(self.persona, self.material.question.text, *options) * len(options))]


def speaker(persona: Persona, material: Material) -> Speaker:
    """The persona with the words of the question's language."""
    return Speaker(persona, material, phrases_for(material.question.answer_in))


def stand(who: Speaker, leaning: float, *, decided: bool) -> Reason:
    """The reason for a value between against and in favour; `decided` when its answers leave no middle."""
    grounds, quoted = _grounds(who, _agreeing(who))
    inquiry = who.material.inquiry
    stances = who.phrases.burdens if inquiry.bad else who.phrases.stances
    stances = who.phrases.weights if inquiry.aim is Aim.WEIGH else stances
    steps = [step for number, step in enumerate(stances) if not decided or number != len(stances) // 2]
    stance = who.pick(steps[min(len(steps) - 1, int((leaning + 1) / 2 * len(steps)))])
    valence = who.material.valence
    against_it = valence * leaning < 0 and min(abs(valence), abs(leaning)) > _CLEAR
    return " ".join([*grounds, *([who.phrases.otherwise] if against_it else []), stance]), quoted


def choice(who: Speaker, chosen: Sequence[str], backing: Iterable[Statement], *, clear: bool) -> Reason:
    """The reason for options: the statements that speak for them, clearly or by coming near, or a matter of taste."""
    backed = list(dict.fromkeys(backing))
    # Where every statement answers, for want of a subject, none of them tells why it is this option.
    near = who.material.statements[:1] if who.material.inquiry.subject else ()
    grounds, quoted = _grounds(who, backed or near)
    phrases = who.phrases
    ending = who.pick(phrases.picks if clear else phrases.nearest) if backed and quoted else phrases.inclined
    named = [who.phrases.option.replace("{option}", option) for option in chosen]
    return " ".join([*grounds, ending.replace("{choice}", _listed(named, who))]), quoted


def opinion(who: Speaker, form: str) -> Reason:
    """An open answer of the length that is wanted, and the statements that are quoted."""
    fewest, most = LENGTHS.get(form, STANDARD)
    statements = who.material.statements
    best = weighty(statements)
    enough = best if _length(each.quoted for each in best) >= fewest else statements
    if enough:
        return _told(who, enough, most, plainly=form == "concise")
    if who.material.touched:
        return who.pick(who.phrases.beside), ()
    said = [who.pick(who.phrases.silent)]
    for further in [*_self(who), who.phrases.more]:
        if _length(said) < fewest and _length([*said, further]) <= most:
            said = [*said, further]
    return " ".join(said), ()


def _agreeing(who: Speaker) -> Sequence[Statement]:
    """The weighty statements; where they come to a clear view, without those that speak against it."""
    valence = who.material.valence
    best = weighty(who.material.statements)
    if abs(valence) <= _CLEAR or who.material.inquiry.aim is Aim.WEIGH:
        return best
    return [each for each in best if each.sentiment * valence >= 0] or best


def weighty(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Those that keep up with the best, which comes first."""
    return [each for each in statements if each.worth >= _KEEPS_UP * statements[0].worth]


def _grounds(who: Speaker, statements: Sequence[Statement]) -> tuple[list[str], tuple[Statement, ...]]:
    """What the reason rests on: quotations, or that there is none and who speaks instead."""
    if not statements:
        return [who.pick(who.phrases.blank), *_self(who)[:1]], ()
    told, quoted = _told(who, statements[:MOST_QUOTED], _WHY)
    return [told], quoted


def _told(who: Speaker, statements: Sequence[Statement], most: int, *, plainly: bool = False) -> Reason:
    """As many of the best statements as fit, in the order in which they are written, own ones before attached ones."""
    quoted: list[Statement] = []
    for each in statements:
        if _length(_texts([*quoted, each])) + (0 if plainly else _LEAD) <= most:
            quoted.append(each)
    quoted = quoted or list(statements[:1])
    own = [each for each in quoted if who.material.owns(each.unit)]
    rest = [each for each in quoted if not who.material.owns(each.unit)]
    parts: list[str] = []
    for group, leads in ((own, who.phrases.knows), (rest, who.phrases.attached)):
        texts = _texts(group)
        if texts and not plainly and not (group is own and _tells_of_self(who, own)):
            parts.append(who.pick(leads))
        parts += texts
    said = " ".join(parts)
    return (said if len(said.split()) <= most else _cut(said, most)), tuple(quoted)


def _tells_of_self(who: Speaker, quoted: Sequence[Statement]) -> bool:
    """Whether the passages are the persona's own account, which it does not need to introduce."""
    told = {each.unit.passage for each in quoted}
    return any(personal(each.unit.text) for each in who.material.every if each.unit.passage in told)


def _listed(names: Sequence[str], who: Speaker) -> str:
    joint = wording_for(who.material.question.answer_in).and_
    return f" {joint} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _texts(statements: Iterable[Statement]) -> list[str]:
    units = {unit: None for each in statements for unit in (each.opening, each.unit) if unit is not None}
    ordered = sorted(units, key=lambda unit: (unit.passage, unit.position))
    return [_ended(unit.text) for unit in ordered]


def _self(who: Speaker) -> list[str]:
    """Who speaks, as far as that was said."""
    described = fold(who.persona.description)
    field = fold(who.persona.discipline or "")
    told = []
    # A client that knows no field of a persona gives its name, and nobody's field is their own name.
    if field not in {"", fold(who.persona.name)} and len(field) <= _LONGEST_FIELD and "[[" not in field:
        told.append(who.phrases.field.replace("{field}", field))
    if described and described != _UNSAID and "[[" not in described:
        text = who.phrases.described.replace("{description}", shorten(described, _LONGEST_DESCRIPTION))
        told.append(_ended(text))
    return told


def _ended(text: str) -> str:
    return text if text.endswith(tuple(_SPOKEN)) else f"{text}."


def _cut(text: str, words: int) -> str:
    return f"{' '.join(text.split()[:words]).rstrip(' ,;:.')}…"


def _length(parts: Iterable[str]) -> int:
    return sum(len(part.split()) for part in parts)
