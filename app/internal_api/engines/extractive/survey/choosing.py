"""Which point of a scale or which options a persona chooses, from what it knows and how it is inclined."""

from collections.abc import Sequence

from app.internal_api.engines.engine import Persona, SurveyQuestion
from app.internal_api.engines.extractive.survey.backing import Backed, back
from app.internal_api.engines.extractive.survey.disposition import draw
from app.internal_api.engines.extractive.survey.material import Material
from app.internal_api.engines.extractive.terms import tokens
from app.internal_api.engines.sentiment import sentiment_of

SEPARATOR = "; "
_STEP = 0.25  # so much of an option's support may be a matter of taste
_FEW = 3
_LONG_OPTION = 5
_NO = frozenset({"no", "non", "nein"})
_KEEPS_UP = 0.3  # of the best option's support


def point(scale: tuple[int, int], leaning: float) -> int:
    """The point of the scale at which a leaning lies; each point has the same share of the range."""
    low, high = scale
    points = high - low + 1
    return low + max(0, min(points - 1, int((leaning + 1) / 2 * points)))


def takes_sides(options: Sequence[str], language: str) -> bool:
    """Whether the options are steps between no and yes."""
    values = [_favour(option, language) for option in options]
    short = all(len(option.split()) <= _LONG_OPTION for option in options)
    return short and min(values) < 0 < max(values) and 2 * sum(map(bool, values)) >= len(values)


def side(options: Sequence[str], leaning: float, language: str) -> str:
    """The option that lies at the leaning when they are ordered from no to yes."""
    ordered = sorted(options, key=lambda option: _favour(option, language))
    return ordered[point((0, len(ordered) - 1), leaning)]


def _favour(option: str, language: str) -> float:
    """A bare no is against it in every language, though in a sentence it may only turn another word round."""
    return -1.0 if tokens(option) and _NO.issuperset(tokens(option)) else sentiment_of(option, language)


def ranked(persona: Persona, asked: SurveyQuestion, material: Material) -> list[Backed]:
    """The options with what the knowledge says for them, best first; taste decides among equals."""
    backed = back(asked.options, material)
    return sorted(backed, key=lambda each: -(each.support + _STEP * draw(persona, asked.text, each.option)))


def several(persona: Persona, asked: SurveyQuestion, material: Material) -> list[Backed]:
    """What the knowledge speaks for, else a few to the persona's taste, in the order in which they are offered."""
    order = ranked(persona, asked, material)
    most = min(asked.most or len(order), len(order))
    least = _KEEPS_UP * order[0].support
    count = sum(each.support > 0 and each.support >= least for each in order)
    if not count:
        free = sum(each.support == 0 for each in order)
        count = 1 + int(draw(persona, asked.text, "how many") * min(most, free or 1, _FEW))
    chosen = order[: min(count, most)]
    while _misread([each.option for each in chosen], asked.options):
        chosen = chosen[:-1]
    return sorted(chosen, key=lambda each: asked.options.index(each.option))


def _misread(chosen: Sequence[str], options: Sequence[str]) -> bool:
    """Whether the joined choice names others to who reads the longest option first: `a` and `b` beside `a; b`."""
    ordered = [option for option in options if option in chosen]
    rest = SEPARATOR.join(ordered)
    for expected in ordered:
        fitting = [option for option in options if rest == option or rest.startswith(f"{option}{SEPARATOR}")]
        if max(fitting, key=len) != expected:
            return len(chosen) > 1
        rest = rest[len(expected) + len(SEPARATOR) :]
    return False
