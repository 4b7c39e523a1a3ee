"""The words of understanding: what a caller may wish, what comes out, and the refusal."""

from collections.abc import Sequence
from dataclasses import dataclass

SCALE, CATEGORICAL, MULTISELECT, QUALITATIVE = TYPES = ("scale", "categorical", "multiselect", "qualitative")
FEWEST_OPTIONS = 2
MOST_OPTIONS = 50
LONGEST_OPTION = 200
MOST_POINTS = 101
FARTHEST_POINT = 1_000  # of a scale, from zero
INVALID_SCALE = "INVALID_SCALE"
INVALID_OPTIONS = "INVALID_OPTIONS"
INVALID_CLASSIFICATION = "INVALID_CLASSIFICATION"


class MakesNoSense(ValueError):
    """What was wished, or what the question says of its scale, contradicts itself; `message` says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Wish:
    """How the caller wants the question to be taken; what is left out is read from the wording."""

    type: str | None = None
    scale: Sequence[float] | None = None
    options: Sequence[str] = ()
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Understanding:
    """How a question is taken.

    Attributes:
        scale: lowest and highest point, both included; None unless `type` is scale.
        options: distinct, in the order of the wording; empty unless `type` is categorical or multiselect.
        most: how many options may be chosen at most; None for as many as there are.

    """

    type: str
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()
    most: int | None = None
