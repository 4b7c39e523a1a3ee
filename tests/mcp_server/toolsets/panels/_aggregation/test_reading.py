"""Each type of question reads a value in its own way, and says when there is nothing to count."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._aggregation.reading import Reading, ends, failure, reader, why
from mcp_server.toolsets.panels._study import AskedQuestion, Reply
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale, several


def read(asked: AskedQuestion, value: str | None, message: str = "") -> Reading:
    _, reading = reader(asked, asked.replies)
    return reading(Reply(persona="Ada", group="Founders", value=value, message=message))


def test_a_rating_is_a_number_on_the_scale() -> None:
    assert read(scale(), "8/10").number == 8
    assert not read(scale(), "11").usable
    assert not read(scale(), None, "I would give it an 8").usable


def test_a_scale_that_was_told_upside_down_is_turned() -> None:
    asked = AskedQuestion(id="q", text="", type="scale", scale=(10, 1))

    assert read(asked, "8").number == 8
    assert ends((10, 1)) == (1, 10)
    assert ends(None) is None


def test_a_choice_is_one_of_the_options_that_were_offered() -> None:
    assert read(choice(), "price.").choices == ("Price",)
    assert not read(choice(), "Speed").usable
    assert not read(choice(), None).usable


def test_several_choices_are_told_from_what_was_not_offered() -> None:
    assert read(several(), "Price; Speed") == Reading(usable=True, choices=("Price",), others=("Speed",))
    assert read(several(), "Speed") == Reading(usable=False, others=("Speed",))


@pytest.mark.parametrize("asked", [several(), several(replies(["a; b"]), options=())])
def test_wanting_none_of_the_options_is_an_answer(asked: AskedQuestion) -> None:
    assert read(asked, "None of these.") == Reading(usable=True)
    assert not read(asked, "").usable


def test_without_known_options_those_count_that_were_given() -> None:
    asked = choice(replies(["Price", "price.", "Speed"]), options=())
    options, _ = reader(asked, asked.replies)

    assert options == ("Price", "Speed")
    assert read(asked, "**PRICE**").choices == ("Price",)


def test_without_known_options_lists_are_cut_into_them() -> None:
    asked = several(replies(["Price; speed", "Speed", "none"]), options=())
    options, _ = reader(asked, asked.replies)

    assert options == ("Price", "Speed")
    assert len(read(asked, "speed, price").choices) == 2


def test_an_open_answer_counts_when_something_was_said() -> None:
    assert read(open_question(), None, "Too slow.").usable
    assert read(open_question(), "Speed").usable
    assert not read(open_question(), " ", "\n").usable


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        ("timeout", None, "too slow"),
        ("timeout", "engine_error", "too slow"),
        ("failed", "not_ready", "not trained yet"),
        ("failed", "ODD", "ODD"),
        ("failed", None, "error"),
    ],
)
def test_a_failure_has_its_reason(status: str, error: str | None, told: str) -> None:
    reply = Reply("Zoe", "Owners", status=status, error=error)  # type: ignore[arg-type]  # a known status

    assert why(reply) == failure(reply) == told
    assert failure(replace(reply, status="answered")) == failure(replace(reply, status="pending")) == ""
