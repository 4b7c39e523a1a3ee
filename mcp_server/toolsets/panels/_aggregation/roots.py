"""Which words are forms of one: plurals, `pricing` beside `price`, and slips of the hand. Pure.

Deliberately shy: themes that are merged by mistake hide what people said, while themes that stay apart only take
another line. A form is joined to another only where that other one is used, too, and never by an ending alone:
`community` and `communication` share a stem in many stemmers, and are two things.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from rapidfuzz.distance import OSA

SHORTEST_BASE = 4
SHORTEST_SLIP = 8
"""Letters of a word from which one wrong letter is taken for a slip."""

PLURAL_BUT_NOT_OF = frozenset({"arms", "customs", "goods", "lens", "means", "news", "series", "species"})
ENDS_LIKE_A_PLURAL = ("ss", "us", "is")
NOUNS_IN_ING = """
    accounting banking bearing boarding booking branding building clothing engineering evening funding hearing
    housing landing lighting living marketing meaning meeting painting parking planning printing setting standing
    timing training wording
"""
NOT_OF_THEIR_BASE = frozenset(NOUNS_IN_ING.split())
"""Words in -ing that name another thing than their base: parks are not parking."""


class Roots:
    """One root for all forms of a word, among words that were counted. The order of the words does not matter."""

    def __init__(self, counted: Mapping[str, int]) -> None:
        self._roots: dict[str, str] = {word: word for word in sorted(counted)}
        singular = Counter[str]()
        for word in self._roots:
            self._roots[word] = _singular(word, counted)
            singular[self._roots[word]] += counted[word]
        bases = {word: _base(word, singular) for word in singular}
        slips = _slips({word: singular[word] for word in singular if bases[word] == word})
        for word, root in self._roots.items():
            self._roots[word] = slips.get(bases[root], bases[root])

    def of(self, word: str) -> str:
        """The root of a word; one that was not counted has that of the counted word that it is a form of."""
        if word in self._roots:
            return self._roots[word]
        form = _base(_singular(word, self._roots), self._roots)
        return self._roots.get(form, form)


def _singular(word: str, known: Container[str]) -> str:
    if not word.endswith(("s", "en", "e")) or len(word) < SHORTEST_BASE or word in PLURAL_BUT_NOT_OF:
        return word
    if word.endswith("s"):
        return word if word.endswith(ENDS_LIKE_A_PLURAL) else _without_s(word, known)
    return _german(word, known)


def _without_s(word: str, known: Container[str]) -> str:
    if word[:-1] in known:
        return word[:-1]
    if word.endswith("ies") and len(word) > SHORTEST_BASE:
        return word[:-3] + "y"
    # Opciones, canales: beside their singular only; boxes and searches always.
    spanish = word.endswith("es") and word[:-2] in known and len(word) > SHORTEST_BASE + 2
    return word[:-2] if spanish or word.endswith(("xes", "ches", "shes", "sses", "zzes")) else word[:-1]


def _german(word: str, known: Container[str]) -> str:
    """Preise, Funktionen: only beside their singular, and not after endings that would catch English words."""
    if word.endswith("en"):
        base, enough = word[:-2], SHORTEST_BASE + 2
    else:
        base, enough = word[:-1], SHORTEST_BASE + 1
        if not base.endswith(("s", "t", "d", "g", "k")):
            return word
    return base if base in known and len(base) >= enough else word


def _base(word: str, known: Container[str]) -> str:
    """`price` for `pricing`, `load` for `loading`, `ship` for `shipped`, where that base is used."""
    if word in NOT_OF_THEIR_BASE:
        return word
    for ending in ("ing", "ed"):
        body = word.removesuffix(ending)
        if body != word and len(body) >= SHORTEST_BASE - 1:
            return next((base for base in _bases(body) if base in known and len(base) >= SHORTEST_BASE), word)
    return word


def _bases(body: str) -> Iterable[str]:
    return (body + "e", body, body[:-1] if body[-1] == body[-2] else body)


def _slips(counted: Mapping[str, int]) -> dict[str, str]:
    """Word -> the more frequent one that it is a slip of."""
    found: dict[str, str] = {}
    for first, second in sorted(_neighbours(counted)):
        often, seldom = sorted((first, second), key=lambda word: (-counted[word], word))
        # Two words that several people use are two words.
        if counted[seldom] == 1 and _is_slip(often, seldom):
            found[seldom] = min(found.get(seldom, often), often, key=lambda word: (-counted[word], word))
    # A slip of a slip: follow up to the end; the chain only climbs, so it has one.
    return {word: _last(word, found) for word in found}


def _last(word: str, steps: Mapping[str, str]) -> str:
    while word in steps:
        word = steps[word]
    return word


def _neighbours(words: Iterable[str]) -> set[tuple[str, str]]:
    """Pairs that may be one letter apart: those that are alike when one letter of each is left out."""
    shells: dict[str, list[str]] = {}
    for word in words:
        if len(word) >= SHORTEST_SLIP and word.isalpha():
            for shell in {word, *(word[:place] + word[place + 1 :] for place in range(1, len(word)))}:
                shells.setdefault(shell, []).append(word)
    return {(one, other) for alike in shells.values() for one in alike for other in alike if one < other}


def _is_slip(one: str, other: str) -> bool:
    """A letter too many, too few, two exchanged, or s for z. Another letter often makes another word: contract."""
    if one.replace("z", "s") == other.replace("z", "s"):
        return True
    return OSA.distance(one, other, score_cutoff=1) == 1 and (len(one) != len(other) or sorted(one) == sorted(other))
