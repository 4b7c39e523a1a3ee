"""The parts of a reply that lists options, and what they say besides. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from mcp_server.toolsets.panels._aggregation.candidates import (
    ANY,
    CANDIDATE,
    CORRECTED,
    FUNCTION,
    LETTER,
    PART,
    STRIKES,
    STRUCK,
    WHOLE,
    WORD,
    Patterns,
    marks,
    places,
    struck,
    vocabulary,
)
from mcp_server.toolsets.panels._aggregation.numbers import ADVERBS
from mcp_server.toolsets.panels._aggregation.positions import PATTERNS, unlabelled
from mcp_server.toolsets.panels._aggregation.texts import BULLET, bare, loose

LONGEST = 200  # characters of an option that nobody offered; what is longer is an essay
STRONG = re.compile(r"[;|\n]+")
FEW = 3  # words of a part that names something which was not offered
SMALL = FUNCTION | vocabulary("words", "naming")
UNWANTED = Patterns("unwanted")
FAINT = (SMALL | vocabulary("words", "care")) - vocabulary("words", "approving")
NUMBERED = re.compile(r"\s*\d{1,2}[.)]\s")
SENTENCE = re.compile(r"[.!;\n]+")


def is_small(part: str) -> bool:
    """Whether nothing but small words stands around the options."""
    said = CANDIDATE.sub(" ", PATTERNS["owner"].sub(" ", part))
    words = [word for word in WORD.findall(said) if not word.endswith(ADVERBS)]
    return SMALL.issuperset(words)


def is_item(part: str) -> bool:
    """Whether it is what a list may have besides options: one or two words that name something."""
    words = WORD.findall(part)
    return len(words) <= FEW and 0 < len(set(words) - SMALL) < FEW and not PATTERNS["no_item"].search(part)


def without_explanation(text: str) -> str:
    """A list of lines alone: what stands below it explains it, and what leads to it with a colon, too."""
    lines = text.strip().splitlines()
    bullets = [place for place, line in enumerate(lines) if BULLET.match(line) or NUMBERED.match(line)]
    if not bullets[1:]:
        return text
    leads = "\n".join(lines[: bullets[0]]).rstrip().endswith(":")
    return "\n".join(lines[bullets[0] if leads else 0 : bullets[-1] + 1])


def agreed(text: str) -> str:
    """Of a list or table that says yes or no to each option those with a yes, a line each."""
    lines = [line for line in text.splitlines() if WORD.search(line)]
    rows = [found for found in map(PATTERNS["agreed"].match, lines) if found]
    if len(rows) < max(2, len(lines) - 1):  # one may be the heading
        return text
    names = [row["name"] for row in rows if row["yes"]]
    return "\n".join(name.upper() if len(name) == 1 else name for name in names)


def only_letters(marked: str) -> str:
    """Its first sentence, where that is nothing but letters of options and no other sentence has any."""
    first = SENTENCE.split(marked.strip(), 1)[0]
    kinds, all_kinds = ([kind for _, kind in marks(text)] for text in (first, marked))
    letters = all_kinds.count(LETTER)
    return first if kinds and letters == len(kinds) == kinds.count(LETTER) and is_small(first) else marked


def taken_back(marked: str) -> str:
    """What a correction takes back: the whole list where some of it is named again, or only one; else the last item."""
    found = CORRECTED["taken_back"].match(marked)
    rest = marked[found.end() :] if found else ""
    again = set(places(UNWANTED["refused"].sub(struck, STRIKES["denied"].sub(struck, rest))))
    is_whole = PATTERNS["only"].match(rest) or (found and len(again) > 1 and again & set(places(found["out"])))
    return "taken_back" if is_whole else "last_taken_back"


def is_doubtful(said: str) -> bool:
    """Whether a sentence leaves open which options are meant, or denies something that is none of those it names."""
    if PATTERNS["undecided"].search(said) or _is_mixed(said) or _is_told_of_again(said) or _goes_on(said):
        return True
    named = [part for part in SENTENCE.split(PATTERNS["explained"].sub("", said)) if CANDIDATE.search(part)]
    return any(PATTERNS["denies"].search(part) for part in named if STRUCK not in {kind for _, kind in marks(part)})


def _goes_on(said: str) -> bool:
    """Whether it adds what is none of its options: "e-mails, and twice a month slides", "plus veggie on Mondays"."""
    joined = [PATTERNS["joined"].split(part) for part in PATTERNS["between"].split(said) if ANY.search(part)]
    named = [
        one for part in joined if part[1:] for one in part if not (ANY.search(one) or PATTERNS["remark"].match(one))
    ]
    return not all(map(is_small, named)) or any(map(PATTERNS["added"].search, besides(said)))


def _is_told_of_again(said: str) -> bool:
    """Whether something is said of an option that was taken back."""
    gone = {(place, kind) for place, kind in marks(said) if kind == STRUCK}
    again = {(place, kind) for place, _ in gone for kind in (WHOLE, LETTER)}
    return not all(is_small(part) for part in PATTERNS["segment"].split(said) if not again.isdisjoint(marks(part)))


def _is_mixed(said: str) -> bool:
    """Whether something is said of some of the options and not of others: "noise, but breakfast was lovely"."""
    named = [part for part in PATTERNS["segment"].split(PATTERNS["explained"].sub("", said)) if ANY.search(part)]
    told = [found["told"] for part in named if (found := PATTERNS["copula"].search(part))]
    is_alike = len(told) == len(named) or PATTERNS["likewise"].search(said)
    return not is_alike and any(not FAINT.issuperset(WORD.findall(part)) for part in told)


def last_named(said: str) -> Mapping[int, int]:
    """How each option is named last; a word of one beside the name of another names neither."""
    last = dict[int, int]()
    for part in PATTERNS["segment"].split(said):
        named, again = marks(part), is_small(part)
        is_beside = any(kind in {WHOLE, LETTER} for _, kind in named)
        known = {place for place, kind in last.items() if not (again and kind == STRUCK)}
        last |= {place: kind for place, kind in named if kind != PART or not (is_beside or place in known)}
    return last


def besides(marked: str) -> list[str]:
    """The parts without an option, apart from headings, explanations, and paragraphs that have none."""
    marked = "\n\n".join(part for part in marked.split("\n\n") if ANY.search(part)) or marked
    parts = map(loose, PATTERNS["segment"].split(PATTERNS["explained"].sub("", marked)))
    return [part for part in parts if part and not ANY.search(part)]


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
