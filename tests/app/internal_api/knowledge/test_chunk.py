"""Passages: whole, ordered, citable, of a bounded size."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.internal_api.knowledge.chunk import MOST, chunk_document
from app.internal_api.knowledge.documents import Document, SourceRefused

PROSE = st.text(alphabet="ab .!?\n#€é漢字。`~-\t", max_size=1500)
MARKDOWN = st.lists(
    st.one_of(
        st.from_regex(r"#{1,7} [a-z]{1,12}( [a-z]{1,9}){0,3}", fullmatch=True),
        st.integers(1, 400).map(lambda count: "Word " * count + "end."),
        st.text("漢字仮名。", min_size=1, max_size=1200),
        st.just("```\n# not a heading\n```"),
        st.just(""),
    ),
    max_size=12,
).map("\n".join)


def _document(text: str, pages: tuple[int, ...] | None = None) -> Document:
    return Document("Title", text, "notes.txt", None, "text/plain", pages)


def _sentences(count: int, *, about: str = "bread") -> str:
    return " ".join(f"Sentence number {n} says something new about {about} and flour." for n in range(count))


def _is_subsequence(wanted: str, given_text: str) -> bool:
    remaining = iter(given_text)
    return all(char in remaining for char in wanted)


def test_a_short_line_alone_above_a_text_is_its_heading_and_runs_into_no_sentence() -> None:
    text = (
        "The mill\n\nIt has two wheels.\n\nRent, and water\n\nThere are nine taps.\n\nThe fair\n\nIt is in May.\n\nBye"
    )

    chunks = chunk_document(_document(text))

    assert [(chunk.heading, chunk.text) for chunk in chunks] == [
        ("The mill", "It has two wheels."),
        ("Rent, and water", "There are nine taps."),
        ("The fair", "It is in May.\n\nBye"),
    ]


@pytest.mark.parametrize("text", ["Ducks\nGeese\n\nThey swim.", "Is it open?\n\nYes, it is.", "Ducks\n\nGeese\n\nHens"])
def test_a_list_or_a_sentence_is_no_heading(text: str) -> None:
    assert [chunk.heading for chunk in chunk_document(_document(text))] == [None]


@given(st.one_of(PROSE, MARKDOWN, st.text(max_size=400)))
@example("# A\n## B\n# C\n\ntext\n# D")
@example("a" * 9000)
def test_every_character_of_the_document_is_in_a_chunk_in_its_order(text: str) -> None:
    chunks = chunk_document(_document(text))

    bare = re.sub(r"^#{1,6}[ \t]+", "", text, flags=re.MULTILINE)
    said = "".join(f"{chunk.heading or ''}{chunk.text}" for chunk in chunks)
    assert _is_subsequence("".join(bare.split()).replace("#", ""), said)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))


@given(st.one_of(PROSE, MARKDOWN))
def test_no_chunk_is_empty_or_larger_than_a_passage(text: str) -> None:
    chunks = chunk_document(_document(text))

    assert all(chunk.text.strip() for chunk in chunks)
    assert all(len(chunk.text) <= MOST for chunk in chunks)


def test_a_long_text_is_cut_between_sentences_and_says_the_last_one_again() -> None:
    chunks = chunk_document(_document(_sentences(100)))

    assert len(chunks) > 3
    assert all(chunk.text.startswith("Sentence number") and chunk.text.endswith(".") for chunk in chunks)
    for earlier, later in pairwise(chunks):
        last = earlier.text[earlier.text.rindex("Sentence") :]
        assert later.text.startswith(last)


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        (
            "Preface.\n# Baking\nIntro.\n## Rye\nRye is sour.\n## Wheat\nWheat is mild.\n# Selling\nSell it.",
            [
                (None, "Preface."),
                ("Baking", "Intro."),
                ("Baking > Rye", "Rye is sour."),
                ("Baking > Wheat", "Wheat is mild."),
                ("Selling", "Sell it."),
            ],
        ),
        ("# One\n# Two\ntext\n## Three", [(None, "One"), ("Two", "text"), ("Two", "Three")]),
        ("# Setup\n```\n# install it\nmake\n```\nDone.", [("Setup", "```\n# install it\nmake\n```\nDone.")]),
    ],
)
def test_headings_are_kept_as_a_path_and_code_is_not_read_for_them(
    text: str, passages: list[tuple[str | None, str]]
) -> None:
    assert [(chunk.heading, chunk.text) for chunk in chunk_document(_document(text))] == passages


def test_a_chunk_stays_on_its_page() -> None:
    pages = [_sentences(3, about=name) for name in ("bread", "cheese", "wine")]
    starts = (0, len(pages[0]) + 2, len(pages[0]) + len(pages[1]) + 4)

    chunks = chunk_document(_document("\n\n".join(pages), starts))

    assert [(chunk.page, chunk.text) for chunk in chunks] == [(1, pages[0]), (2, pages[1]), (3, pages[2])]


@pytest.mark.parametrize("unit", ["x", "ab ", "漢", "𠀀", "ก", "é", "a. "])
def test_a_single_line_of_any_script_becomes_many_chunks(unit: str) -> None:
    text = (unit * (200_000 // len(unit))).strip()

    chunks = chunk_document(_document(text))

    assert len(chunks) >= 100
    assert max(len(chunk.text) for chunk in chunks) <= MOST
    assert sum(len(chunk.text.replace(" ", "")) for chunk in chunks) >= len(text.replace(" ", ""))


def test_japanese_is_cut_at_its_full_stops() -> None:
    text = "これは長い文章の中の一つの文です。" * 100

    chunks = chunk_document(_document(text))

    assert len(chunks) > 2
    assert all(chunk.text.startswith("これ") and chunk.text.endswith("。") for chunk in chunks)


def test_rows_of_a_table_are_not_torn() -> None:
    rows = [f"name: Person {n}; city: Town number {n} by the sea" for n in range(200)]

    chunks = chunk_document(_document("\n".join(rows)))

    assert len(chunks) > 3
    assert {line for chunk in chunks for line in chunk.text.splitlines()} == set(rows)


def test_a_wrapped_line_does_not_end_a_sentence() -> None:
    wrapped = "The baker of the village rises long before the sun and heats the oven with\n" * 3
    text = "".join(f"{wrapped}number {n} of all the kinds of wood that the forest around here has.\n" for n in range(9))

    chunks = chunk_document(_document(text.replace("\nThe baker", "\nthe baker")))

    assert len(chunks) > 1
    assert all(chunk.text.endswith("has.") for chunk in chunks)


@pytest.mark.parametrize("text", ["." * 1_000_000, '."' * 500_000, "。" * 500_000, "a\n" * 250_000])
def test_a_row_of_marks_costs_no_more_than_prose(text: str) -> None:
    # A hang is what this looks for: the test's own timeout tells it.
    assert all(len(chunk.text) <= MOST for chunk in chunk_document(_document(text)))


def test_a_text_of_nothing_but_headings_is_refused() -> None:
    with pytest.raises(SourceRefused, match="20,000 parts"):
        chunk_document(_document("# Rye\n\n" * 20_001))
