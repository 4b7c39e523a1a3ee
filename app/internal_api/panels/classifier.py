"""Reads the response format of a survey question from its wording. Pure.

An explicit type wins; then a stated scale ("on a scale of 1 to 10", "rate it 1-5", "out of 10"), listed options (lists
of lines, "(a) … (b) …", "Which one: A, B or C?", "Do you prefer A or B?"), and yes/no by the opening auxiliary verb.
Everything else is an open question.

It does not guess a scale ("How satisfied are you?" is open), nor where alternatives begin inside a sentence ("Is it
cheap or dear?" is open, since "yes" would be no answer), does not tell a list of things talked about from a list to
choose from, and knows German, French and Spanish by the words of `classifier.toml` only. To be sure, give the type.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.internal_api.engines.snippets import distinct
from app.internal_api.errors import BadRequest
from app.internal_api.models.asking import GivenClassification

USUAL_SCALE = (1, 10)  # of a question that shall have a scale and states none
LONGEST_PHRASE = 10  # words of an option inside a sentence
EDGES = ' \t\n\r.,:;?!¿¡"“”„«»'
MOST_OPTIONS, LONGEST_OPTION = 50, 200
MOST_POINTS, FARTHEST_POINT = 101, 1_000  # of a scale: how many, and how far from zero
INVALID_SCALE, INVALID_OPTIONS, INVALID_CLASSIFICATION = "INVALID_SCALE", "INVALID_OPTIONS", "INVALID_CLASSIFICATION"

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NUMBERS: Mapping[str, int] = _TABLE["numbers"]


def _compiled() -> Iterator[dict[str, re.Pattern[str]]]:
    """The patterns, the lists and the openings of the table by their names."""
    uncounted = (rf"(?<!\b{word})" for word in (*NUMBERS, "more", "mehr", "más", "plus", "once"))
    parts = {"count": rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})", "uncounted": rf"(?<!\d){''.join(uncounted)}"}

    def whole(pattern: str) -> str:
        return re.sub("[A-Z]{2,}", lambda name: parts[name[0].lower()], pattern.replace("\n", ""))

    for name, pattern in _TABLE["parts"].items():
        parts[name] = whole(pattern)
    for table in ("patterns", "lists", "openings"):
        yield {name: re.compile(whole(one), re.IGNORECASE | re.MULTILINE) for name, one in _TABLE[table].items()}


_PATTERNS, _LISTS, _OPENINGS = _compiled()


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """How a question is to be answered."""

    type: str
    scale: tuple[int, int] | None = None  # lowest and highest point, both included; None unless `type` is scale
    options: tuple[str, ...] = ()  # distinct, in the order of the wording; empty unless some may be chosen
    most: int | None = None  # how many options may be chosen at most; None for as many as there are


def own_words(text: str) -> str:
    """What a follow-up asks, without the note behind it of whom it follows and which question."""
    return text.partition("\n\n(Follow-up for ")[0]


def classify(text: str, given: GivenClassification | None = None) -> ResponseFormat:
    """The format as it is given, and by the wording where nothing is.

    Raises `BadRequest`: what is given contradicts itself or the question, or the wording names an impossible scale.
    """
    wanted = given or GivenClassification()
    kind = checked_type(wanted)
    scale = None if wanted.scale_range is None else checked_scale(wanted.scale_range)
    options = distinct(" ".join(option.split()) for option in wanted.options)
    if options and (fault := fault_of(options)):
        raise BadRequest(fault, {"code": INVALID_OPTIONS})
    if kind == "qualitative" or (given is None and _PATTERNS["reason"].match(text)):
        return ResponseFormat("qualitative")
    if kind == "scale" or (kind is None and not options and (scale := stated_scale(text))):
        return ResponseFormat("scale", scale=scale or stated_scale(text) or USUAL_SCALE)
    if options := options or listed_options(text):
        return _choice(text, options, kind, wanted.most)
    if options := yes_or_no(text):
        return _choice(text, options, kind or "categorical", wanted.most)
    if kind is None:
        return ResponseFormat("qualitative")
    message = f"A {kind} question needs at least two options: name them in the question or give a list."
    raise BadRequest(message, {"code": INVALID_OPTIONS})


def stated_scale(text: str) -> tuple[int, int] | None:
    """The scale that the wording gives. Raises BadRequest for one that is called a scale and cannot be one."""
    if found := _PATTERNS["scale_of"].search(text) or _PATTERNS["range_scale"].search(text):
        return checked_scale(_ends(found))
    if found := _PATTERNS["points"].search(text):
        points = _number(found[1])
        return checked_scale((0, points - 1) if points == 11 else (1, points))  # noqa: PLR2004 - 0 to 10 has eleven
    anchors = [float(point or other) for point, other in _PATTERNS["anchor"].findall(text)]
    candidates = [
        *([(min(anchors), max(anchors))] if anchors else []),
        *map(_ends, _PATTERNS["bracketed"].finditer(text)),
    ]
    for sentence, _ in _sentences(text):
        if _PATTERNS["rates"].search(sentence):
            ranges = (
                found
                for found in _PATTERNS["range"].finditer(sentence)
                if not _PATTERNS["amount"].match(sentence, found.end())
            )
            candidates += map(_ends, ranges)
            candidates += ((1, float(high)) for high in _PATTERNS["out_of"].findall(sentence))
    # What nobody calls a scale must at least begin and end as scales do.
    usual = ((low, high) for low, high in candidates if (low in {0, 1} or low == -high) and high in range(3, 101))
    return next(((int(low), int(high)) for low, high in usual), None)


def listed_options(text: str) -> tuple[str, ...]:
    """The options that the wording lists, word for word; empty where it lists none."""
    if options := _options(_PATTERNS["item"].findall(text)):
        return options
    for sentence, before in _sentences(text):
        if options := _options(_PATTERNS["lettered"].split(sentence)[1:]) or _in_sentence(sentence, before):
            return options
    return ()


def yes_or_no(text: str) -> tuple[str, ...]:
    """Yes and no in the language of the first question, where that opens as such questions do or names the two."""
    if _PATTERNS["more_than_two"].search(text):
        return ()
    for sentence, _ in _sentences(text):
        opening = next(
            (tuple(answers.split("/")) for answers, pattern in _OPENINGS.items() if pattern.match(sentence)), ()
        )
        if _PATTERNS["yes_or_no"].search(sentence):
            return opening or ("Yes", "No")
        if sentence.endswith("?"):
            return () if _PATTERNS["no_yes_no"].search(sentence) else opening
    return ()


def _choice(text: str, options: tuple[str, ...], kind: str | None, most: int | None) -> ResponseFormat:
    """One or several of the options; a limit that allows all of them is none."""
    stated = next(map(_number, _PATTERNS["at_most"].findall(text)), 0)
    several = stated > 1 or _PATTERNS["several"].search(text)
    if kind == "categorical" or (kind is None and not several):
        return ResponseFormat("categorical", options=options)
    limit = most or stated
    return ResponseFormat("multiselect", options=options, most=limit if 0 < limit < len(options) else None)


def _ends(found: re.Match[str]) -> tuple[float, float]:
    """Both ends of a range, the lower first: also of "from 10 (best) to 1 (worst)"."""
    ends = float(found["low"]), float(found["high"])
    return min(ends), max(ends)


def _number(word: str) -> int:
    return NUMBERS.get(word.lower()) or int(word)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the one before it."""
    before = ""
    for found in _PATTERNS["sentence"].finditer(text):
        yield found.group().rstrip(), before
        before = found.group().rstrip()


