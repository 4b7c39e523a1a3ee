"""Each type of question reads a value in its own way, and says when there is nothing to count."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._aggregation.numbers import number
from mcp_server.toolsets.panels._aggregation.reading import Reading, failure, options_of, settled, why
from mcp_server.toolsets.panels._aggregation.reading import read as read_as
from mcp_server.toolsets.panels._revising import coded_value
from mcp_server.toolsets.panels._study import AskedQuestion, Code, Mark, Reply
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, several


def read(asked: AskedQuestion, value: str | None, message: str = "") -> Reading:
    reply = Reply(persona="Ada", group="Founders", value=value, message=message)
    return read_as(asked, options_of(asked, asked.replies), reply)


@pytest.mark.parametrize("asked", [several(), several(replies(["a; b"]), options=())])
def test_wanting_none_of_the_options_is_an_answer(asked: AskedQuestion) -> None:
    assert read(asked, "None of these.") == Reading(usable=True)
    assert not read(asked, "").usable


def test_who_chooses_more_than_the_question_allows_is_not_counted() -> None:
    asked = replace(several(options=("Price", "Speed", "Staff")), most=2)

    assert read(asked, "Price and staff").choices == ("Price", "Staff")
    assert not read(asked, "Price, speed, staff").usable
    with pytest.raises(InvalidArguments, match="2 of them at most"):
        coded_value(asked, "Price; Speed; Staff")


@pytest.mark.parametrize("value", ["Quiet; dear", "Quiet;Dear", " quiet ;  DEAR "])
def test_themes_are_given_by_hand_as_results_show_them(value: str) -> None:
    codes = (Code("Quiet", (), "c1"), Code("Dear", (), "c2"))

    assert coded_value(open_question(coded_by="model", codebook=codes), value) == "Quiet; Dear"


def test_who_wavers_between_two_is_in_doubt_and_has_no_view_where_nothing_is_named() -> None:
    said = ("6 or 7, hard to say", "Either Price or Quality, I can't decide.", "hard to say")
    asked = (AskedQuestion("q", "?", "scale", scale=(1, 10)), choice(), choice())

    replied = [Reply("Ada", "All", value=text) for text in said]
    read_so = [settled(one, options_of(one, ()), reply)[0] for one, reply in zip(asked, replied, strict=True)]

    assert [reply.status for reply in read_so] == ["uncoded", "uncoded", "declined"]


def test_other_words_count_as_the_options_that_they_are_told_to_mean() -> None:
    one, many = choice(options=("Price", "Quality")), several(options=("Price", "Quality", "Speed"))
    said = "Le tarif, mais pas la vitesse."

    def told(asked: AskedQuestion, value: str, **meant: str) -> tuple[Reply, Reading]:
        codes = tuple(Mark(option, option, words) for option, words in meant.items())
        return settled(asked, options_of(asked, ()), Reply("Ada", "All", value=value, status="uncoded", codes=codes))

    reply, reading = told(one, "Der Tarif.", Price="Tarif")
    assert (reply.value, reply.raw, reply.codes) == ("Price", "Der Tarif.", None)
    assert reading.choices == ("Price",)
    assert told(many, said, Price="tarif", Speed="vitesse")[1].choices == ("Price",)
    assert told(one, "Quality. The tariff is fine.", Price="The tariff is fine")[1].choices == ("Quality",)
    assert told(one, "Something else", Price="")[0].status == "uncoded"
    assert told(one, "I'm not going to answer that.", Price="not going to answer that")[0].status == "declined"
    assert not told(many, "Quality und Gebühren")[1].usable


def test_other_words_add_to_what_is_read_only_in_its_own_sentence_and_take_nothing_from_it() -> None:
    asked = several(options=("Price", "Quality", "Speed"))

    def chosen(value: str, option: str, words: str) -> tuple[str, ...]:
        codes = (Mark(option, option, words),)
        return settled(asked, options_of(asked, ()), Reply("A", "All", value=value, status="uncoded", codes=codes))[
            1
        ].choices

    assert chosen("Price und das Tempo bei allem", "Speed", "Tempo bei allem") == ("Price", "Speed")
    assert chosen("Price. The tempo of the staff is another thing.", "Speed", "tempo of the staff") == ("Price",)
    assert chosen("Price, and never the tempo", "Price", "and never the tempo") == ("Price",)


def test_a_word_of_one_option_counts_for_nothing_within_the_words_that_mean_another() -> None:
    asked = several(options=("Later last train", "Express trains", "Free plan with extras"))
    said = {"dernier train plus tard": "Later last train", "plan gratis con extras de pago": "Free plan with extras"}

    for words, option in said.items():
        reply = Reply("A", "All", value=f"Le {words}", status="uncoded", codes=(Mark(option, option, words),))
        assert settled(asked, options_of(asked, ()), reply)[1].choices == (option,)


def test_without_known_options_those_count_that_were_given() -> None:
    one = choice(replies(["Price", "price.", "Speed"]), options=())
    lists = several(replies(["Price; speed", "Speed", "none"]), options=())

    assert options_of(one, one.replies).labels == options_of(lists, lists.replies).labels == ("Price", "Speed")
    assert read(one, "**PRICE**").choices == ("Price",)
    assert len(read(lists, "speed, price").choices) == 2


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


TO_TEN = (1, 10)


EIGHT = (
    "8", " 8. ", "8.0", "8/10", "8 / 10", "8 out of 10", "8 (out of 10)", "8 von 10", "8 sur 10", "8 de 10", "**8**",
    "`8`", "Rating: 8", "8 - very likely", "- 8", "8/10 because of 2 things", "8 on a scale of 1 to 10", "1-10: 8",
    "8, definitely 8", "eight", "\N{FULLWIDTH DIGIT EIGHT}", "8分",
)  # fmt: skip
UNCLEAR = (
    "", "rather high", "0", "11", "-3", "10.5", "1,000", "7-8", "7 or 8", "7 to 8", "1-10", "8/5",
    "Sept, voire huit", "7 o incluso 8", "sieben oder sogar acht", "6 — 1 would be awful, 10 perfect",
    "4/10 or 5/10", "24/7 support", "80 %", "8%", "> 8", "8²", "8th", "Q3", "8.5.1", "more than 8", "less than 5",
    "at least 7", "not 8", "over 8/10", "mehr als 8", "8+", "8 or higher", "minus 3", "9" * 400,
)  # fmt: skip


@pytest.mark.parametrize("text", EIGHT)
def test_the_number_on_the_scale_is_found(text: str) -> None:
    assert number(text, TO_TEN) == 8


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_is_no_point_of_the_scale_is_unclear(text: str) -> None:
    assert number(text, TO_TEN) is None


def test_other_scales_have_other_points() -> None:
    assert number("-3", (-5, 5)) == -3
    assert number("\N{MINUS SIGN}3 to me", (-5, 5)) == -3
    assert number("80 %", (0, 100)) == 80
    assert number("1,000", (0, 5_000)) == 1_000
    assert number("4/5", (1, 5)) == 4
    assert number("7,5", (1, 10)) == number("7.5", (1, 10)) == 7.5
    assert (number("12", None), number("12 or 13", None)) == (12, None)


MINUS_THREE = (
    "-3", "\N{EN DASH}3", "\N{EM DASH}3", "\N{NON-BREAKING HYPHEN}3", "\N{FULLWIDTH HYPHEN-MINUS}3", "minus 3",
    "Negative 3", "moins 3", "Score: \N{EN DASH}3", "**\N{EN DASH}3** on \N{EN DASH}5 to 5", "\N{EN DASH}3/5",
)  # fmt: skip


DASHES = ("- 3", "\N{EN DASH} 3", "score-3", "- 3/5")


@pytest.mark.parametrize(("text", "read"), [(each, -3) for each in MINUS_THREE] + [(each, None) for each in DASHES])
def test_a_minus_counts_however_it_is_written_and_of_a_dash_nothing_is_guessed(text: str, read: int | None) -> None:
    assert number(text, (-5, 5)) == read


@given(st.integers(-50, 150), st.sampled_from(["{}", "{}/100", " {}.", "**{}**", "{} out of 100", "Score: {}"]))
def test_every_form_gives_the_number_or_nothing_off_the_scale(value: int, form: str) -> None:
    assert number(form.format(value), (0, 100)) == (value if 0 <= value <= 100 else None)
