"""The response format of a survey question: type, and scale or options; checks what a caller prescribes. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

TYPES = ("scale", "categorical", "multiselect", "qualitative")
MOST_OPTIONS, LONGEST_OPTION = 50, 200
MOST_POINTS, FARTHEST_POINT = 101, 1_000  # of a scale: how many, and how far from zero
INVALID_SCALE, INVALID_OPTIONS, INVALID_CLASSIFICATION = "INVALID_SCALE", "INVALID_OPTIONS", "INVALID_CLASSIFICATION"


class InvalidFormat(ValueError):
    """The prescribed format contradicts itself or the question; `message` says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class PrescribedFormat:
    """The format that a caller asks for; what is left out is read from the wording."""

    type: str | None = None
    scale: Sequence[float] | None = None
    options: Sequence[str] = ()
    most: int | None = None


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """How a question is to be answered.

    Attributes:
        scale: lowest and highest point, both included; None unless `type` is scale.
        options: distinct, in the order of the wording; empty unless `type` is categorical or multiselect.
        most: how many options may be chosen at most; None for as many as there are.

    """

    type: str
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()
    most: int | None = None


def checked_type(prescribed: PrescribedFormat) -> str | None:
    """The type that is named, or that a scale or a number of choices implies; else None. Raises InvalidFormat."""
    kind, scale, most = prescribed.type, prescribed.scale, prescribed.most
    no_scale = f"A question of the type {kind} has no scale. Leave the scale out, or make the type scale."
    no_options = f"A question of the type {kind} has no options. Make the type categorical or multiselect."
    no_most = "How many may be chosen can only be said of a multiselect question."
    for refused, message in (
        (kind not in {None, *TYPES}, f"The type must be one of {', '.join(TYPES)}."),
        (scale is not None and prescribed.options, "A question has a scale or options, not both."),
        (scale is not None and kind not in {None, "scale"}, no_scale),
        (prescribed.options and kind not in {None, "categorical", "multiselect"}, no_options),
        (most is not None and (kind not in {None, "multiselect"} or scale is not None), no_most),
        (most is not None and most < 1, "At least one option must be allowed."),
    ):
        if refused:
            raise InvalidFormat(INVALID_CLASSIFICATION, message)
    return kind or ("scale" if scale is not None else "multiselect" if most is not None else None)


def checked_scale(scale: Sequence[float]) -> tuple[int, int]:
    """Both ends as whole numbers. Raises InvalidFormat."""
    if len(scale) != 2:  # noqa: PLR2004 - its two ends
        raise InvalidFormat(INVALID_SCALE, "A scale is two whole numbers: its lowest and its highest point.")
    low, high = scale
    if not (float(low).is_integer() and float(high).is_integer()):
        raise InvalidFormat(INVALID_SCALE, "The ends of a scale must be whole numbers, such as 1 and 10.")
    if low >= high:
        message = (
            f"A scale from {low:g} to {high:g} has nothing to choose from: its lowest point must be below its highest."
        )
        raise InvalidFormat(INVALID_SCALE, message)
    if max(abs(low), abs(high)) > FARTHEST_POINT or high - low + 1 > MOST_POINTS:
        most = f"A scale may have at most {MOST_POINTS} points between {-FARTHEST_POINT} and {FARTHEST_POINT}."
        raise InvalidFormat(INVALID_SCALE, f"{most} Use a range such as 1 to 10 or 0 to 100.")
    return int(low), int(high)


def checked_options(options: Sequence[str]) -> tuple[str, ...]:
    """The options that a caller gave, without outer blanks and repetitions. Raises InvalidFormat."""
    found = distinct(" ".join(option.split()) for option in options)
    if fault := fault_of(found):
        raise InvalidFormat(INVALID_OPTIONS, fault)
    return found


def fault_of(options: Sequence[str]) -> str | None:
    """Why these cannot be the options of one question; None where they can."""
    if not all(options):
        return "An option is blank. Give every option a text."
    if any(len(option) > LONGEST_OPTION for option in options):
        return f"An option is longer than {LONGEST_OPTION} characters. Shorten it."
    if any(";" in option for option in options):
        return "An option holds a semicolon, which separates chosen options. Reword it."
    if not 1 < len(options) <= MOST_OPTIONS:
        return f"There are {len(options)} different options. Give between 2 and {MOST_OPTIONS}."
    return None


def distinct(options: Iterable[str]) -> tuple[str, ...]:
    """Each once, whatever its case; the first spelling stays."""
    kept: dict[str, str] = {}
    for option in options:
        kept.setdefault(option.casefold(), option)
    return tuple(kept.values())
