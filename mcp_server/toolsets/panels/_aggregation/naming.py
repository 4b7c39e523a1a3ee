"""Where a text names one of some options: by the whole name, or by words of it that no other option has. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from rapidfuzz.distance import OSA

from mcp_server.toolsets.panels._aggregation.candidates import FUNCTION, PART, TABLES, UNCLEAR, WHOLE, mark, vocabulary
from mcp_server.toolsets.panels._aggregation.texts import plain

TOKEN = re.compile(r"(?:qu|[cdjlmnst])'(?=[^\W\d_])|[^\W_]+(?:-[^\W_]+)*[+#]*(?:'s?\b)?")
GLOSS = re.compile(r"\(([^()]*)\)|:\s(.+)$|\s[-\u2013\u2014]\s(.+)$")
JOINED = re.compile(r"[,;&/+]|\b(?:and|or|und|oder|et|ou|y|o)\b")
BESIDE = re.compile(r"(?:(?! - |\s*-{2})[^\S\n]|[,&/+%()'\"-])*")
ENDINGS = ("ings", "ing", "ies", "ied", "ed", "es", "en", "er", "em", "s", "e", "n", "y")
SAME: Mapping[str, str] = {word: same for same, words in TABLES["same"].items() for word in words.split()}
COGNATES = [(re.compile(ending), same) for ending, same in TABLES["cognates"].items()]
COMMON = vocabulary("words", "common")  # no names of options by themselves
DENYING = vocabulary("polarity", "negation")  # "problem" is not "No problem"
ARTICLES, LEADING = vocabulary("words", "articles"), vocabulary("words", "leading")
STEM, SLIP, TWO_SLIPS = 3, 6, 9  # letters that stay of a stem, and from which on a word may have one slip, or two
WORDS, HYPHENED = re.compile(r"[^\W\d_]{3,}"), re.compile(r"[^\W_]+(?:-[^\W_]+)+")
SPAN, TO = re.compile(r"(?<=\d)-(?=\d)"), " ?(?:[-\u2013\u2014]|to|bis|a|hasta) ?"
BETWEEN = 2  # small words between two of a name
Named = frozenset[str]
Found = tuple[tuple[int, int], Mapping[int, str]]
"""Where a word stands, and the options that it may stand for, each with the word of its name."""


class Names:
    """The ways to name each of some options."""

    def __init__(self, labels: Sequence[str]) -> None:
        folded = [plain(label) for label in labels]
        ways = [dict.fromkeys(_ways(label)) for label in folded]
        shared = Counter(way for each in ways for way in each)
        self._ways = [
            [way for way in each if shared[way] == 1] or [frozenset(_tokens(label))]
            for each, label in zip(ways, folded, strict=True)
        ]
        words = [frozenset(_tokens(label)) for label in folded]
        self._all = [(whole, frozenset[str]().union(*each)) for whole, each in zip(words, self._ways, strict=True)]
        often = Counter(same for each in words for same in {*map(_stem, each)})
        self._rare = [{word for word in each - ARTICLES if often[_stem(word)] == 1} for each in words]
        # A word of a gloss alone does not name its option: "(fast chargers)".
        main = [set(_content(GLOSS.sub(" ", label))) or each for label, each in zip(folded, words, strict=True)]
        self._own = [
            {word for word in each & main[place] - LEADING if not _is_number(word) and DENYING.isdisjoint(words[place])}
            for place, each in enumerate(self._rare)
        ]
        # "Less than 3 times" is named by nothing less than "less than 3": the words of another amount are the same.
        self._amounts = {n for n, each in enumerate(words) if not self._own[n] and any(map(_is_number, each))}
        self.is_numeric = 2 * len(self._amounts) > len(words) > 1
        for place in self._amounts if self.is_numeric else ():
            tokens = _tokens(folded[place])
            last = max(at for at, token in enumerate(tokens, 1) if _is_number(token))
            self._ways[place] = [frozenset(tokens[:last])]
            self._all[place] = (words[place], self._ways[place][0])
        hyphened = {
            token: SPAN.sub(TO, token).replace("-", " ?") for label in folded for token in HYPHENED.findall(label)
        }
        pairs = {pair for label in folded for pair in pairwise(WORDS.findall(label)) if pair[1] not in FUNCTION}
        together = {
            " ".join(pair): re.sub("[ck]", "[ck]", f"{pair[0]}{_stem(pair[1])}") + "[a-z]{0,3}" for pair in pairs
        }
        self._spelled = [(way, re.compile(rf"\b{form}\b")) for way, form in sorted((hyphened | together).items())]
        self._known: dict[str, list[tuple[int, str]]] = {}
        for place, each in enumerate(words):
            for word in sorted(each):
                for form in {word, _stem(word)}:
                    self._known.setdefault(form, []).append((place, word))

    def marked(self, text: str) -> str:
        """The folded text with a mark for each option that it names, and a sign where it may be one of several."""
        for whole, pattern in self._spelled:
            text = pattern.sub(whole, text)
        found = list(self._found(text))
        pieces, end, at = [], 0, 0
        while at < len(found):
            named, last = self._named(text, found, at)
            if named:
                pieces += [text[end : found[at][0][0]], named]
                end = found[last][0][1]
            at = last + 1
        return "".join([*pieces, text[end:]])

    def _found(self, text: str) -> Iterator[Found]:
        """Each word with the options that it may stand for; an unknown one with hyphens in its parts."""
        for one in TOKEN.finditer(text):
            meant = self._meant(_bare(one[0])) or self._meant(one[0])
            if meant or "-" not in one[0]:
                yield one.span(), meant
            else:
                for part in re.finditer(r"[^-]+", one[0]):
                    yield (one.start() + part.start(), one.start() + part.end()), self._meant(part[0])

    def _named(self, text: str, found: Sequence[Found], at: int) -> tuple[str, int]:
        """The mark of the option that is named from the word `at` on, and its last word; none where two are."""
        if JOINED.fullmatch(text[slice(*found[at][0])]):
            return "", at
        runs = {place: _run(text, found, at, place, self._all[place]) for place in found[at][1]}
        names = {
            place: WHOLE if any(way <= words for way in self._ways[place]) or len(words - FUNCTION) > 1 else PART
            for place, (words, _) in runs.items()
            if any(way <= words for way in self._ways[place])
            or not (
                words.isdisjoint(self._own[place] if len(words) == 1 else self._rare[place])
                or (self.is_numeric and place in self._amounts)
            )
        }
        most = max((len(runs[place][0]) for place in names), default=0)
        longest = [place for place in names if len(runs[place][0]) == most]
        if len(longest) > 1:
            said = {_bare(text[slice(*span)]) for span, _ in found[at : max(runs[place][1] for place in longest) + 1]}
            longest = [one for one in longest if names[one] == WHOLE and runs[one][0] <= said] or longest
        if len(longest) == 1:
            return mark(longest[0], names[longest[0]]), runs[longest[0]][1]
        shared = [place for place, word in found[at][1].items() if word not in FUNCTION]
        return UNCLEAR if len(shared) > 1 else "", at

    def _meant(self, word: str) -> dict[int, str]:
        """The options that a word may stand for, each with the word of its name."""
        known = [*self._known.get(_stem(word), ()), *self._known.get(word, ())]
        known = known or [*self._known.get(TABLES["also"].get(word, ""), ())]
        if word in FUNCTION:  # "pas" is no "pass"
            known = [(place, same) for place, same in known if same == word]
        if not known:
            slips = 1 + (len(word) >= TWO_SLIPS) if len(word) > STEM and word not in FUNCTION else 0
            near = {
                form: distance
                for form in (self._known if slips else ())
                if form[:1] == word[:1] and len(form) > STEM
                if (distance := _distance(word, form, slips)) <= slips
                # A letter more or less, or two that changed places: staff is no stuff.
                if len(word) >= SLIP or len(word) != len(form) or sorted(word) == sorted(form)
            }
            known = self._known[min(near, key=lambda form: near[form])] if near else []
        return dict(known)


def _distance(word: str, form: str, most: int) -> int:
    """The slips between them, or between their stems."""
    return min(OSA.distance(one, form, score_cutoff=most) for one in {word, _stem(word) if len(word) > SLIP else word})


def _run(text: str, found: Sequence[Found], at: int, place: int, name: tuple[Named, Named]) -> tuple[set[str], int]:
    """The words of one option side by side from the word `at` on, and the last of them; small ones where needed."""
    (whole, needed), words, last = name, {found[at][1][place]}, at
    small = set[str]()
    for one, (span, meant) in enumerate(found[at + 1 :], start=at + 1):
        if not BESIDE.fullmatch(text[found[one - 1][0][1] : span[0]]) or meant.get(place) in words - FUNCTION:
            break  # what says a word of it again begins anew: "not Basic Plus, just Basic"
        if meant.get(place, "") not in (FUNCTION - needed) | {""}:
            words.add(meant[place])
            last = one
        elif place in meant and one == last + 1 and whole <= words | small | {meant[place]}:  # "not clean enough"
            last = one
        elif text[slice(*span)] not in FUNCTION - DENYING or one - last > BETWEEN:  # "cheese, not goat cheese"
            break
        small |= {meant[place]} if place in meant else set()
    return words, last


def _ways(label: str) -> Iterator[Named]:
    """The sets of words each of which is a name of the option: the whole, what is listed in it, and glosses."""
    yield from (frozenset(words) for part in _parts(label) if (words := _content(part)))


def _parts(label: str) -> list[str]:
    main = GLOSS.sub(" ", label) if GLOSS.sub(" ", label).strip() else label
    glosses = (next(filter(None, found.groups()), "") for found in GLOSS.finditer(label))
    named = [part for gloss in glosses for part in JOINED.split(gloss) if not COMMON.issuperset(_content(part))]
    return [label, main, *JOINED.split(main), *named]


def _tokens(text: str) -> list[str]:
    return [_bare(found[0]) for found in TOKEN.finditer(text)]


def _is_number(word: str) -> bool:
    return word[:1].isdecimal()


def _content(text: str) -> list[str]:
    words = _tokens(text)
    return [word for word in words if word not in FUNCTION] or words


def _bare(token: str) -> str:
    """Without hyphens and what an apostrophe brings; words that languages share, in one spelling."""
    word = token.removesuffix("'s").strip("'")
    word = word if any(map(str.isdecimal, word)) else word.replace("-", "")  # "3-5" is not 35
    for ending, same in COGNATES:
        word = ending.sub(same, word)
    return SAME.get(word, word)


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM:
            return word[: -len(ending)]
    return word
