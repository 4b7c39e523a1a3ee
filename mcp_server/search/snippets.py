"""The part of a text to show for a query."""

from collections.abc import Iterable, Iterator, Sequence

MOST_MATCHES = 12
"""Of one word in one text."""

ENDING, LONG = 3, 6
"""Letters at the end of a word of so many that other forms of it may have differently; FTS5 compares stems."""


def stems(words: Iterable[str]) -> list[str]:
    """What `words` and other forms of them begin with."""
    return sorted({word[:-ENDING] if len(word) >= LONG and word.isascii() else word for word in words})


def window(text: str, wanted: Sequence[str], length: int) -> tuple[int, int]:
    """Where the part of `text` begins and ends that has most of the stems `wanted`, at most `length` characters.

    It begins at a line or a sentence where there is one near, else at a word. Without a match it is the beginning.
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have two in lower case
        lowered = text
    matches = sorted(match for stem in wanted for match in _matches(lowered, stem))
    best, most = 0, 0
    for number, (start, _) in enumerate(matches):
        inside = {stem for at, stem in matches[number : number + len(wanted) * 2] if at < start + length * 2 // 3}
        if len(inside) > most:
            best, most = start, len(inside)
    begin = _beginning(text, best, length)
    end = min(len(text), begin + length)
    blank = max(text.rfind(" ", begin, end), text.rfind("\n", begin, end)) if end < len(text) else -1
    return begin, blank if blank > begin + length // 2 else end


def _matches(text: str, stem: str) -> Iterator[tuple[int, str]]:
    place, found = text.find(stem), 0
    while place >= 0 and found < MOST_MATCHES:
        if place == 0 or not text[place - 1].isalnum() or not stem.isascii():
            yield place, stem
            found += 1
        place = text.find(stem, place + len(stem))


def _beginning(text: str, place: int, length: int) -> int:
    earliest = max(0, place - length // 3)
    ends = (text.rfind(mark, earliest, place) + len(mark) for mark in ("\n", ". ") if mark in text[earliest:place])
    begin = max(ends, default=earliest)
    while begin < place and (text[begin].isspace() or (begin > 0 and not text[begin - 1].isspace())):
        begin += 1
    return begin
