"""Figures and names as they stand in a sentence. Pure."""

from collections.abc import Sequence

NAMED = 5


def figure(value: float) -> str:
    """One or two decimals: `7.0`, `7.4`, `7.33`."""
    text = f"{round(value, 2) + 0.0:.2f}"  # + 0.0 makes -0.0 a plain zero
    return text.removesuffix("0")


def some(names: Sequence[str], most: int = NAMED) -> str:
    """The first names, and how many more there are."""
    shown, more = list(names[:most]), len(names) - most
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def every(number: int) -> str:
    """`both groups`, `all 3 groups`."""
    return "both groups" if number == 2 else f"all {number} groups"  # noqa: PLR2004 - the word for two


def personas(number: int) -> str:
    """`1 persona`, `12 personas`."""
    return f"{number} persona" if number == 1 else f"{number} personas"


def sentence(text: str) -> str:
    """With a capital letter in front, whatever the rest is."""
    return text[:1].upper() + text[1:]
