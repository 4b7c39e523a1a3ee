"""Citation marks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.citations import cite, declines, neutral, without_marks

FRAGMENTS = "[[CITE:|]]|[[|[|]|CITE|:|[[cite|NOTHING|0|1|7|,| |a|[[CITE:0]]|[[cite: 2]]|[[NOTHING]]|\n"
PIECES = st.lists(st.sampled_from(FRAGMENTS.split("|"))).map("".join)


@pytest.mark.parametrize(
    ("text", "content", "used"),
    [
        ("A [[CITE:3]]. B [[CITE:1]].", "A [[CITE:0]]. B [[CITE:1]].", [2, 0]),
        ("A [[CITE:1]] B [[CITE:1]]", "A [[CITE:0]] B [[CITE:0]]", [0]),
        ("A [[cite: 2 ]]", "A [[CITE:0]]", [1]),
        ("A [[CITE:1, 2]]", "A [[CITE:0]][[CITE:1]]", [0, 1]),
        ("A [[CITE:4]].", "A.", []),
        ("A [[CITE:0]].", "A.", []),
        ("A [[CITE:-1]].", "A.", []),
        ("A [[CITE:one]] B", "A B", []),
        ("A [[CITE:99999]] B", "A B", []),
        ("A [[CITE:1", "A", []),
        ("A [2] and [[link]]", "A [[CITE:0]] and [[link]]", [1]),
        ("Hot[3]. B [1, 3] C [1][2].", "Hot[[CITE:0]]. B [[CITE:1]][[CITE:0]] C [[CITE:1]][[CITE:2]].", [2, 0, 1]),
        ("A [4] and [0].", "A [4] and [0].", []),
        ("a[1] and [1](https://a.example) and [[1]]", "a[1] and [1](https://a.example) and [[1]]", []),
        ("A [1] B [[CITE:2]]", "A [1] B [[CITE:0]]", [1]),
        ("One.\n\nTwo [[CITE:2]]", "One.\n\nTwo [[CITE:0]]", [1]),
    ],
)
def test_marks_that_exist_are_numbered_by_first_use_and_others_vanish(text: str, content: str, used: list[int]) -> None:
    assert cite(text, 3) == (content, used)


@given(PIECES | st.text(), st.integers(0, 4))
def test_every_mark_that_is_left_has_a_source(text: str, sources: int) -> None:
    content, used = cite(text, sources)

    marks = [int(number) for number in re.findall(r"\[\[CITE:(\d+)\]\]", content)]
    assert set(marks) == set(range(len(used)))
    assert all(number < sources for number in used)


@given(PIECES)
def test_no_mark_is_left_in_a_plain_text(text: str) -> None:
    assert not re.search(r"\[\[CITE:\d+\]\]", without_marks(text))


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        ("[[NOTHING]] Sorry.", True),
        (" [[NOTHING]]", True),
        ("[[ nothing ]]", True),
        ("Well, [[NOTHING]]", False),
        ("", False),
    ],
)
def test_only_a_beginning_declines(text: str, declined: bool) -> None:
    assert declines(text) is declined


@given(PIECES | st.text())
def test_a_neutral_text_holds_no_mark(text: str) -> None:
    assert "[[" not in neutral(text)
    assert "]]" not in neutral(text)
    assert not declines(neutral(text))
