"""The number that a reply gives, in digits or words, in English, German, French and Spanish; or none. Pure.

Each number is weighed by the words around it: what counts something else weighs nothing, what is called the answer or
given as points weighs most. The one that weighs most is meant; where two do, none is: a wrong number is worse.
"""

import re
import unicodedata
from collections.abc import Iterator

from mcp_server.toolsets.panels._aggregation import candidates
from mcp_server.toolsets.panels._aggregation.candidates import CORRECTED, FUNCTION, TABLES, WORD, Patterns, vocabulary
from mcp_server.toolsets.panels._aggregation.texts import plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

PATTERNS, BOUNDS, EARLIER = Patterns("numbers"), Patterns("bounds", "replaced"), Patterns("aside_numbers")
VAGUE = frozenset("<>\u2264\u2265")
UNITS, COUNTERS, TELLING, THIRD, FIRST = (
    vocabulary("words", name) for name in ("units", "counters", "telling", "third", "first")
)
NOTHING, ALONE, NAMED, STATED, GIVEN = range(5)
"""What a number weighs: it counts something else, may be meant, stands as one does, or is said to be the answer."""
HUNDRED = 100
ARTICLES = vocabulary("words", "articles")
ADVERBS = ("ly", "ment", "mente")
SENTENCE, SEGMENT = re.compile(r"[.!?;\n]+"), PATTERNS["segment"]
OUT_OF = "\N{PER MILLE SIGN}"  # stands behind a number for the best that it is out of
LETTERS, FIVE_STARS = PATTERNS["letters"], 5
DROPPED = str.maketrans(f"%{OUT_OF}", "  ")
NEAR = 120  # characters around a number that tell what it counts
SHORTEST = 4  # letters of a word that is known with two of them swapped
SHORT = 16  # words of a reply in which a number that nothing speaks for is meant all the same


def number(text: str, scale: tuple[int, int] | None) -> float | None:
    """The one number in `text` that is meant, if it is on the scale.

    "8", "8.0", "7,5", "8/10", "eight out of ten", "**8** - very likely", "not 9 but 8". Never taken: "7-8" (two),
    "8/10" on a scale to 5, "11" on a scale to 10, "more than 8", "- 3" on a scale from -5, "for 3 years". Without
    a scale any single number is taken.
    """
    if PATTERNS["drawn"].fullmatch(text):  # five at most, or as many as there may be: nobody draws three of ten
        full, drawn = len(PATTERNS["full_star"].findall(text)), len(PATTERNS["star"].findall(text))
        return float(full) if scale and scale[1] in {FIVE_STARS, drawn} and full <= scale[1] else None
    text = PATTERNS["bold"].sub(rf"\1{OUT_OF}", PATTERNS["power"].sub("", text))
    text = candidates.unmarked(without_markup(text.replace("->", ":")))
    text = PATTERNS["zero"].sub("0", PATTERNS["half_sign"].sub(".5", text))
    signs = not VAGUE.isdisjoint(text) or any(unicodedata.category(sign) == "No" for sign in text)
    if signs or (scale is not None and scale[0] < 0 and PATTERNS["either"].search(text)):
        return None
    low, high = scale or (float("-inf"), float("inf"))
    text = _without_scale(PATTERNS["minus"].sub("-", PATTERNS["ish"].sub("", in_digits(text))), scale)
    if scale is not None and not any(map(str.isdecimal, text)):
        text = PATTERNS["top"].sub(str(high), PATTERNS["bottom"].sub(str(low), text))
    if PATTERNS["unclear"].search(text):
        return None
    if FIVE_STARS < high < float("inf"):  # of another scale, for nobody gives so few of more
        text = PATTERNS["stars"].sub(" # ", text)
    if high not in {HUNDRED, float("inf")}:  # shares of something else
        text = PATTERNS["share"].sub(" # ", text)
    text = PATTERNS["ratio"].sub(lambda of: f"{of[1]}{OUT_OF}" if scale is None or float(of[2]) == high else "#", text)
    value = _meant(text)
    is_share = high == HUNDRED and value is not None and 0 < value < 1
    return value if value is not None and low <= value <= high and not is_share else None


