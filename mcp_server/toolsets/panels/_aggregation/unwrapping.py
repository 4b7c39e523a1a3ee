"""A reply without what programs write around it: JSON, code fences, Markdown. Pure."""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from mcp_server.toolsets.panels._aggregation.candidates import TABLES, Patterns, vocabulary
from mcp_server.toolsets.panels._aggregation.texts import plain

ANSWERS, REASONS = TABLES["json"]["answers"].split(), vocabulary("json", "reasons")
PATTERNS = Patterns("unwrapping", answers="|".join(ANSWERS))
MOST_TRIED = 8  # brackets that may begin the object


def unwrapped(text: str) -> str:
    """What is answered in `text`, several answers on lines of their own; the text itself where nothing is around it."""
    inside = PATTERNS["fence"].sub(r"\1", PATTERNS["quoted"].sub("", PATTERNS["thought"].sub("", text))).strip()
    with suppress(ValueError, RecursionError):
        whole = json.loads(inside)
        return inside if isinstance(whole, int | float) and not isinstance(whole, bool) else _said(whole) or inside
    parts = [part for at, part in _parts(inside) if isinstance(part, dict) or (part and not inside[:at].strip(" :"))]
    answers = [part for part in parts if isinstance(part, dict) and not {*ANSWERS}.isdisjoint(map(plain, part))]
    if parts:
        said = {_said(part) or inside for part in answers or parts[:1]}
        return said.pop() if len(said) == 1 else ""  # a draft, and another answer
    if (torn := PATTERNS["torn"].search(inside)) is None:
        return _under_heading(inside)
    cut = PATTERNS["cut"].search(torn[0])
    return _said(json.loads(cut[2])) if cut else _under_heading(inside[: torn.start()].strip())


def _parts(text: str) -> Iterator[tuple[int, Any]]:
    """What stands there in JSON, each part that is in no other, and where."""
    end = 0
    for begin in islice(PATTERNS["begins"].finditer(text), MOST_TRIED):
        with suppress(ValueError, RecursionError):
            if begin.start() >= end:
                part, end = json.JSONDecoder(strict=False).raw_decode(text, begin.start())
                yield begin.start(), part


def _under_heading(text: str) -> str:
    """What stands behind "Answer:" on a line of its own, or on those below it, up to the next heading."""
    lines, asked, answer = text.splitlines(), PATTERNS["asked"], PATTERNS["answer"]
    headings = [(place, found) for place, line in enumerate(lines) if (found := PATTERNS["heading"].match(plain(line)))]
    again = next((place for place, found in headings if place and asked.fullmatch(found["name"])), len(lines))
    if again < len(lines):  # a model that goes on with a question of its own
        return _under_heading("\n".join(lines[:again]).strip())
    why = next((place for place, found in headings if place and found["name"].removesuffix("s") in REASONS), len(lines))
    lines = lines[:why]
    answers = [(place, found) for place, found in headings if place < why and answer.fullmatch(found["name"])]
    if len(answers) != 1 or len(lines) == 1:
        return "\n".join(lines).strip()
    place, found = answers[0]
    following = next((other for other, _ in headings if other > place), len(lines))
    rest = lines[place].partition(found["sign"])[2].strip()
    if rest.strip("*_ "):
        return rest
    return "\n".join(lines[place + 1 : following]).strip() or text


def without_markup(text: str) -> str:
    """In which no run of blanks is longer than one, apart from lines; a Spanish yes is no if, "tr\u00e8s" no three."""
    text = PATTERNS["aside"].sub(r"(\1) ", PATTERNS["very"].sub("so", text))
    text = PATTERNS["markup"].sub(" ", PATTERNS["direction"].sub(r" . \1 . ", text))
    return PATTERNS["blanks"].sub(" ", PATTERNS["accented_yes"].sub("yes", text))


def _said(value: Any) -> str:
    """The answer in a value of JSON: of an object its member of that name, or the only one besides reasons."""
    match value:
        case None:
            return "n/a"
        case bool():
            return "yes" if value else "no"
        case list():
            return "\n".join(_said(each) for each in value if each is not None)
        case dict():
            named = {plain(key).strip(): each for key, each in value.items()}
            if (answer := next((key for key in ANSWERS if key in named), None)) is not None:
                return _said(named[answer])
            rest = {key: each for key, each in value.items() if plain(key).strip() not in REASONS}
            if len(rest) == 1 and not isinstance(only := next(iter(rest.values())), bool):
                return _said(only)
            return "\n".join(f"{key}: {_said(each)}" for key, each in (rest or value).items())
        case str():
            return unwrapped(value) if value.lstrip()[:1] in {"{", "["} else value
    return str(value)