def _in_sentence(sentence: str, before: str) -> tuple[str, ...]:
    if (found := _PATTERNS["after_colon"].match(sentence)) and (
        _PATTERNS["chooses"].search(found["lead"]) or _PATTERNS["chooses"].search(before)
    ):
        return _phrases(found["list"])
    if not (sentence.endswith("?") or before.endswith("?")):
        return ()
    found = next((found for pattern in _LISTS.values() if (found := pattern.search(sentence))), None)
    return _phrases(found["list"]) if found else ()


def _phrases(text: str) -> tuple[str, ...]:
    """A list inside a sentence; empty where its parts are too long for one, or begin as questions do."""
    masked = _PATTERNS["quoted"].sub(lambda quoted: "x" * len(quoted.group()), text)
    cuts = [found.span() for found in _PATTERNS["separator"].finditer(masked)]
    names_or = _PATTERNS["any_or"].search(masked)
    if cuts and not names_or and (last := _PATTERNS["and"].search(masked, cuts[-1][1])):
        cuts.append(last.span())
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    pieces = [text[start:end].strip(EDGES) for start, end in zip(starts, ends, strict=True)]
    if not names_or and len(pieces) < 3:  # noqa: PLR2004 - one comma does not make a list
        return ()
    too_long = any(len(piece.split()) > LONGEST_PHRASE for piece in pieces)
    beginnings = (_PATTERNS["no_option"], *_OPENINGS.values())
    return () if too_long or any(each.match(piece) for each in beginnings for piece in pieces) else _options(pieces)