def in_digits(text: str) -> str:
    """Folded, on one line, with numbers in digits."""
    text = PATTERNS["not_one"].sub(
        " ", PATTERNS["percent"].sub("%", plain(text).replace("\n", " . ").replace("...", " . "))
    )
    text = WORD.sub(lambda found: SLIPS.get(found[0], found[0]), text)
    text = WORDS.sub(lambda found: str(VALUES[re.sub(r"[\s-]+", "_", found[0])]), PATTERNS["article"].sub("une ", text))
    text = PATTERNS["one_in"].sub("#", PATTERNS["aged"].sub("#", text))
    text = PATTERNS["grade"].sub("", PATTERNS["remark"].sub(". ", PATTERNS["spoken"].sub(".", text)))
    return PATTERNS["evens"].sub("50", PATTERNS["half"].sub(".5", text))


def _without_scale(text: str, scale: tuple[int, int] | None) -> str:
    """Without the scale's own mention, which is no answer, as in "8 on a scale of 1 to 10"."""
    if scale is None:
        return text

    def cut(found: re.Match[str]) -> str:
        return " " if (_value(found[1]), float(found[2])) == scale else found[0]

    text = PATTERNS["legend"].sub(cut, PATTERNS["scale"].sub(cut, text))
    return PATTERNS["whole"].sub(lambda found: "" if float(found[1]) == scale[1] else found[0], text)


def _meant(text: str) -> float | None:
    """The value that weighs most, where it is one."""
    found: list[tuple[float, int]] = []

    def marked(one: re.Match[str]) -> str:
        weight = _weight(text[max(0, one.start() - NEAR) : one.start()], text[one.end() : one.end() + NEAR])
        if weight < GIVEN and PATTERNS["price"].search(one[0]):
            weight = NOTHING
        found.append((_value(one[0]), weight))
        return candidates.mark(len(found) - 1) if weight and len(found) <= candidates.MOST else "#"

    text_marked = PATTERNS["number"].sub(marked, text).translate(DROPPED)
    said = candidates.settle(text_marked, BOUNDS, EARLIER)
    left = {place: found[place] for place in candidates.places(said)}
    denied = {found[place][0] for place, kind in candidates.marks(said) if kind == candidates.STRUCK}
    left = {place: each for place, each in left.items() if each[0] not in denied} or left
    first = candidates.places((PATTERNS["stands_first"].match(said) or " ")[0])  # a whole sentence
    left |= {place: (left[place][0], GIVEN) for place in first if place in left}
    most = max((weight for _, weight in left.values()), default=NOTHING)
    values = {value for value, weight in left.values() if weight == most}
    if most == GIVEN:  # "a 9 for the view, but a 4 for the food" are two, in however many ways they are said
        groups = [(each, STATED) for each in SENTENCE.split(said)]
        groups += [(one[0], ALONE) for one in PATTERNS["and_another"].finditer(said)]
        for part, least in groups:
            together = [left[place] for place in candidates.places(part) if place in left]
            if any(weight == GIVEN for _, weight in together):
                values |= {value for value, weight in together if weight >= least}
    is_meant = most > ALONE or CORRECTED["taken_back"].search(text_marked) or PATTERNS["not_but"].search(said)
    if most < STATED and (not is_meant or len(left) > 1 or len(WORD.findall(text)) > SHORT):
        return None
    return values.pop() if len(values) == 1 else None


