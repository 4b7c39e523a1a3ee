"""Themes of open answers: labels that say the same are merged, counted, and shown with a quote. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from app.internal_api.knowledge.language import stem
from app.internal_api.knowledge.terms import fold
from app.internal_api.models.outputs import Category, ThemeOutput
from app.internal_api.store.questions import Answer

MARKS = ".,;:!?\"'()[]-\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026\u00ab\u00bb"
LONGEST_QUOTE = 300


def key(label: str) -> str:
    """The same for labels that differ only in case, accents, outer marks and the endings of English words.

    All words count, since a small one may be the point: `not safe`, `no price`.
    """
    words = (word.strip(MARKS) for word in fold(label).split())
    return " ".join(stem(word) for word in words if word) or fold(label).strip()


def themes(answers: Iterable[Sequence[str]]) -> list[Category]:
    """One theme for each key, under its most used wording; an answer that names one twice counts once."""
    wordings: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for labels in answers:
        counts.update(dict.fromkeys(map(key, labels), 1))
        for label in labels:
            wordings.setdefault(key(label), Counter())[label] += 1
    ranked = (([label for label, _ in wordings[each].most_common()], count) for each, count in counts.most_common())
    return [Category(label=labels[0], original_labels=labels, count=count) for labels, count in ranked]


def distinct_minds(answers: Iterable[Answer]) -> list[Answer]:
    """One answer of each mind: a persona in two groups answered once, and counts once among all."""
    return [*{answer.mind_id: answer for answer in reversed([*answers])}.values()][::-1]


def theme_outputs(found: Sequence[Category], labelled: Sequence[tuple[Answer, Sequence[str]]]) -> list[ThemeOutput]:
    """`labelled` is every answer with its labels; groups of one name are counted together."""
    by_group: dict[str, Counter[str]] = {}
    quotes: dict[str, str] = {}
    for answer, labels in labelled:
        for theme in dict.fromkeys(map(key, labels)):
            by_group.setdefault(theme, Counter())[answer.audience_name] += 1
            if answer.message:
                quotes.setdefault(theme, quote(answer.message))
    return [
        ThemeOutput(label=label, count=each.count, by_audience=by_group.get(name, {}), quote=quotes.get(name, ""))
        for each in found
        for label, name in [(each.label, key(each.label))]
    ]


def quote(message: str) -> str:
    """The message, or the whole sentences or words at its beginning: never anything that was not said."""
    if len(message) <= LONGEST_QUOTE:
        return message.strip()
    beginning = message[:LONGEST_QUOTE]
    end = max(beginning.rfind(f"{mark} ") + 1 for mark in ".!?") or beginning.rfind(" ")
    return beginning[: end if end > 0 else LONGEST_QUOTE].strip()
