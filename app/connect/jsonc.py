"""Sets one member of a JSON text as people write it, with comments and trailing commas: nothing else in it changes."""

import json
import re
from collections.abc import Iterator
from typing import Any

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_DECODER = json.JSONDecoder()


def plain(text: str) -> str:
    """`text` as JSON has it: blanks, as many, stand for comments and for commas that nothing follows."""
    return _blanked(_TRAILING, _blanked(_COMMENT, text))


def edited(text: str, table: str, name: str, value: Any) -> str:
    """`text`, which is an object, with `value` as the member `name` of its member `table`."""
    bare, unit = plain(text), re.search(r'^([ \t]+)"', text, re.MULTILINE)
    line, at = "\r\n" if "\r\n" in text else "\n", bare.find("{")

    def written(value: Any, margin: str) -> str:
        return json.dumps(value, indent=unit[1] if unit else 2, ensure_ascii=False).replace("\n", line + margin)

    if at < 0:  # empty, or comments alone
        return text + written({table: {name: value}}, "") + line
    for key, wanted in ((table, {name: value}), (name, value)):
        spans = {known: span for known, *span in _members(bare, at)}
        margin = re.match(r"[ \t]*", text[text.rfind("\n", 0, at) + 1 :])[0]  # type: ignore[index]  # it always matches
        if key not in spans:
            last = max((end for _, end in spans.values()), default=at + 1)
            close = bare.index("}", last)
            has_comma, inner = "," in _blanked(_COMMENT, text)[last:close], margin + (unit[1] if unit else "  ")
            head = text[:last] + ("," if spans and not has_comma else "") + text[last:close].rstrip()
            member = f"{json.dumps(key)}: {written(wanted, inner)}" + ("," if has_comma else "")
            return f"{head}{line}{inner}{member}{line}{margin}{text[close:]}"
        at, end = spans[key]
    return text[:at] + written(value, margin + (unit[1] if unit else "  ")) + text[end:]


def _members(bare: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The members of the object that begins at `at`, with the places where their values begin and end."""
    at = _next(bare, at + 1)
    while bare[at] != "}":
        name, at = _DECODER.raw_decode(bare, at)
        start = _next(bare, at)
        _, end = _DECODER.raw_decode(bare, start)
        yield name, start, end
        at = _next(bare, end)


def _next(bare: str, at: int) -> int:
    return len(bare) - len(bare[at:].lstrip(" \t\r\n:,"))


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda one: one[0] if one[0].startswith('"') else re.sub(r"[^\r\n]", " ", one[0]), text)
