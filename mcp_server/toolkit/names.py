"""Which of the caller's objects is meant by a name that a person or a model wrote: folding, ranking, and when a near
miss may be taken silently. Pure.

The rules and their error rates were measured: ranking by the better of `ratio` and `token_sort_ratio` puts the right
name first most often, and a bound on the optimal string alignment distance accepts one slip of the hand while it
refuses other people who share a given or a family name.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Generic, Literal, Protocol, TypeVar

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from mcp_server.errors import Ambiguous, NotFound
from mcp_server.toolkit.folding import LONGEST, fold, latin, sound


class Named(Protocol):
    """What has a name that others may share, and an id of its own."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)

ACCEPTED = 0.85  # alignment similarity from which a near miss may stand for the name
CLEARLY = 0.1  # how far behind the runner-up must be, on the same scale, before a near miss is taken silently
SLIP = 5  # letters from which on a word may have one wrong, and is not another name
JOINED = 6  # letters of a part of a name in a script that does not part words, from which on it is taken for the name
HEARD = 4  # letters from which on a name is known in another script by its sound
PLAUSIBLE = 60.0  # score from which a name is worth listing for a query that it does not contain
POSSIBLE = 30.0  # and from which it may stand in a "did you mean": who asks by a wrong name needs to see real ones
PART = 0.95  # what a match with one word of a name is worth beside a match with the whole of it
SUGGESTED = 3
_VOWEL = re.compile("[aeiouy]")
_AROUND = (
    "a an the my our this that of for with persona panel group study der die das mein meine le la les mon ma el los mi"
)
_LEFT_OUT = frozenset(_AROUND.split())  # what people say around a name
_NUMBER = re.compile(r"\d+")
_UNPARTED = re.compile("[\u0e00-\u0eff\u2e80-\ud7ff\uf900-\ufaff]")  # scripts that do not part words
Outcome = Literal["found", "ambiguous", "unknown"]  # ambiguous: several have the very name


def search(names: Sequence[str], query: str) -> list[int]:
    """Indices of the names that fit `query`: those that contain it first, then those that are like it.

    An empty query fits every name, in the order given. Ties are broken by name and then by position, so that the
    same names and query always give the same list.
    """
    return _ranked(names, map(fold, names), query, PLAUSIBLE) if query.strip() else list(range(len(names)))


def _ranked(names: Sequence[str], plains: Iterable[str], query: str, least: float) -> list[int]:
    wanted, folded = composed(query).casefold(), fold(query)
    found = []
    for index, (name, plain) in enumerate(zip(names, plains, strict=True)):
        text = composed(name)
        contained = wanted in text.casefold() or bool(folded and folded in plain)
        # 0 to 100: how well it fits the whole of the name or, worth a little less, one word of it.
        part = max((fuzz.ratio(word, folded) for word in plain.split()), default=0.0)
        whole = max(fuzz.ratio(plain, folded), fuzz.token_sort_ratio(plain, folded)) if plain else 0.0
        score = max(whole, part * PART)
        if contained or score >= least:
            found.append((not contained, -score, text, index))
    return [row[-1] for row in sorted(found)]


def _in_order(folded: str) -> str:
    return " ".join(sorted(folded.split()))


def _as_one(words: str) -> str:
    """Without what parts them, which many scripts do not write, and letters once."""
    return re.sub(r"([^\W\d])\1+", r"\1", "".join(word for word in words.split() if word not in _LEFT_OUT))


def _names_another(wanted: str, name: str) -> bool:
    """Whether a word is its neighbour in the name with more before or behind it, or with another vowel, as other names
    are (Daniela, inexperienced, Meier), or is short and differs by more than letters that were doubled or changed
    places: Jan is not Jon.
    """
    wanted, name = (each.replace("oy", "ou") for each in (latin(wanted), name))  # both stand for one Greek vowel
    pairs = [*zip(sorted(wanted.split()), sorted(name.split()), strict=False), (_as_one(wanted), _as_one(name))]
    unlike = [sorted(pair, key=len) for pair in pairs if _as_one(pair[0]) != _as_one(pair[1])]
    return any(
        more.startswith(one)
        or more.endswith(one)
        or (sorted(one) != sorted(more) and _VOWEL.sub("", one) == _VOWEL.sub("", more) and len(one) == len(more))
        or (len(one) < SLIP and sorted(one) != sorted(more))
        for one, more in unlike
    )


def _is_part(key: str, name: str) -> bool:
    """Whether a name that does not part its words begins or ends so, such as a given name in Chinese."""
    part = _as_one(key)
    is_begun = len(name) > len(part) + 1 and name.startswith(part)  # Xiaomin is not Xiaoming
    return " " not in name and len(part) >= JOINED and (is_begun or name.endswith(part))


_HOLDS: Sequence[Callable[[str, str, bool], bool]] = (  # the surest first
    lambda key, name, _: _in_order(name) == _in_order(key),
    lambda key, name, is_plain: not is_plain and _as_one(key) == _as_one(name) != "",
    lambda key, name, _: f" {key} " in f" {name} " and not _LEFT_OUT.issuperset(key.split()),
    lambda key, name, _: key[-2:-1] == " " and name.startswith(key),  # a name and an initial
    lambda key, name, _: _is_part(key, name),
    lambda key, name, _: bool(words := {*key.split()} - _LEFT_OUT) and words <= {*name.split()},
)


