"""Which options an answer names: those that were offered, or, where that is not known, those that were given. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from mcp_server.toolsets.panels._aggregation import parts
from mcp_server.toolsets.panels._aggregation.candidates import (
    CANDIDATE,
    LETTER,
    PART,
    STRUCK,
    UNCLEAR,
    WHOLE,
    Patterns,
    marks,
    places,
    settle,
    struck,
    unmarked,
)
from mcp_server.toolsets.panels._aggregation.naming import Names
from mcp_server.toolsets.panels._aggregation.numbers import VALUES
from mcp_server.toolsets.panels._aggregation.polarity import QUESTIONED, partly_declines, phrased, polar, polarity
from mcp_server.toolsets.panels._aggregation.positions import PATTERNS, Positions, unlabelled
from mcp_server.toolsets.panels._aggregation.texts import WORDS, bare, loose, plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

PREFERRED = Patterns("replaced", "second", "unwanted")
LISTS = [re.compile(sign) for sign in (r"\0", ";", r"[,;]|\s(?:and|und|et|y|&)\s")]
ON, OFF = "\u2713\u2717"
SURE = {WHOLE, LETTER}  # how an option is named
CHOSEN, TOO_MUCH, RESTATED, FOREIGN = map(Patterns, ("chosen", "aside_options", "restated", "foreign"))
NONE_OF_THEM, ALL_OF_THEM = frozenset(WORDS["none_of_them"]), frozenset(WORDS["all_of_them"])
Found = tuple[str, ...]


class Options:
    """The options that were offered, and the ways to name each of them."""

    def __init__(self, offered: Sequence[str]) -> None:
        unique = {loose(option): " ".join(option.split()) for option in reversed(offered) if option.strip()}
        self.labels = tuple(unique.values())[::-1]
        whole = [loose(label) for label in self.labels]
        self._exact = _unique([loose(without_markup(label)) for label in self.labels]) | _unique(whole)
        # The surer way first; a name that fits several options names none of them.
        for form in (unlabelled, lambda name: loose(PATTERNS["article"].sub("", name)), _none):
            self._exact = _unique([form(name) for name in whole]) | self._exact
        self._names = Names([unlabelled(name) for name in whole])
        self._positions = Positions(whole, are_amounts=self._names.is_numeric)
        self._polar = polar(whole)

    def offers(self, text: str) -> bool:
        """Whether `text` is one of the options and nothing else, such as "No opinion", or a list of them."""
        return bool(self.listed(text)) or bool(self._polar and phrased(text))

    def one(self, text: str) -> str | None:
        """The option that `text` names, alone or with an explanation around it."""
        if (exact := self._exactly(text)) is not None:
            return self.labels[exact]
        if self.none and names_none(text):
            return self.none[0]
        marked = self._marked(text)
        if self._names.is_numeric and any(map(str.isdecimal, marked)):
            return None  # another amount: "4 of 5 stars"
        said = settle(PATTERNS["lesser"].sub(r"\1 no, ", marked), PREFERRED, TOO_MUCH)
        if partly_declines(text) and SURE.isdisjoint(kind for _, kind in marks(said)):
            return None
        if PATTERNS["undecided"].search(said) or PATTERNS["tied"].search(said):
            return None
        weights = {place: weight for place, weight in _weighed(said).items() if place not in self._polar.values()}
        weights = weights or dict.fromkeys(places(said) if self._names.is_numeric else (), CHOSEN_ONE)  # "3-5 a week"
        most = [place for place in weights if weights[place] == max(weights.values())]
        if not weights and self._polar and (side := polarity(text)):
            return self.labels[self._polar[side]]
        return self.labels[most[0]] if len(most) == 1 else None

    def listed(self, text: str) -> Found:
        """The options of a text that is one of them, or a list of nothing else, as models are asked for."""
        for named in ([self._exactly(part) for part in way.split(text)] for way in LISTS):
            if None not in named and "\n" not in text.strip():  # "C" above "- Price" is no label of it
                return tuple(label for place, label in enumerate(self.labels) if place in named)
        return ()

    def named(self, text: str) -> dict[int, int]:
        """The places of those that it names, and how each is named."""
        return dict(marks(self._marked(text)))

    def surely(self, text: str) -> set[str]:
        """Those that it names by more than a word of theirs."""
        return {self.labels[place] for place, kind in self.named(text).items() if kind in SURE}

    def several(self, text: str) -> tuple[Found, Found]:
        """The options that `text` lists, in their own order, and what it lists besides; none if it leaves some out."""
        if exact := self.listed(text):
            return exact, ()
        text = parts.without_explanation(parts.agreed(text))
        marked = parts.only_letters(PATTERNS["brackets"].sub("", self._marked(text)))
        every = PATTERNS["everything"].search(marked)
        rest = every and (every["rest"] or every["other"])
        if every and (rest or every["all"] or self._are_all(every["every"])):
            left = set(places(rest or ""))
            return tuple(label for place, label in enumerate(self.labels) if place not in left), ()
        said = settle(marked, parts.UNWANTED, TOO_MUCH, parts.taken_back(marked), RESTATED)
        if UNCLEAR in said or PATTERNS["continued"].search(said) or parts.is_doubtful(said):
            return (), ()
        named, besides = parts.last_named(said), parts.besides(marked)
        others = [part for part in besides if parts.is_item(part)]
        foreign = [FOREIGN["words"].search(each.lower()) for each in (text, " ".join(self.labels))]
        is_foreign, in_words = foreign[0] and not foreign[1], others == besides and not parts.STRONG.search(text)
        named_so = [one for one in others if in_words and parts.SMALL.isdisjoint(re.findall(r"\w+", one))]
        if named_so or (others and is_foreign):
            return (), ()  # it may be the name of an option, misspelt, in other words or in another language
        written = {loose(part): bare(part) for part in PATTERNS["segment"].split(text)}
        found = tuple(label for place, label in enumerate(self.labels) if named.get(place, STRUCK) != STRUCK)
        return found, tuple(written.get(part, part) for part in others)

    @property
    def none(self) -> Found:
        """The option that says that nothing of what was offered fits, where there is one."""
        return (self.labels[self._exact["\0"]],) if "\0" in self._exact else ()

    def _are_all(self, said: str) -> bool:
        """Whether "all of them", or "all six", are as many as were offered."""
        last = said.rsplit(maxsplit=1)[-1]
        return (
            loose(said) in ALL_OF_THEM
            or str(len(self.labels)) in {last, str(VALUES.get(last))}
            or bool(PATTERNS["noun"].fullmatch(last))
        )

    def _exactly(self, text: str) -> int | None:
        name = "" if QUESTIONED.fullmatch(text) else loose(text)
        forms = (name, loose(without_markup(name)), unlabelled(name), _none(name))
        return next((self._exact[form] for form in forms if form in self._exact), None)

    def _marked(self, text: str) -> str:
        """The folded text with a mark for each option that it names, by itself or by its place."""
        text = PATTERNS["unticked"].sub(OFF, PATTERNS["ticked"].sub(ON, unmarked(text)))
        lettered = self._positions.lettered(PATTERNS["quotes"].sub("", without_markup(text)))
        return _uncrossed(self._positions.marked(PATTERNS["listed"].sub("", self._names.marked(plain(lettered)))))


CHOSEN_ONE, STRESSED = range(1, 3)  # what an option weighs: it is chosen or stands alone, or stands first


def _uncrossed(said: str) -> str:
    """With the options struck that have a cross, which stands before each or behind each."""
    sign, option = re.search(f"[{ON}{OFF}]", said), CANDIDATE.search(said)
    if sign is None or option is None:
        return said
    return PATTERNS["crossed_before" if sign.start() < option.start() else "crossed_after"].sub(struck, said)


def _weighed(said: str) -> Mapping[int, int]:
    """The options that a settled text chooses, and how sure that is; what it only speaks of is not chosen."""
    found = {place: CHOSEN_ONE for way in CHOSEN for one in way.finditer(said) for place in places(one[0])}
    sentences = [part for part in parts.SENTENCE.split(said) if CANDIDATE.search(part)]
    for part in (part for sentence in sentences for part in PATTERNS["part"].split(sentence)):
        if parts.is_small(part):
            found |= dict.fromkeys(places(part), CHOSEN_ONE)
    for run in PATTERNS["run"].finditer(said):
        left_out = {STRUCK} if PATTERNS["joined"].search(run[0]) else {STRUCK, PART}
        listed_in = [place for place, kind in marks(run[0]) if kind not in left_out]
        if any(place in found for place in listed_in):
            found |= dict.fromkeys(listed_in, max(found.get(place, 0) for place in listed_in))
    # What is left where another was taken back was put in its place; what alone is named is meant if only named.
    kinds = {kind for _, kind in marks(said)}
    is_meant = STRUCK in kinds or (kinds == {WHOLE} and not PATTERNS["spoken_of"].search(said))
    if not found and len(set(places(said))) == 1 and WHOLE in kinds and is_meant:
        found = dict.fromkeys(places(said), CHOSEN_ONE)
    # A first sentence that is nothing but an option is explained by the others.
    first = sentences[0].strip() if sentences else "-"
    if said.strip().startswith(first) and parts.is_small(first) and not all(map(parts.is_small, sentences)):
        found |= dict.fromkeys(places(first), STRESSED)
    return found


def _unique(names: Sequence[str]) -> dict[str, int]:
    often = Counter(names)
    return {name: place for place, name in enumerate(names) if name and often[name] == 1}


def _none(name: str) -> str:
    """One sign for all ways to say that nothing fits; it is no text that could be an option."""
    return "\0" if name in NONE_OF_THEM else ""


def names_none(text: str) -> bool:
    """Whether it says that nothing of what was offered fits."""
    return loose(text) in NONE_OF_THEM or PATTERNS["none"].search(plain(without_markup(text))) is not None
