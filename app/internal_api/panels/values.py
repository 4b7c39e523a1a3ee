"""What an answer counts for: a point, options or labels, read from its short value. Pure."""

import re
from collections.abc import Iterator, Sequence

from app.internal_api.engines.engine import NOTHING_CHOSEN
from app.internal_api.store.questions import Answer, Question

SEPARATOR = ";"
WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


def counted(question: Question, answer: Answer) -> tuple[str, ...] | None:
    """One scale point, one option, several options, or labels; None where the answer cannot be counted.

    Who chose none of several options, or whose words carry no label, counts as one who answered, with nothing named.
    """
    if answer.status != "answered" or answer.value is None:
        return None
    match question.type:
        case "scale":
            found = point(answer.value, question.scale)
            return None if found is None else (str(found),)
        case "categorical":
            return one(answer.value, question.options)
        case "multiselect":
            return several(answer.value, question.options)
        case _:
            return tuple(dict.fromkeys(parts(answer.value)))


def point(value: str, scale: tuple[int, int] | None) -> int | None:
    """The whole number that `value` is, where the scale has it."""
    if not WHOLE.fullmatch(value.strip()):
        return None
    number = int(value)
    return number if scale is None or scale[0] <= number <= scale[1] else None


def one(value: str, options: Sequence[str]) -> tuple[str] | None:
    """The option that `value` is."""
    option = value.strip()
    return (option,) if option in options else None


def several(value: str, options: Sequence[str]) -> tuple[str, ...] | None:
    """The options that `value` names, none of them where it says so, and None where it says neither."""
    found = chosen(value, options)
    return found if found or value.strip() == NOTHING_CHOSEN else None


def chosen(value: str, options: Sequence[str]) -> tuple[str, ...]:
    """The options that `value` names, in the order of `options`; one may hold the separator itself."""
    rest, found = value.strip(), set[str]()
    longest_first = sorted(options, key=len, reverse=True)
    while rest:
        option = next((each for each in longest_first if _begins(rest, each)), None)
        if option is not None:
            found.add(option)
        skipped = len(option) if option is not None else 0
        rest = rest[skipped:].partition(SEPARATOR)[2].strip()
    return tuple(option for option in options if option in found)


def parts(value: str) -> Iterator[str]:
    """The labels between the separators."""
    return (label for part in value.split(SEPARATOR) if (label := " ".join(part.split())))


def _begins(text: str, option: str) -> bool:
    return bool(option) and text.startswith(option) and text[len(option) :].lstrip()[:1] in {"", SEPARATOR}