def _weight(before: str, after: str) -> int:
    """How sure it is that a number between these words is meant."""
    if PATTERNS["counts"].match(after) or PATTERNS["counted"].search(before) or _is_theirs(before):
        return NOTHING
    if PATTERNS["points"].match(after):
        return GIVEN
    following = PATTERNS["following"].match(after.removeprefix(OUT_OF))
    is_unit = following and (
        following[1] in UNITS or (following[1] not in FUNCTION | TELLING and not _is_adverb(following[1]))
    )
    unit = following[1] if following and is_unit and not after.startswith("%") else ""
    article = PATTERNS["indefinite"].search(before)
    if unit in UNITS or (unit and not article and not after.startswith(OUT_OF)):
        return NOTHING
    lead, called = PATTERNS["lead"].search(before), PATTERNS["called"].search(before)
    word = (lead and lead[1]) or ""
    word = "" if SEGMENT.fullmatch(word) else word
    if after.startswith(OUT_OF) or _is_given(before) or called:
        return GIVEN
    near = PATTERNS["near"].search(before)
    if word in COUNTERS and not near:
        return NOTHING
    if not LETTERS.search(before) and not unit:
        return STATED
    around = LETTERS.findall(f"{SEGMENT.split(before)[-1]} {SEGMENT.split(after)[0]}")
    leads = (article and not unit) or near or PATTERNS["concludes"].search(before)
    if leads or not word or FUNCTION.issuperset(around):
        return STATED
    counts = unit and not FUNCTION.issuperset(LETTERS.findall(SEGMENT.split(before)[-1]))  # in a 2 room flat
    return NAMED if not counts and (word in FUNCTION | TELLING or _is_adverb(word)) else ALONE


def _is_given(before: str) -> bool:
    """Whether a word of rating, such as "give it a solid", leads to the number."""
    words = WORD.findall(SENTENCE.split(before)[-1])[::-1]
    for place, word in enumerate(words):
        if word in TELLING:
            return True
        adjective = place < len(words) - 1 and words[place + 1] in ARTICLES
        if word not in FUNCTION and not adjective and not _is_adverb(word):
            return False
    return False


def _is_theirs(before: str) -> bool:
    """Whether somebody else gives or says it: a verb of rating whose subject is a noun."""
    words = WORD.findall(SEGMENT.split(before)[-1])[::-1]
    subject = words[next((place for place, word in enumerate(words) if word in THIRD), len(words)) + 1 :]
    return FIRST.isdisjoint(subject) and any(word not in FUNCTION and not _is_adverb(word) for word in subject)


def _is_adverb(word: str) -> bool:
    return word.endswith(ADVERBS)


def _value(digits: str) -> float:
    text = PATTERNS["thousands"].sub("", digits).replace(",", ".").replace("\u2212", "-")
    return float(text) + 0.0  # no zero below zero


def _values() -> Iterator[tuple[str, int]]:
    for table in TABLES["numerals"].values():
        small = table["small"].split()
        yield from ((word, 100) for word in table["hundred"].split())
        for ten, word in ((int(ten), word) for ten, word in table["tens"].items()):
            for one, unit in enumerate(small[1 : 20 if ten in {60, 80} else 10], start=1):  # soixante-dix-neuf
                yield from ((way.format(ten=word, one=unit), ten + one) for way in table["joined"])
                yield from ((way.format(ten=word, one="ein"), ten + one) for way in table["joined"] if unit == "eins")
            yield from ((word, ten), (f"{word}s", ten))  # quatre-vingts
        yield from ((word, value) for value, word in enumerate(small) if word != "*")


VALUES = dict(_values())
"""Each word of a number and what it is worth."""
WORDS = re.compile(rf"\b(?:{'|'.join(sorted(VALUES, key=len, reverse=True)).replace('_', '[ -]')})\b")
SLIPS: dict[str, str] = {
    slip: word
    for word in VALUES
    if word.isalpha() and len(word) >= SHORTEST
    for before, one, other, after in (
        (word[:at], word[at], word[at + 1], word[at + 2 :]) for at in range(len(word) - 1)
    )
    for slip in (f"{before}{other}{one}{after}", f"{before}{one}{one}{other}{after}")
    if slip not in FUNCTION and slip not in VALUES
} | TABLES["slips"]
"""Misspelt words of numbers, such as those with a letter twice or two in the wrong order, and the right ones."""
