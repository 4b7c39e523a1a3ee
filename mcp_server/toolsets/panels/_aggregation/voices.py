"""Single voices: those that see it otherwise than their group, and the strongest of all. Pure."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, usable
from mcp_server.toolsets.panels._aggregation.numbers import written
from mcp_server.toolsets.panels._aggregation.phrases import figure
from mcp_server.toolsets.panels._aggregation.quoting import opening
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._aggregation.summaries import numbers
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Quote, Voice

MOST_VOICES, MOST_QUOTES = 8, 4
LEAST = 3
"""Answers that a group must have before somebody can stand against it."""

DEVIATIONS, FROM_OTHERS = 1.5, 2.0
"""Standard deviations of the group, and of the group without the one who stands apart: either is enough."""

POINTS, PART = 2.0, 0.2
SELDOM, MOSTLY, NEARLY_ALL = 0.2, 0.6, 0.75
CLEARLY = 0.2
"""Sentiment from which somebody is in favour or against."""

Dissent = tuple[float, Entry, str]


def dissent(gathered: Gathered) -> list[Voice]:
    """All who are far from their group, the farthest first, each persona once."""
    find = {"scale": _far, "qualitative": _alone}.get(gathered.asked.type, _against_most)
    answered = gathered.answered().items()
    found = [one for name, entries in answered if len(entries) >= LEAST for one in find(name, entries, gathered)]
    voices: dict[Who, Voice] = {}
    for _, entry, reason in sorted(found, key=lambda one: -one[0]):
        voices.setdefault(entry.who, _voice(entry, reason))
    return list(voices.values())


def _voice(entry: Entry, reason: str) -> Voice:
    reply = entry.reply
    quote = opening(reply.message) or None
    return Voice(persona=reply.persona, group=reply.group, value=_value(entry), quote=quote, reason=reason)


def _value(entry: Entry) -> str:
    return written(entry.number) if entry.number is not None else "; ".join(entry.choices) or "none of these"


def _far(group: str, entries: Sequence[Entry], gathered: Gathered) -> Iterator[Dissent]:
    """Standard deviations and 2 points (a fifth of a long scale) off, or at the other end."""
    given = numbers(entries)
    scale, mean, sd = ends(gathered.asked.scale), fmean(given), stdev(given)
    least = max(POINTS, PART * (scale[1] - scale[0])) if scale else POINTS
    for entry, number in zip(entries, given, strict=True):
        apart = abs(number - mean)
        deviates = apart >= min(DEVIATIONS * sd, FROM_OTHERS * _without(apart, sd, len(given)))
        if (deviates and apart >= least) or _at_the_other_end(number, mean, scale):
            yield apart, entry, f"{group} give {figure(mean)} on average"


def _without(apart: float, sd: float, n: int) -> float:
    """The standard deviation of the others, without the number that lies `apart` from the mean of all `n`.

    A single voice widens the spread of a small group so far that it would always lie within.
    """
    squares = (n - 1) * sd**2 - apart**2 * n / (n - 1)
    return sqrt(max(0.0, squares) / (n - 2))


def _at_the_other_end(number: float, mean: float, scale: tuple[int, int] | None) -> bool:
    if scale is None or scale[0] == scale[1]:
        return False
    third = (scale[1] - scale[0]) / 3
    return (number == scale[0] and mean >= scale[1] - third) or (number == scale[1] and mean <= scale[0] + third)


def _against_most(group: str, entries: Sequence[Entry], gathered: Gathered) -> Iterator[Dissent]:
    """Whoever chose only what few chose, where most chose something else; alone in a small group, too."""
    often = Counter(choice for entry in entries for choice in entry.choices)
    shares = {option: often[option] / len(entries) for option in gathered.options}
    most = max(shares, key=lambda option: shares[option], default=None)
    if most is None or shares[most] < MOSTLY:
        return
    for entry in entries:
        own = max((shares[choice] for choice in entry.choices), default=0.0)
        alone = own * len(entries) <= 1 and shares[most] >= NEARLY_ALL
        if entry.choices and (own <= SELDOM or alone):
            yield shares[most] - own, entry, f"{percent(shares[most])} of {group} chose {most}"


def _alone(group: str, entries: Sequence[Entry], gathered: Gathered) -> Iterator[Dissent]:
    """Whoever is alone with a theme and, where sentiment is told, of another mind than most of the group."""
    everyone = usable(gathered.everyone)
    often = Counter(theme for entry in everyone for theme in entry.choices)
    told = [entry.reply.sentiment for entry in entries if entry.reply.sentiment is not None]
    mood = fmean(told) if told else None
    for entry in entries:
        own = [theme for theme in entry.choices if often[theme] == 1]
        if not own:
            continue
        if mood is None:
            if len(own) == len(entry.choices) and max(often.values()) >= LEAST:
                yield 0.0, entry, f"nobody else speaks of {own[0]}"
        elif _opposed(entry.reply.sentiment, told, mood):
            yield abs((entry.reply.sentiment or 0) - mood), entry, _opposition(own[0], group, mood)


def _opposed(sentiment: float | None, told: Sequence[float], mood: float) -> bool:
    """Clearly on one side, while more than half of the group are clearly on the other."""
    if sentiment is None or abs(sentiment) < CLEARLY or sentiment * mood >= 0:
        return False
    other_side = [one for one in told if abs(one) >= CLEARLY and one * sentiment < 0]
    return len(other_side) > len(told) / 2


def _opposition(theme: str, group: str, mood: float) -> str:
    side = "in favour" if mood > 0 else "against"
    return f"nobody else speaks of {theme}, and most of {group} are {side} (mean sentiment {figure(mood)})"


def strongest(gathered: Gathered) -> list[Quote]:
    """Two to four voices: from different groups and sides first, and of these the farthest out."""
    strength, side = _measures(gathered)
    left = {place: entry for place, entry in enumerate(usable(gathered.everyone)) if entry.reply.message.strip()}
    groups, sides = Counter[str](), Counter[str]()
    quotes: list[Quote] = []

    def rank(entry: Entry) -> tuple[int, int, float]:
        return groups[entry.reply.group], sides[side(entry)], -strength(entry)

    while left and len(quotes) < MOST_QUOTES:
        place = min(left, key=lambda one: rank(left[one]))
        entry = left.pop(place)
        if text := opening(entry.reply.message):
            groups[entry.reply.group] += 1
            sides[side(entry)] += 1
            quotes.append(Quote(persona=entry.reply.persona, group=entry.reply.group, text=text))
    return quotes


def _measures(gathered: Gathered) -> tuple[Callable[[Entry], float], Callable[[Entry], str]]:
    """How strong a voice is, and on which side."""
    given = numbers(usable(gathered.everyone))
    if given:
        mean = fmean(given)
        return lambda entry: abs(_number(entry) - mean), lambda entry: str(_number(entry) > mean)
    return lambda entry: abs(entry.reply.sentiment or 0.0), _mood


def _number(entry: Entry) -> float:
    return entry.number if entry.number is not None else 0.0


def _mood(entry: Entry) -> str:
    sentiment = entry.reply.sentiment
    return next(iter(entry.choices), "") if sentiment is None else str(sentiment > 0)
