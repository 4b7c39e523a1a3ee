"""What answers count for, what those of one group come to, and the themes of open answers. Pure."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from app.internal_api.engines.coding import RESERVED, Code
from app.internal_api.engines.engine import NOTHING_CHOSEN
from app.internal_api.knowledge.terms import fold
from app.internal_api.models.outputs import Category, Share, Statistics, ThemeOutput
from app.internal_api.store.questions import Answer, Question

SEPARATOR = ";"
WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
MOST_NAMED = 3
Labels = Mapping[str, str]
"""The themes of one answer, each with a quote, which may be empty."""


def counted(question: Question, answer: Answer) -> tuple[str, ...] | None:
    """One scale point, one option, several options, or labels; None where the answer cannot be counted.

    Who chose none of several options, or whose words carry no label, counts as one who answered, with nothing named.
    """
    if answer.status != "answered" or answer.value is None:
        return None
    value = answer.value.strip()
    match question.type:
        case "scale":
            low, high = question.scale or (-math.inf, math.inf)
            on_scale = WHOLE.fullmatch(value) and low <= int(value) <= high
            return (str(int(value)),) if on_scale else None
        case "categorical":
            return (value,) if value in question.options else None
        case "multiselect":
            named = {part.strip() for part in value.split(SEPARATOR)}
            found = tuple(option for option in question.options if option in named)
            return found if found or value == NOTHING_CHOSEN else None
        case _:
            labels = (" ".join(part.split()) for part in answer.value.split(SEPARATOR))
            return tuple(dict.fromkeys(label for label in labels if label))


def shares(values: Iterable[Sequence[str]], known: Sequence[str]) -> list[Share]:
    """How often each value was given: the known ones in their order, then others by frequency."""
    answers = list(values)
    n = len(answers)
    counts = Counter(value for answer in answers for value in answer)
    others = [value for value, _ in counts.most_common() if value not in set(known)]
    return [
        Share(value=value, count=counts[value], share=counts[value] / n if n else 0.0) for value in (*known, *others)
    ]


def statistics_of(numbers: Sequence[int]) -> Statistics | None:
    """None of nothing; the standard deviation is that of a sample, so one answer has none."""
    if not numbers:
        return None
    return Statistics(
        mean=statistics.fmean(numbers),
        median=statistics.median(numbers),
        sd=statistics.stdev(numbers) if len(numbers) > 1 else None,
        min=min(numbers),
        max=max(numbers),
    )


def number(value: float) -> str:
    """At most two decimals, without trailing zeros: `7.4`, `7`, `0.33`."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def dominant(distribution: Sequence[Share]) -> str:
    """What was given most; of those with the same count, all."""
    most = max((each.count for each in distribution), default=0)
    return " / ".join(each.value for each in distribution if each.count == most) if most else ""


def most_frequent(distribution: Sequence[Share]) -> str:
    """The first few of what was given, most frequent first."""
    ranked = sorted((each for each in distribution if each.count), key=lambda each: -each.count)
    return "; ".join(each.value for each in ranked[:MOST_NAMED])


MARKS = ".,;:!?\"'()[]-\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026\u00ab\u00bb"
LONGEST_QUOTE = 300


def key(label: str) -> str:
    """The same for labels that differ only in case, accents and outer marks: what words mean is for codes to say."""
    words = (word.strip(MARKS) for word in fold(label).split())
    return " ".join(filter(None, words)) or fold(label).strip()


def themes(answers: Iterable[Iterable[str]]) -> list[Category]:
    """One theme for each key, under its most used wording; an answer that names one twice counts once."""
    wordings: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for labels in answers:
        counts.update(dict.fromkeys(map(key, labels), 1))
        for label in labels:
            wordings.setdefault(key(label), Counter())[label] += 1
    ranked = (([label for label, _ in wordings[each].most_common()], count) for each, count in counts.most_common())
    return [Category(label=labels[0], original_labels=labels, count=count) for labels, count in ranked]


def coded(codes: Iterable[Code], answers: Iterable[Iterable[str]]) -> list[Category]:
    """One theme for each code, most frequent first; those of no theme and of no view last, where there are any."""
    counts = Counter(label for labels in answers for label in labels)
    ranked = sorted(codes, key=lambda code: -counts[code.label])
    rest = [Code(one, label) for one, label in RESERVED.items() if counts[label]]
    return [
        Category(
            label=code.label,
            original_labels=list(code.original_labels or [code.label]),
            count=counts[code.label],
            id=code.id,
            definition=code.definition,
        )
        for code in (*ranked, *rest)
    ]


def distinct_minds(answers: Iterable[tuple[Answer, Labels]]) -> list[tuple[Answer, Labels]]:
    """One answer of each mind: a persona in two groups answered once, and counts once among all."""
    return [*{answer.mind_id: (answer, labels) for answer, labels in reversed([*answers])}.values()][::-1]


def theme_outputs(found: Sequence[Category], labelled: Sequence[tuple[Answer, Labels]]) -> list[ThemeOutput]:
    """`labelled` is every answer with its labels and a quote for each; groups of one name are counted together."""
    by_group: dict[str, Counter[str]] = {}
    quotes: dict[str, str] = {}
    for answer, labels in labelled:
        for theme, said in {key(label): said for label, said in reversed([*labels.items()])}.items():
            by_group.setdefault(theme, Counter())[answer.audience_name] += 1
            if answer.message:
                quotes.setdefault(theme, said or quote(answer.message))
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
