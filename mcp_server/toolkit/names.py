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
from mcp_server.toolkit.name_words import (
    LEFT_OUT,
    as_one,
    has_labels,
    labels_of,
    names_another,
    numbers_of,
    said_in_order,
    turned_words,
    words_of,
)


class Named(Protocol):
    """What has a name that others may share, and an id of its own."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)

ACCEPTED = 0.85  # alignment similarity from which a near miss may stand for the name
CLEARLY = 0.1  # how far behind the runner-up must be, on the same scale, before a near miss is taken silently
JOINED = 6  # letters of a part of a name in a script that does not part words, from which on it is taken for the name
HEARD = 4  # letters from which on a name is known in another script by its sound
PLAUSIBLE = 60.0  # score from which a name is worth listing for a query that it does not contain
POSSIBLE = 30.0  # and from which it may stand in a "did you mean": who asks by a wrong name needs to see real ones
PART = 0.95  # what a match with one word of a name is worth beside a match with the whole of it
SUGGESTED = 3
_UNPARTED = re.compile("[\u0e00-\u0eff\u2e80-\ud7ff\uf900-\ufaff]")  # scripts that do not part words
Script = Literal["plain", "parted", "unparted"]  # plain: name and query are both in plain Latin letters
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


def _is_part(key: str, name: str) -> bool:
    """Whether a name in a script that does not part words begins or ends so, such as a given name in Chinese."""
    part = as_one(key)
    is_begun = len(name) > len(part) + 1 and name.startswith(part)  # Xiaomin is not Xiaoming
    return " " not in name and len(part) >= JOINED and (is_begun or name.endswith(part))


def _part_of_a_word(wanted: str) -> re.Pattern[str]:
    """Finds it where it is, begins or ends a word, by more than one sign less or of more than one: 山本 of 山本健."""
    text = re.escape(wanted)
    ends = rf"|{text}(?!\w)" if wanted[1:] else ""
    return re.compile(rf"(?<!\w){text}(?!{_UNPARTED.pattern}(?!\w)){ends}")


_HOLDS: Sequence[Callable[[str, str, Script], bool]] = (  # the surest first
    lambda key, name, _: _in_order(name) == _in_order(key),
    lambda key, name, script: script != "plain" and as_one(key) == as_one(name) != "",
    lambda key, name, _: f" {key} " in f" {name} " and not LEFT_OUT.issuperset(key.split()),
    lambda key, name, script: script == "unparted" and _is_part(key, name),
    lambda key, name, _: bool(words := {*key.split()} - LEFT_OUT) and words <= {*name.split()},
)


def composed(name: str) -> str:  # letters with their accents, and single blanks
    return " ".join(unicodedata.normalize("NFC", name).split())


def _spelt(name: str) -> str:
    """As it is compared: the signs that make another word are letters, C++ and 65+."""
    return re.sub(r"(?<=[\w+])[+#](?!\w)", lambda sign: "plus" if sign[0] == "+" else "sharp", composed(name))


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
        self._names = tuple(_spelt(one.name) for one in candidates)
        self._written = tuple(name.casefold() for name in self._names)
        self._folded = tuple(map(fold, self._names))
        self._latin = tuple(fold(latin(name[:LONGEST])) for name in self._names)
        self._sound = tuple(map(sound, self._names))
        self._sorted = tuple(map(said_in_order, self._folded))
        self._turned = {index: turned for index, name in enumerate(self._names) if (turned := turned_words(name))}
        self._alike: dict[str, list[int]] = {}
        for index, folded in enumerate(self._folded):
            self._alike.setdefault(folded, []).append(index)

    def namesakes(self, name: str) -> list[T]:
        """Those whose name is `name` or folds to the same."""
        return [self.candidates[index] for index in self._alike.get(fold(_spelt(name)), ())]

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
        all the words side by side, or is a near miss that is clearly right, where these do not name different ones
        and no name has the words in another sense.
        Anything else is unknown, with the names that could have been meant. An empty query is none of them.
        """
        wanted = _spelt(query)
        if not wanted:
            return "unknown", ()
        folded, numbers = fold(wanted), numbers_of(wanted)
        alike = [index for index in self._alike.get(folded, []) if numbers_of(self._names[index]) == numbers]
        same = [index for index in alike if self._names[index] == wanted] or (folded and alike)
        if same:
            return "found" if len(same) == 1 else "ambiguous", tuple(same)
        sounds = fold(latin(wanted[:LONGEST]))
        holding = self._holding(wanted, sounds) if sounds else []
        near, is_clear = self._near_miss(wanted, folded, sounds) if folded else (None, False)
        turned = self._otherwise(words_of(wanted) - LEFT_OUT)
        likely = {*holding, near, *turned} - {None}
        if len(likely) == 1 and not turned and (holding or is_clear):
            return "found", (holding[0] if near is None else near,)
        ranked = _ranked([one.name for one in self.candidates], self._latin, latin(query[:LONGEST]), POSSIBLE)
        first = [*(index for index in ranked if index in likely), *holding]
        return "unknown", tuple(dict.fromkeys([*first, *ranked]))[:SUGGESTED]

    def _otherwise(self, words: set[str]) -> list[int]:
        """The names that have all `words`, one of them without those that turn its meaning."""
        return [
            index
            for index, turned in self._turned.items()
            if any(words & what and not words & by for by, what in turned) and words <= words_of(self._names[index])
        ]

    def _holding(self, wanted: str, plain: str) -> list[int]:
        """The names that are `wanted`, its words in any order; else those that hold them, side by side at best.

        Letter by letter; by their sound only where one of the two is not written in plain Latin letters.
        """
        written, labels = [wanted.casefold() in one for one in self._written], labels_of(wanted)
        if _UNPARTED.search(wanted) and any(written):  # there a part of a name is no word of it
            part, names = _part_of_a_word(wanted.casefold()), enumerate(self._written)
            return [index for index, one in names if part.search(one) and has_labels(self._names[index], labels)]
        heard, is_latin = sound(wanted), fold(wanted).isascii()
        known: list[tuple[int, tuple[str, str, Script]]] = []
        for index, one in enumerate(self._names):
            is_plain = wanted.isascii() and one.isascii()
            # What is short sounds like names of other scripts that it has nothing to do with.
            is_sure = len(heard) >= HEARD or written[index] or (is_latin and self._folded[index].isascii())
            if is_sure and (key := plain if is_plain else heard):
                script: Script = "plain" if is_plain else "unparted" if _UNPARTED.search(one) else "parted"
                known.append((index, (key, (self._latin if is_plain else self._sound)[index], script)))
        found = (
            [index for index, names in known if fits(*names) and has_labels(self._names[index], labels)]
            for fits in _HOLDS
        )
        return next(filter(None, found), [])

    def _near_miss(self, wanted: str, folded: str, sounds: str) -> tuple[int | None, bool]:
        """The name that `wanted` misses by a slip of the hand, and whether nothing else comes near."""
        least, close = ACCEPTED - CLEARLY, dict[int, float]()
        tries = (folded, self._folded), (said_in_order(folded), self._sorted), (sounds, self._latin)
        for text, names in ((text, names) for text, names in tries if text):
            alike = process.extract(text, names, scorer=OSA.normalized_similarity, score_cutoff=least, limit=None)
            for _, similarity, index in alike:
                close[index] = max(similarity, close.get(index, 0.0))
        ranked = nlargest(2, ((similarity, index) for index, similarity in close.items()))
        (best, index), (runner_up, _) = [*ranked, (0.0, 0), (0.0, 0)][:2]
        if best < ACCEPTED or labels_of(self._names[index]) != labels_of(wanted):  # Shopper 2 is near Shopper 3
            return None, False
        return index, best - runner_up >= CLEARLY and not names_another(folded, self._latin[index])
