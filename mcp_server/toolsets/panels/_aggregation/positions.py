"""Options that are named by their letter, their number or their position: "B", "option 2", "the last one". Pure."""

import re
from collections.abc import Sequence

from mcp_server.toolsets.panels._aggregation.candidates import LETTER, PART, TABLES, Patterns, mark, marks
from mcp_server.toolsets.panels._aggregation.numbers import VALUES
from mcp_server.toolsets.panels._aggregation.texts import loose

ORDINALS: list[str] = TABLES["options"]["ordinals"]
ORDINAL = "|".join([*ORDINALS, TABLES["options"]["last"]])
PATTERNS = Patterns("options", ord=f"(?:{ORDINAL})")
REFERRED, ORDERED = ("called", "leading", "bracketed", "selected", "instead"), ("ordinal", "ordinal_alone")
FEW = {**VALUES, "beiden": 2, "both": 2}
INSIDE = re.compile(r"(?<=\w )[a-z]\b(?=\W*$)|\b\d+\b")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Positions:
    """The letters and numbers of some options, which are their own where they carry any."""

    def __init__(self, names: Sequence[str], *, are_amounts: bool = False) -> None:
        """`names` are folded. Where they are amounts, a number alone is no place."""
        self._number = len(names)
        self._ordered = () if any(re.search(rf"\b(?:{ORDINAL})\b", name) for name in names) else ORDERED
        own = {letter: place for place, name in enumerate(names) if (letter := _letter(name))}
        by_place = {sign: place for place in range(len(names)) for sign in (LETTERS[place % 26], str(place + 1))}
        # In a name a sign is that name's, wherever it stands: the B of "Team B", not the 1 of "1 to 2 hours".
        inside = [(sign, place) for place, name in enumerate(names) for sign in {*INSIDE.findall(name)}]
        letters = {sign: place for sign, place in inside if sign.isalpha()}
        self._words = {word for name in names for word in name.split() if letters}
        by_place |= letters if 1 < len(letters) == sum(sign.isalpha() for sign, _ in inside) else {}
        self._called = own or ({} if any(len(name) == 1 for name in names) else by_place)
        named = {s: at for s, at in self._called.items() if {n for one, n in inside if one == s} <= {at}}
        self._places = own or {s: at for s, at in named.items() if not (are_amounts and s.isdecimal())}

    def lettered(self, text: str) -> str:
        """A mark for each letter that stands for an option, while capitals can be told; "A to C" are three."""
        text = PATTERNS["span"].sub(self._spanned, text)
        text = PATTERNS["numbered"].sub(lambda found: f"{found[1]}{VALUES.get(found[2].lower(), found[2])}", text)
        return PATTERNS["letter"].sub(self._lettered, text)

    def marked(self, said: str) -> str:
        """The folded text with a mark for each option that it names by its place."""
        for way in REFERRED:
            said = PATTERNS[way].sub(self._referred, said)
        if all(kind == PART for _, kind in marks(said)):
            said = PATTERNS["first_few"].sub(self._first, said)
            for way in self._ordered:
                said = PATTERNS[way].sub(self._referred, said)
        return said

    def _spanned(self, found: re.Match[str]) -> str:
        first, last = (self._places.get(end.lower()) for end in found.groups())
        if first is None or last is None or first >= last:
            return found[0]
        return " , ".join(mark(place, LETTER) for place in range(first, last + 1))

    def _lettered(self, found: re.Match[str]) -> str:
        place, before = self._places.get(found[0].lower()), found.string[: found.start()].split()[-1:]
        return found[0] if place is None or self._words.intersection(map(loose, before)) else mark(place, LETTER)

    def _referred(self, found: re.Match[str]) -> str:
        """Marks for "option B" or "the first and the last one"; the words themselves where one of them is none."""
        kind = "refs" if "refs" in found.re.groupindex else "ords"
        if kind == "refs":
            places = self._called if found.re == PATTERNS["called"] else self._places
            wanted = [places.get(one) for one in PATTERNS["parted"].split(found["refs"]) if one]
        else:
            wanted = [self._ordinal(one) for one in re.findall(ORDINAL, found["ords"])]
        known, before = [place for place in wanted if place is not None], found[0][: found.start(kind) - found.start()]
        return before + " , ".join(mark(place, LETTER) for place in known) if len(known) == len(wanted) else found[0]

    def _first(self, found: re.Match[str]) -> str:
        """Marks for "the first two" and "the last two"."""
        few = FEW.get(found["few"] or found["and_few"], 0)
        first = self._number - few if found["last"] or found["final"] else 0
        return " , ".join(mark(first + place, LETTER) for place in range(few)) if 0 < few < self._number else found[0]

    def _ordinal(self, word: str) -> int | None:
        place = next((place for place, each in enumerate(ORDINALS) if re.fullmatch(each, word)), self._number - 1)
        return place if place < self._number else None


def _letter(name: str) -> str:
    """`a` of "A: Price", where options carry letters or numbers themselves."""
    rest = unlabelled(name)
    found = PATTERNS["own_letter"].match(name.removesuffix(rest)) if rest != name else None
    return found[1] if found else ""


def unlabelled(name: str) -> str:
    """A folded name without "Option A:", "a)" or "1." before it."""
    return loose(PATTERNS["label"].sub("", name))
