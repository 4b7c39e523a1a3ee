"""JSON as people write it: one member is set, and no other character of the text changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.connect.jsonc import edited, plain

PATH = ("servers", "minds")
NEW = {"url": "u"}

NAMES = st.sampled_from(["a", "servers", "minds", 'quo"te', "//", "/* */", "ü", ""])
VALUES = st.recursive(
    st.none() | st.integers() | st.sampled_from(["", "{", "}", ",}", "// no comment", "/* nor this */", 'a "b" \\']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
GAPS = st.sampled_from(["", " ", "\n", "\n    ", "// mine, {\n", '/* "b": 1, */', "/**/\t", " // ,}\r\n"])


@st.composite
def commented(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A text, and what it says."""
    document = draw(OBJECTS)
    if draw(st.booleans()):
        document["servers"] = draw(OBJECTS)

    def written(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value)
        signs = "{}" if isinstance(value, dict) else "[]"
        named = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        keys = (("" if name is None else f"{json.dumps(name)}{draw(GAPS)}:{draw(GAPS)}", one) for name, one in named)
        parts = [f"{key}{written(one)}" for key, one in keys]
        parts = [f"{part}{draw(GAPS)}" for part in parts]
        comma = draw(st.sampled_from(["", ","])) if parts else ""
        return f"{signs[0]}{draw(GAPS)}{f',{draw(GAPS)}'.join(parts)}{comma}{draw(GAPS)}{signs[1]}"

    return f"{draw(GAPS)}{written(document)}{draw(GAPS)}", document


@given(commented())
def test_what_stands_there_stays_and_the_new_value_is_in_its_place(told: tuple[str, dict[str, Any]]) -> None:
    text, document = told
    if not isinstance(document.get("servers", {}), dict):
        return
    had = "minds" in document.get("servers", {})

    after = edited(text, *PATH, NEW)

    assert json.loads(plain(after)) == {**document, "servers": {**document.get("servers", {}), "minds": NEW}}
    assert json.loads(plain(edited(after, *PATH, NEW))) == json.loads(plain(after))
    if not had:
        rest = iter(after)
        assert all(sign in rest for sign in text.rstrip() if not sign.isspace())  # in their order


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "{0}\n"),
        ("// mine\n", "// mine\n{0}\n"),
        ("{}", "{0}"),
        ('{\n  "a": 1 // one\n}\n', '{\n  "a": 1, // one\n  "servers": {1}\n}\n'),
        ('{\n\t"a": [1,],\n}', '{\n\t"a": [1,],\n\t"servers": {1},\n}'),
        ('{\r\n  "servers": {}\r\n}', '{\r\n  "servers": {1}\r\n}'),
        (
            '{\n  "servers": {\n    "b": {}, // its\n    // last\n  }, /* end */\n}',
            '{\n  "servers": {\n    "b": {}, // its\n    // last\n    "minds": {2},\n  }, /* end */\n}',
        ),
        (
            '{\n  "servers": {\n    "minds": {"old": 1}, // mine\n    "b": {}\n  }\n}',
            '{\n  "servers": {\n    "minds": {2}, // mine\n    "b": {}\n  }\n}',
        ),
    ],
)
def test_layout_and_comments_stay(before: str, after: str) -> None:
    unit, line = "\t" if "\t" in before else "  ", "\r\n" if "\r" in before else "\n"
    whole, table, entry = {"servers": {"minds": NEW}}, {"minds": NEW}, NEW
    for depth, value in enumerate((whole, table, entry)):
        written = json.dumps(value, indent=unit).replace("\n", line + unit * depth)
        after = after.replace(f"{{{depth}}}", written)

    assert edited(before, *PATH, NEW) == after
