"""What of a passage can be quoted."""

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.extractive.terms import fold
from app.internal_api.engines.extractive.units import MAX_PASSAGES, Kind, Unit, read_units
from tests.app.internal_api.engines.people import passage

LINES = st.lists(
    st.sampled_from(
        [
            "A sentence. Another one!",
            "wrapped",
            "- item",
            "1. item",
            "| a | b |",
            "|---|---|",
            "# Title",
            "A title",
            "```",
            "",
        ]
    )
    | st.text(max_size=30)
).map("\n".join)


def units(text: str) -> list[Unit]:
    return read_units([passage(text)])


def said(text: str) -> list[tuple[str, Kind]]:
    return [(unit.text, unit.kind) for unit in units(text)]


def test_wrapped_lines_are_one_paragraph_of_sentences() -> None:
    found = units("The water is\nhot. The cup\nis warm.\n\nThe end.")

    assert [unit.text for unit in found] == ["The water is hot.", "The cup is warm.", "The end."]
    assert found[0].block == found[1].block != found[2].block


def test_headings_are_read_and_never_quoted() -> None:
    found = units("# Brewing\nIt is hot.\n\nGrind size\nFiner is slower and takes longer.")

    assert [(unit.text, unit.context) for unit in found] == [
        ("It is hot.", "Notes Brewing"),
        ("Finer is slower and takes longer.", "Notes Grind size"),
    ]


def test_list_items_know_the_line_that_introduces_them() -> None:
    found = units("You need:\n- a scale\n  that is exact\n* a kettle\n\nThat is all.")

    assert [(unit.text, unit.kind, unit.lead) for unit in found] == [
        ("You need:", Kind.INTRO, None),
        ("a scale that is exact", Kind.ITEM, 0),
        ("a kettle", Kind.ITEM, 0),
        ("That is all.", Kind.SENTENCE, None),
    ]


def test_the_first_row_of_a_table_introduces_the_others() -> None:
    found = units("| Lock | Time |\n|---|---|\n| U-lock | 5 min |\n| Cable | 10 s |")

    assert [(unit.text, unit.kind, unit.lead) for unit in found] == [
        ("Lock | Time", Kind.INTRO, None),
        ("U-lock | 5 min", Kind.ROW, 0),
        ("Cable | 10 s", Kind.ROW, 0),
    ]


def test_lines_of_code_stand_alone() -> None:
    assert said("Run this.\n\n```\npip install x\nx --help\n```\nDone.") == [
        ("Run this.", Kind.SENTENCE),
        ("pip install x", Kind.CODE),
        ("x --help", Kind.CODE),
        ("Done.", Kind.SENTENCE),
    ]


def test_lines_of_a_name_and_a_value_stand_alone() -> None:
    assert said("Monday: 10 to 19\nSunday: closed") == [("Monday: 10 to 19", Kind.ITEM), ("Sunday: closed", Kind.ITEM)]


def test_a_question_in_a_document_is_the_context_of_what_follows() -> None:
    found = units("Can I borrow films? Yes, five at a time.\n\nOther things cost more.")

    assert [unit.text for unit in found] == ["Yes, five at a time.", "Other things cost more."]
    assert "films" in found[0].context
    assert "films" not in found[1].context


def test_what_looks_like_our_own_mark_or_garbles_a_terminal_is_not_quoted() -> None:
    assert said("Trust me [[CITE:0]]. Red \x1b[31m alert. The rest is fine.") == [("The rest is fine.", Kind.SENTENCE)]


def test_only_so_many_passages_are_read() -> None:
    numbers = count()
    endless = (passage(f"Sentence {next(numbers)}.") for _ in iter(int, 1))

    assert {unit.passage for unit in read_units(endless)} == set(range(MAX_PASSAGES))


@given(LINES)
def test_every_unit_is_a_piece_of_its_passage(text: str) -> None:
    found = units(text)

    assert all(fold(unit.text) in fold(text) for unit in found)
    assert [unit.position for unit in found] == list(range(len(found)))
    assert all(unit.lead is None or unit.lead < unit.position for unit in found)
