"""Which options an answer names: those that were offered, or, where that is not known, those that were given. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rapidfuzz.distance import OSA

from mcp_server.toolsets.panels._aggregation.candidates import (
    CANDIDATE,
    FUNCTION,
    STRUCK,
    TABLES,
    WORD,
    compiled,
    mark,
    places,
    settle,
    unmarked,
    vocabulary,
)
from mcp_server.toolsets.panels._aggregation.numbers import VALUES
from mcp_server.toolsets.panels._aggregation.polarity import LACKING, phrased, polar, polarity
from mcp_server.toolsets.panels._aggregation.texts import WORDS, bare, loose, plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

LETTERS = 3  # characters from which a name is no letter or number of a list
LONGEST = 200  # characters of an option that nobody offered; what is longer is an essay
ALIKE, SHORTEST = 0.85, 5  # similarity of a slip of the hand, and characters from which it can be told
PIECE, GLOSS, STRONG = re.compile(r"[^\W_]+|[^\w\s]"), re.compile(r"\s\(|:\s"), re.compile(r"[;|\n]+")
SILENT = frozenset(",.;:!?'\"()[]{}&/-")
ENDINGS = ("s", "es", "e", "en", "n")
ORDINALS: list[str] = TABLES["options"]["ordinals"]
ORDINAL = "|".join([*ORDINALS, TABLES["options"]["last"]])
PATTERNS, UNWANTED = compiled("options", ord=f"(?:{ORDINAL})"), compiled("unwanted").values()
REFERRED = [PATTERNS[way] for way in ("called", "leading", "chosen", "ordinal", "ordinal_alone")]
SMALL = FUNCTION | vocabulary("words", "naming")
NONE_OF_THEM, ALL_OF_THEM = frozenset(WORDS["none_of_them"]), frozenset(WORDS["all_of_them"])
Found = tuple[str, ...]


class Options:
    """The options that were offered, and the ways to name each of them."""

    def __init__(self, offered: Sequence[str]) -> None:
        unique = {loose(option): " ".join(option.split()) for option in reversed(offered) if option.strip()}
        self.labels = tuple(unique.values())[::-1]
        whole = [loose(label) for label in self.labels]
        self._names = [" ".join(plain(without_markup(label)).split()) for label in self.labels]
        self._exact = _unique([*map(loose, self._names)]) | _unique(whole)
        # The surer way first; a name that fits several options names none of them.
        for form in (unlabelled, _head, _without_article, _none):
            self._exact = _unique([form(name) for name in whole]) | self._exact
        ways = [name for name in self._exact if len(name) > 1 or name not in "aeiouy"]
        named = "|".join(map(_pattern, sorted(ways, key=len, reverse=True))) or "(?!)"
        self._named = re.compile(rf"(?<!\w)(?:{named})(?![\w+#])")
        own = {letter: place for place, name in enumerate(whole) if (letter := _letter(name))}
        short = any(len(name) < LETTERS for name in whole)
        ways_by_place = [*zip("abcdefghijklmnopqrstuvwxyz", range(len(whole)), strict=False)]
        ways_by_place += [(str(place + 1), place) for place in range(len(whole))]
        self._places = own or ({} if short else dict(ways_by_place))
        self._polar = polar(whole)

    def offers(self, text: str) -> bool:
        """Whether `text` is one of the options and nothing else, such as "No opinion"."""
        return self._exactly(text) is not None or bool(self._polar and phrased(text))

    def one(self, text: str) -> str | None:
        """The option that `text` names, alone or with an explanation behind it."""
        exact = self._exactly(text)
        if exact is not None:
            return self.labels[exact]
        said = settle(self._marked(text), UNWANTED)
        sentences = [part for part in re.split(r"[.!;\n]", said) if CANDIDATE.search(part)]
        bare_ones = [part for part in sentences if SMALL.issuperset(WORD.findall(CANDIDATE.sub(" ", part)))]
        if len(sentences) > 1 and bare_ones == sentences[:1]:
            said = sentences[0]  # what stands behind it explains it
        found = [label for label in self._meant(said) if self.labels.index(label) not in self._polar.values()]
        if not found and self._polar and (side := polarity(text)):
            return self.labels[self._polar[side]]
        return found[0] if len(found) == 1 else None

    def several(self, text: str) -> tuple[Found, Found]:
        """The options that `text` lists, in their own order, and what it lists besides; none if it leaves some out."""
        named = loose(text)
        every = PATTERNS["all"].match(named)
        if named in ALL_OF_THEM or (every and VALUES.get(every[1]) == len(self.labels)):
            return self.labels, ()
        exact = self._exactly(text)
        found = (self.labels[exact],) if exact is not None else self._meant(settle(self._marked(text), UNWANTED))
        written = {loose(part): bare(part) for part in PATTERNS["segment"].split(text)}
        parts = [loose(part) for part in PATTERNS["segment"].split(self._marked(text))]
        others = (
            part for part in parts if len(part) >= LETTERS and not re.search(f"{CANDIDATE.pattern}|{STRUCK}", part)
        )
        named_only = [part for part in others if not FUNCTION.intersection(WORD.findall(part))]
        short = [written.get(part, part) for part in named_only if len(part.split()) < LETTERS]
        return found, () if exact is not None else tuple(short)

    def _exactly(self, text: str) -> int | None:
        name = loose(text)
        for form in (name, loose(without_markup(name)), unlabelled(name), _none(name)):
            if form in self._exact:
                return self._exact[form]
        return None

    def _meant(self, said: str) -> Found:
        """The options that are left in a settled text, in their order; none where it is not clear that one is meant."""
        for part in PATTERNS["part"].split(PATTERNS["enumerated"].sub("", said)):
            words = WORD.findall(CANDIDATE.sub(" ", part))
            if (
                CANDIDATE.search(part)
                and not SMALL.issuperset(words)
                and not any(map(PATTERNS["choosing"].match, words))
            ):
                return ()
        chosen = set(places(said))
        return tuple(label for place, label in enumerate(self.labels) if place in chosen)

    def _marked(self, text: str) -> str:
        """The folded text with a mark for each option that it names, by itself or, where none is, by its place."""
        text = unmarked(plain(without_markup(text)))
        said = self._named.sub(lambda found: self._mark(found[0]), text)
        if CANDIDATE.search(said):
            said = PATTERNS["listed"].sub("", said)
        else:
            for way in REFERRED:
                said = way.sub(self._referred, said)
        cuts = [0, *(at for found in PATTERNS["segment"].finditer(said) for at in found.span()), len(said)]
        return "".join(self._slip(said[start:end]) for start, end in pairwise(cuts))

    def _mark(self, said: str) -> str:
        name = loose(said)
        place = self._exact.get(name)
        if place is None:
            fits = {self._exact[way] for way in self._exact if re.fullmatch(_pattern(way), said)}
            place = fits.pop() if len(fits) == 1 else None
        return said if place is None else mark(place)

    def _referred(self, found: re.Match[str]) -> str:
        """Marks for "option B" or "the first and the last one"; the words themselves where one of them is none."""
        if "refs" in found.re.groupindex:
            wanted = [self._places.get(one) for one in PATTERNS["parted"].split(found["refs"]) if one]
        else:
            wanted = [self._ordinal(one) for one in re.findall(ORDINAL, found["ords"])]
        known = [place for place in wanted if place is not None]
        return " , ".join(map(mark, known)) if len(known) == len(wanted) else found[0]

    def _ordinal(self, word: str) -> int | None:
        place = next((place for place, each in enumerate(ORDINALS) if re.fullmatch(each, word)), len(self.labels) - 1)
        return place if place < len(self.labels) else None

    def _slip(self, part: str) -> str:
        """A part of the text, or the one option that it nearly is, or of which it is some words that no other has."""
        words = WORD.findall(part)
        small = [word in SMALL or PATTERNS["choosing"].match(word) is not None for word in words]
        if CANDIDATE.search(part) or LACKING.intersection(words) or all(small):
            return part
        core = words[small.index(False) : len(small) - small[::-1].index(False)]
        said = " ".join(core)
        if len(said) < SHORTEST:
            return part
        near = {place: OSA.normalized_similarity(said, name) for name, place in self._exact.items()}
        like = {place for place, score in near.items() if score >= ALIKE}
        like = like or {place for place, name in enumerate(self._names) if set(core) <= set(WORD.findall(name))}
        return mark(like.pop()) if len(like) == 1 else part


def _unique(names: Sequence[str]) -> dict[str, int]:
    often = Counter(names)
    return {name: place for place, name in enumerate(names) if name and often[name] == 1}


def _pattern(name: str) -> str:
    """A name whatever its hyphens, blanks and signs are, and in plural or singular."""
    pieces = PIECE.findall(name)
    forms = [f"{re.escape(one)}?" if one in SILENT else _forms(one) for one in pieces]
    return r"[\s_-]*".join(forms) or "(?!)"


def _forms(word: str) -> str:
    if len(word) <= LETTERS or not word.isalpha():
        return re.escape(word)
    stems = {word, *(word.removesuffix(end) for end in ENDINGS if len(word) - len(end) >= LETTERS)}
    return f"(?:{'|'.join(sorted(stems, key=len, reverse=True))})(?:e?[snmr])?e?"


def _letter(name: str) -> str:
    """`a` of "A: Price", where options carry letters or numbers themselves."""
    rest = unlabelled(name)
    found = PATTERNS["own_letter"].match(name.removesuffix(rest)) if rest != name else None
    return found[1] if found else ""


def _head(name: str) -> str:
    """`price` of "price (what it costs a month)"."""
    pieces = GLOSS.split(name, maxsplit=1)
    return loose(pieces[0]) if len(pieces) > 1 else ""


def _without_article(name: str) -> str:
    return loose(PATTERNS["article"].sub("", name))


def _none(name: str) -> str:
    """One sign for all ways to say that nothing fits; it is no text that could be an option."""
    return "\0" if name in NONE_OF_THEM else ""


def unlabelled(name: str) -> str:
    """A folded name without "Option A:", "a)" or "1." before it."""
    return loose(PATTERNS["label"].sub("", name))


def distinct(given: Iterable[str]) -> dict[str, str]:
    """Folded name -> how most people write it, for options that are not known. The order of `given` does not matter."""
    spellings: dict[str, Counter[str]] = {}
    for text in given:
        line = bare(text)
        found = PATTERNS["label"].match(line.lower())
        line = line[found.end() :] if found else line
        if len(text) <= LONGEST:
            spellings.setdefault(unlabelled(loose(text)), Counter())[bare(line)] += 1
    return {name: min(each, key=lambda one: (-each[one], one)) for name, each in sorted(spellings.items()) if name}


def listed(text: str) -> list[str]:
    """The parts of a list in one text: at semicolons and lines where there are any, else at commas."""
    cut = STRONG.split(text) if STRONG.search(text) else text.split(",")
    return [part for part in map(bare, cut) if part]


def names_none(text: str) -> bool:
    return loose(text) in NONE_OF_THEM
