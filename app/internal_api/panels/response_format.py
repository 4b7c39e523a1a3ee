"""The response format of a survey question: type, and scale or options; checks what a caller prescribes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.internal_api.errors import BadRequest
from app.internal_api.models.asking import GivenClassification

MOST_OPTIONS, LONGEST_OPTION = 50, 200
MOST_POINTS, FARTHEST_POINT = 101, 1_000  # of a scale: how many, and how far from zero
INVALID_SCALE, INVALID_OPTIONS, INVALID_CLASSIFICATION = "INVALID_SCALE", "INVALID_OPTIONS", "INVALID_CLASSIFICATION"


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """How a question is to be answered."""

    type: str
    scale: tuple[int, int] | None = None  # lowest and highest point, both included; None unless `type` is scale
    options: tuple[str, ...] = ()  # distinct, in the order of the wording; empty unless some may be chosen
    most: int | None = None  # how many options may be chosen at most; None for as many as there are


def checked_type(given: GivenClassification) -> str | None:
    """The type that is named, or that a scale or a number of choices implies; else None. Raises BadRequest."""
    kind, scale, most = given.type, given.scale_range, given.most
    no_scale = f"A question of the type {kind} has no scale. Leave the scale out, or make the type scale."
    no_options = f"A question of the type {kind} has no options. Make the type categorical or multiselect."
    no_most = "How many may be chosen can only be said of a multiselect question."
    for refused, message in (
        (scale is not None and given.options, "A question has a scale or options, not both."),
        (scale is not None and kind not in {None, "scale"}, no_scale),
        (given.options and kind not in {None, "categorical", "multiselect"}, no_options),
        (most is not None and (kind not in {None, "multiselect"} or scale is not None), no_most),
        (most is not None and most < 1, "At least one option must be allowed."),
    ):
        if refused:
            raise BadRequest(message, {"code": INVALID_CLASSIFICATION})
    return kind or ("scale" if scale is not None else "multiselect" if most is not None else None)


def checked_scale(scale: Sequence[float]) -> tuple[int, int]:
    """Both ends as whole numbers. Raises BadRequest."""
    if len(scale) != 2:  # noqa: PLR2004 - its two ends
        raise BadRequest("A scale is two whole numbers: its lowest and its highest point.", {"code": INVALID_SCALE})
    low, high = scale
    if not (float(low).is_integer() and float(high).is_integer()):
        raise BadRequest("The ends of a scale must be whole numbers, such as 1 and 10.", {"code": INVALID_SCALE})
    if low >= high:
        message = (
            f"A scale from {low:g} to {high:g} has nothing to choose from: its lowest point must be below its highest."
        )
        raise BadRequest(message, {"code": INVALID_SCALE})
    if max(abs(low), abs(high)) > FARTHEST_POINT or high - low + 1 > MOST_POINTS:
        most = f"A scale may have at most {MOST_POINTS} points between {-FARTHEST_POINT} and {FARTHEST_POINT}."
        raise BadRequest(f"{most} Use a range such as 1 to 10 or 0 to 100.", {"code": INVALID_SCALE})
    return int(low), int(high)


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
