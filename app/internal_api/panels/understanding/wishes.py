"""What a caller demands of a question's type: checked before it overrides the wording."""

from app.internal_api.panels.understanding.options import checked_options
from app.internal_api.panels.understanding.scales import checked_scale
from app.internal_api.panels.understanding.words import (
    CATEGORICAL,
    INVALID_CLASSIFICATION,
    INVALID_SCALE,
    MULTISELECT,
    SCALE,
    TYPES,
    MakesNoSense,
    Wish,
)

_ENDS = 2
_CHOOSING = frozenset({CATEGORICAL, MULTISELECT})


def checked_type(wish: Wish) -> str | None:
    """The type that is wished, by name or by what only one type has; None when the wording decides."""
    if wish.type is not None and wish.type not in TYPES:
        raise _refused(f"The type must be one of {', '.join(TYPES)}.")
    if wish.scale is not None and wish.options:
        raise _refused("A question has a scale or options, not both.")
    if wish.scale is not None and wish.type not in {None, SCALE}:
        raise _refused(f"A question of the type {wish.type} has no scale. Leave the scale out, or make the type scale.")
    if wish.options and wish.type not in {None, *_CHOOSING}:
        raise _refused(f"A question of the type {wish.type} has no options. Make the type categorical or multiselect.")
    if wish.most is not None and (wish.type not in {None, MULTISELECT} or wish.scale is not None):
        raise _refused("How many may be chosen can only be said of a multiselect question.")
    return wish.type or _implied(wish)


def wished_scale(wish: Wish) -> tuple[int, int] | None:
    """The scale that is wished. Raises MakesNoSense."""
    if wish.scale is None:
        return None
    if len(wish.scale) != _ENDS:
        raise MakesNoSense(INVALID_SCALE, "A scale is two whole numbers: its lowest and its highest point.")
    return checked_scale(*wish.scale)


def wished_options(wish: Wish) -> tuple[str, ...]:
    """The options that are wished; empty when the wording has them. Raises MakesNoSense."""
    return checked_options(wish.options) if wish.options else ()


def wished_most(wish: Wish) -> int | None:
    """How many may be chosen. Raises MakesNoSense."""
    if wish.most is not None and wish.most < 1:
        raise _refused("At least one option must be allowed.")
    return wish.most


def _implied(wish: Wish) -> str | None:
    if wish.scale is not None:
        return SCALE
    return MULTISELECT if wish.most is not None else None


def _refused(message: str) -> MakesNoSense:
    return MakesNoSense(INVALID_CLASSIFICATION, message)
