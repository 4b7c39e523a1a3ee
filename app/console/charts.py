"""Charts as SVG, with their figures as text for those who do not see them. Pure; `style.css` has the colors.

Reports are drawn by the typesetter of their PDF, which knows no SVG of ours, so that nothing is shared with them.
"""

from collections.abc import Sequence

from markupsafe import Markup

HEIGHT, TOP, BOTTOM = 100, 14, 16
WIDTH = 288
MOST_COLUMNS = 12
GAP = 0.2  # of a column's place

BAR = Markup(
    '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img"><title>{title}</title>'
    '<rect class="track" width="100" height="10"/><rect class="fill" width="{width}" height="10"/>{whisker}</svg>'
)
WHISKER = Markup('<path class="halo" d="{ends}"/><path class="whisker" d="{ends}"/>')  # seen on the bar and beside it
CHART = Markup(
    '<svg class="columns" viewBox="0 0 {width} {height}" role="img"><title>{title}</title><desc>{desc}</desc>'
    '<path class="axis" d="M0 {base}H{width}"/>{columns}</svg>'
)
COLUMN = Markup(
    '<rect class="fill" x="{x}" y="{y}" width="{width}" height="{height}"/>'
    '<text x="{middle}" y="{above}">{count}</text><text class="soft" x="{middle}" y="{below}">{label}</text>'
)


def bar(title: str, share: float, interval: tuple[float, float] | None = None) -> Markup:
    """A bar from 0 to 1, with a whisker from one end of the interval to the other."""
    low, high = (_percent(end) for end in interval or (0, 0))
    whisker = WHISKER.format(ends=f"M{low} 5H{high}M{low} 2V8M{high} 2V8") if interval else Markup()
    return BAR.format(title=isolated(title), width=_percent(share), whisker=whisker)


def columns(title: str, counts: Sequence[tuple[str, int]]) -> Markup:
    """A column for each value, with its count above it and the value below."""
    most, place = max((count for _, count in counts), default=0) or 1, WIDTH / max(1, len(counts))
    base, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    drawn = Markup().join(
        COLUMN.format(
            x=_short(place * (at + GAP / 2)),
            y=_short(base - room * count / most),
            width=_short(place * (1 - GAP)),
            height=_short(room * count / most),
            middle=_short(place * (at + 0.5)),
            above=_short(base - room * count / most - 3),
            below=HEIGHT - 3,
            count=count or "",
            label=label,
        )
        for at, (label, count) in enumerate(counts)
    )
    desc = ", ".join(f"{label}: {count}" for label, count in counts)
    return CHART.format(title=isolated(title), desc=desc, width=WIDTH, height=HEIGHT, base=base, columns=drawn)


def points(span: Sequence[int], counts: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """How often each point of a scale was given, or each range of points where there are many."""
    (low, high), given = span, [(float(value), count) for value, count in counts]
    size = -(-(high - low + 1) // MOST_COLUMNS)
    found = []
    for start in range(low, high + 1, size):
        end = min(start + size, high + 1)
        label = str(start) if end == start + 1 else f"{start}\u2013{end - 1}"
        found.append((label, sum(count for value, count in given if start <= value < end)))
    return found


def placed(value: float, low: float, high: float) -> float:
    """Where a value stands between two ends, from 0 to 1."""
    return (value - low) / (high - low) if high > low else 0.0


def isolated(text: str) -> str:
    """The text as one that turns nothing else round where no element can stand, such as in a title."""
    return f"\u2068{text}\u2069"


def _percent(share: float) -> str:
    return _short(100 * min(1.0, max(0.0, share)))


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