def composed(name: str) -> str:  # letters with their accents, and single blanks
    return " ".join(unicodedata.normalize("NFC", name).split())


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name stands for, in a sentence, the tool that lists all there are, and where the internal API does."""

    noun: str
    listed_by: str
    collection: str


class Directory(Generic[T]):
    """Candidates that are looked up by name, several of them: what is compared is made once, not for every query."""

    def __init__(self, kind: Kind, candidates: Sequence[T]) -> None:
        self._kind, self.candidates = kind, candidates
        self._written = tuple(composed(one.name).casefold() for one in candidates)
        self._folded = tuple(fold(composed(one.name)) for one in candidates)
        self._latin = tuple(fold(latin(composed(one.name)[:LONGEST])) for one in candidates)
        self._sound = tuple(sound(composed(one.name)) for one in candidates)
        self._sorted = tuple(_in_order(folded) for folded in self._folded)
        self._alike: dict[str, list[int]] = {}
        for index, folded in enumerate(self._folded):
            self._alike.setdefault(folded, []).append(index)

    def namesakes(self, name: str) -> list[T]:
        """Those whose name is `name` or folds to the same."""
        return [self.candidates[index] for index in self._alike.get(fold(composed(name)), ())]

    def meant(self, wanted: str) -> T:
        """The one candidate that `wanted` names. Raises Ambiguous, with ids, or NotFound, with the nearest names."""
        kind = self._kind
        outcome, indices = self.resolve(wanted)
        found = [self.candidates[index] for index in indices]
        if outcome == "found":
            return found[0]
        if outcome == "ambiguous":
            raise Ambiguous(kind.noun, wanted, [f"{one.name} (id {one.id})" for one in found])
        names = [one.name for one in found]
        closest = [one.name if names.count(one.name) == 1 else f"{one.name} (id {one.id})" for one in found]
        raise NotFound(kind.noun, wanted, closest=closest, listed_by=kind.listed_by)

    def resolve(self, query: str) -> tuple[Outcome, tuple[int, ...]]:
        """Which of them is `query`: the one found; all that share the name; or the closest few, best first.

        In this order: the very same text; the same after folding; the one that is the same in Latin letters, or holds
        all the words side by side, or is a near miss that is clearly right, where these do not name different ones.
        Anything else is unknown, with the names that could have been meant. An empty query is none of them.
        """
        wanted = composed(query)
        if not wanted:
            return "unknown", ()
        folded = fold(wanted)
        alike = self._alike.get(folded, [])
        same = [index for index in alike if composed(self.candidates[index].name) == wanted] or (folded and alike)
        if same:
            return "found" if len(same) == 1 else "ambiguous", tuple(same)
        sounds = fold(latin(wanted[:LONGEST]))
        holding = self._holding(wanted, sounds) if sounds else []
        near, is_clear = self._near_miss(folded, sounds) if folded else (None, False)
        likely = {*holding, near} - {None}
        if len(likely) == 1 and (holding or is_clear):
            return "found", (holding[0] if near is None else near,)
        ranked = _ranked([one.name for one in self.candidates], self._latin, latin(query[:LONGEST]), POSSIBLE)
        first = [*(index for index in ranked if index in likely), *holding]
        return "unknown", tuple(dict.fromkeys([*first, *ranked]))[:SUGGESTED]

    def _holding(self, wanted: str, plain: str) -> list[int]:
        """The names that are `wanted`, its words in any order; else those that hold them, side by side at best.

        Letter by letter; by their sound only where one of the two is not written in plain Latin letters.
        """
        written = [wanted.casefold() in one for one in self._written]
        if _UNPARTED.search(wanted) and any(written):  # there a part of a name is no word of it
            return [index for index, is_written in enumerate(written) if is_written]
        heard, is_latin = sound(wanted), fold(wanted).isascii()
        known: list[tuple[int, tuple[str, str, bool]]] = []
        for index, one in enumerate(self.candidates):
            is_plain = wanted.isascii() and one.name.isascii()
            # What is short sounds like names of other scripts that it has nothing to do with.
            is_sure = len(heard) >= HEARD or written[index] or (is_latin and self._folded[index].isascii())
            if is_sure and (key := plain if is_plain else heard):
                known.append((index, (key, (self._latin if is_plain else self._sound)[index], is_plain)))
        found = ([index for index, names in known if fits(*names)] for fits in _HOLDS)
        return next(filter(None, found), [])

    def _near_miss(self, wanted: str, sounds: str) -> tuple[int | None, bool]:
        """The name that `wanted` misses by a slip of the hand, and whether nothing else comes near."""
        least, close = ACCEPTED - CLEARLY, dict[int, float]()
        for text, names in (wanted, self._folded), (_in_order(wanted), self._sorted), (sounds, self._latin):
            alike = process.extract(text, names, scorer=OSA.normalized_similarity, score_cutoff=least, limit=None)
            for _, similarity, index in alike:
                close[index] = max(similarity, close.get(index, 0.0))
        ranked = nlargest(2, ((similarity, index) for index, similarity in close.items()))
        (best, index), (runner_up, _) = [*ranked, (0.0, 0), (0.0, 0)][:2]
        if best < ACCEPTED:
            return None, False
        found = self._folded[index]
        # "Shopper 2" is one letter from "Shopper 3" and "Mario" from "Maria", and neither is what was meant.
        is_other = _NUMBER.findall(found) != _NUMBER.findall(wanted) or _names_another(wanted, self._latin[index])
        return None if is_other else index, best - runner_up >= CLEARLY
