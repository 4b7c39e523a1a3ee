"""Which options an answer names: those that were offered, or, where that is not known, those that were given. Pure."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from mcp_server.toolsets.panels._aggregation.texts import WORDS, bare, loose, plain

LETTERS = 3  # characters from which a name is no letter or number of a list
LONGEST = 200  # characters of an option that nobody offered; what is longer is an essay

_PATTERNS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ANNOUNCED, REASON, CHOSEN, AROUND, MENDED, DENIED = (
    re.compile(_PATTERNS[name].replace("\n", ""), re.IGNORECASE)
    for name in ("announced", "reason", "chosen", "around", "mended", "denied")
)
LETTERED = re.compile(r"^\(?(?:[a-z]\s-|(?:[a-z]|\d{1,2})(?:[.:]|\)[.:]?))\s+(?=\S)")
LETTER = re.compile(r"^(?:(?:the |la |l')?(?:options?|opcion) )?([a-z]|\d{1,2})$")
GLOSS = re.compile(r"\s\(|:\s")
HEAD_ENDS = re.compile(r"\s\(|:\s|\s-\s|[.;,!]\s|\n|\s(?=(?:because|since|weil|denn|parce que|car|porque)\b)")
ENUMERATED = re.compile(r"(?<=[^\s;,])\s+(?=(?:\d|[a-z])\)\s)")
STRONG = re.compile(r"[;|\n]+")
SEPARATOR = re.compile(r"\s*[;|\n,/&]+\s*|\s+(?:\+|and|und|et|y)\s+", re.IGNORECASE)
ALTERNATIVE = re.compile(rf"{SEPARATOR.pattern}|[\s()]*\b(?:or|oder|ou)\b[\s()]*", re.IGNORECASE)
NONE_OF_THEM, ALL_OF_THEM = frozenset(WORDS["none_of_them"]), frozenset(WORDS["all_of_them"])


class Options:
    """The options that were offered, and the ways to name each of them."""

    def __init__(self, offered: Sequence[str]) -> None:
        unique = {loose(option): " ".join(option.split()) for option in reversed(offered) if option.strip()}
        self.labels = tuple(unique.values())[::-1]
        self._parts = max((len(SEPARATOR.split(label)) for label in self.labels), default=1)
        whole = [loose(label) for label in self.labels]
        self._named_in = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, whole)) or '(?!)'})(?!\w)")
        # The surer way first; a name that fits several options names none of them.
        self._ways: list[dict[str, str]] = []
        for form in (str, unlabelled, _letter, _head, _none):
            names = [form(name) for name in whole]
            often = Counter(names)
            pairs = zip(names, self.labels, strict=True)
            self._ways.append({name: label for name, label in pairs if name and often[name] == 1})
        if not any(len(name) < LETTERS or _letter(name) for name in whole):  # by place, where no name is a letter
            for signs in ("abcdefghijklmnopqrstuvwxyz", map(str, range(1, 100))):
                self._ways.append(dict(zip(signs, self.labels, strict=False)))

    def one(self, text: str) -> str | None:
        """The option that `text` names, alone or with an explanation behind it."""
        text = MENDED.sub("", plain(text).strip())
        named = self._named(text)
        if named is not None:
            return named
        head = HEAD_ENDS.split(LETTERED.sub("", ANNOUNCED.sub("", text)), maxsplit=1)
        named = self._named(head[0]) if len(head) > 1 else None
        rest = ALTERNATIVE.split(head[-1])
        return None if any(self._named(part) not in {None, named} for part in rest) else named

    def several(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The options that `text` lists, in their own order, and what it lists besides; none if it leaves some out."""
        if loose(text) in ALL_OF_THEM:
            return self.labels, ()
        text = ENUMERATED.sub("\n", REASON.sub("", MENDED.sub("", text.strip())))
        found, others = set(), []
        at = 0
        spans = _spans(text)
        while at < len(spans):
            name, to = self._longest(text, spans, at)
            if name is not None:
                found.add(name)
            elif other := bare(text[slice(*spans[at])]):
                others.append(other)
            at = to
        if any(DENIED.search(plain(other)) or self._named_in.search(loose(other)) for other in others):
            return (), tuple(others)  # what is said of an option there was not understood
        return tuple(label for label in self.labels if label in found), tuple(others)

    def _longest(self, text: str, spans: list[tuple[int, int]], at: int) -> tuple[str | None, int]:
        """The option that the most parts from here on name together, since options may hold separators."""
        alone = self._named(text[slice(*spans[at])])
        for to in range(min(len(spans), at + self._parts), at + 1, -1):
            part = text[spans[at][0] : spans[to - 1][1]]
            # What is an option by itself is no letter before the next one.
            name = self._ways[0].get(loose(part)) if alone else self._named(part)
            if name is not None:
                return name, to
        return alone or self.one(text[slice(*spans[at])]), at + 1

    def _named(self, text: str) -> str | None:
        name = loose(text)
        for way in self._ways:
            for form in (name, unlabelled(name), LETTER.sub(r"\1", name), *_chosen(name), _none(name)):
                if form in way:
                    return way[form]
        return None


def _letter(name: str) -> str:
    """`a` of "A: Price", where options carry letters or numbers themselves."""
    rest = unlabelled(name)
    found = LETTER.match(loose(name.removesuffix(rest))) if rest != name else None
    return found[1] if found else ""


def _chosen(name: str) -> list[str]:
    """What is left of "I'd pick the pro plan", step by step: `the pro plan`, `pro`; a letter without its word."""
    rest = loose(CHOSEN.sub("", unlabelled(name)))
    return [rest, LETTER.sub(r"\1", rest), loose(AROUND.sub("", rest)), LETTER.sub(r"\1", loose(AROUND.sub("", rest)))]


def _head(name: str) -> str:
    """`price` of "price (what it costs a month)"."""
    pieces = GLOSS.split(name, maxsplit=1)
    return loose(pieces[0]) if len(pieces) > 1 else ""


def _none(name: str) -> str:
    """One sign for all ways to say that nothing fits; it is no text that could be an option."""
    return "\0" if name in NONE_OF_THEM else ""


def unlabelled(name: str) -> str:
    """A folded name without "Option A:", "my answer is", "a)" or "1." before it."""
    return loose(LETTERED.sub("", ANNOUNCED.sub("", name)))


def _spans(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for gap in SEPARATOR.finditer(text):
        spans.append((start, gap.start()))
        start = gap.end()
    spans.append((start, len(text)))
    return [span for span in spans if text[slice(*span)].strip()]


def distinct(given: Iterable[str]) -> dict[str, str]:
    """Folded name -> how most people write it, for options that are not known. The order of `given` does not matter."""
    spellings: dict[str, Counter[str]] = {}
    for text in given:
        line = bare(text)
        for prefix in (ANNOUNCED, LETTERED):
            found = prefix.match(line.lower())
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