def _options(pieces: Iterable[str]) -> tuple[str, ...]:
    """The pieces as options; empty where they cannot be the options of one question."""
    found = distinct(piece for each in pieces if (piece := each.strip(EDGES)))
    return () if fault_of(found) else found


def checked_type(given: GivenClassification) -> str | None:
    """The type that is named, or that a scale or a number of choices implies; else None. Raises BadRequest."""
    kind, scale, most = given.type, given.scale_range, given.most
    no_scale = f"A question of the type {kind} has no scale. Leave the scale out, or make the type scale."
    no_options = f"A question of the type {kind} has no options. Make the type categorical or multiselect."
    no_most = "How many may be chosen can only be said of a multiselect question."
    for refused, message in (
        (scale is not None and given.options, "A question has a scale or options, not both."),
        (scale is not None and kind not in {None, "scale"}, no_scale),
        (given.options and kind not in {None, "categorical", "multiselect"}, no_options),
        (most is not None and (kind not in {None, "multiselect"} or scale is not None), no_most),
        (most is not None and most < 1, "At least one option must be allowed."),
    ):
        if refused:
            raise BadRequest(message, {"code": INVALID_CLASSIFICATION})
    return kind or ("scale" if scale is not None else "multiselect" if most is not None else None)


def checked_scale(scale: Sequence[float]) -> tuple[int, int]:
    """Both ends as whole numbers. Raises BadRequest."""
    if len(scale) != 2:  # noqa: PLR2004 - its two ends
        raise BadRequest("A scale is two whole numbers: its lowest and its highest point.", {"code": INVALID_SCALE})
    low, high = scale
    if not (float(low).is_integer() and float(high).is_integer()):
        raise BadRequest("The ends of a scale must be whole numbers, such as 1 and 10.", {"code": INVALID_SCALE})
    if low >= high:
        message = (
            f"A scale from {low:g} to {high:g} has nothing to choose from: its lowest point must be below its highest."
        )
        raise BadRequest(message, {"code": INVALID_SCALE})
    if max(abs(low), abs(high)) > FARTHEST_POINT or high - low + 1 > MOST_POINTS:
        most = f"A scale may have at most {MOST_POINTS} points between {-FARTHEST_POINT} and {FARTHEST_POINT}."
        raise BadRequest(f"{most} Use a range such as 1 to 10 or 0 to 100.", {"code": INVALID_SCALE})
    return int(low), int(high)


def fault_of(options: Sequence[str]) -> str | None:
    """Why these cannot be the options of one question; None where they can."""
    if not all(options):
        return "An option is blank. Give every option a text."
    if any(len(option) > LONGEST_OPTION for option in options):
        return f"An option is longer than {LONGEST_OPTION} characters. Shorten it."
    if any(";" in option for option in options):
        return "An option holds a semicolon, which separates chosen options. Reword it."
    if not 1 < len(options) <= MOST_OPTIONS:
        return f"There are {len(options)} different options. Give between 2 and {MOST_OPTIONS}."
    return None
