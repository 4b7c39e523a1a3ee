"""Themes as the result of a question shows them: how many name each, in which groups, and in whose words. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from app.internal_api.models.outputs import ThemeOutput
from app.internal_api.panels.codebook import Theme, key
from app.internal_api.store.questions import Answer

LONGEST_QUOTE = 300


def voices(answers: Iterable[Answer]) -> list[Answer]:
    """One answer of each mind: who is in two groups answered once, and is one voice among all."""
    return [*{answer.mind_id: answer for answer in reversed([*answers])}.values()][::-1]


def themes_shown(found: Sequence[Theme], named: Sequence[tuple[Answer, Sequence[str]]]) -> list[ThemeOutput]:
    """`named` is every answer with its labels; groups of one name are counted together."""
    by_group: dict[str, Counter[str]] = {}
    quotes: dict[str, str] = {}
    for answer, labels in named:
        for theme in {key(label): None for label in labels}:
            by_group.setdefault(theme, Counter())[answer.audience_name] += 1
            if answer.message:
                quotes.setdefault(theme, quote(answer.message))
    return [_shown(theme, by_group.get(key(theme.label), {}), quotes.get(key(theme.label), "")) for theme in found]


def quote(message: str) -> str:
    """The message, or the whole sentences or words at its beginning: never anything that was not said."""
    if len(message) <= LONGEST_QUOTE:
        return message.strip()
    beginning = message[:LONGEST_QUOTE]
    end = max(beginning.rfind(f"{mark} ") + 1 for mark in ".!?") or beginning.rfind(" ")
    return beginning[: end if end > 0 else LONGEST_QUOTE].strip()


def _shown(theme: Theme, by_group: Mapping[str, int], said: str) -> ThemeOutput:
    return ThemeOutput(label=theme.label, count=theme.count, by_audience=dict(by_group), quote=said)
