"""Lists in the wording."""

import pytest

from app.internal_api.panels.understanding.lists import groups, lettered, lines, plain_lines, split
from app.internal_api.panels.understanding.reading import read


@pytest.mark.parametrize(
    "text",
    ["Q?\n- tea\n- ale", "Q?\n* tea\n* ale", "Q?\n1. tea\n2. ale", "Q?\na) tea\nb) ale", "Q?\n[ ] tea\n[ ] ale"],
)
def test_lines_with_marks_are_a_list(text: str) -> None:
    assert lines(read(text)) == (("Tea", "Ale"), 3)


@pytest.mark.parametrize("text", ["Q?\n- tea", "tea - ale", "2019 - 2024\n5 - 6 people"])
def test_a_lone_line_is_no_list(text: str) -> None:
    assert lines(read(text))[0] == ()


@pytest.mark.parametrize("text", ["Q?\nTea\nAle", "Choose:\nTea\nAle", "Q (one)?\n\nTea\nAle\n", "Hi\nQ?\nTea\nAle"])
def test_plain_lines_below_a_question_are_a_list(text: str) -> None:
    assert plain_lines(read(text))[0] == ("Tea", "Ale")


@pytest.mark.parametrize(
    "text",
    [
        "Q?\nTea",
        "Our drinks:\nTea\nAle",
        "Please rate:\nTea\nAle",
        "Q.\nTea\nAle",
        "Q?\nIt is tea.\nIt is hot.",
        "Q?\n1\n2\n3",
        "Q?\nThanks\nAnna",
        "Q:\nTea\nAle\nOK?",
    ],
)
def test_other_lines_are_no_list(text: str) -> None:
    assert plain_lines(read(text))[0] == ()


@pytest.mark.parametrize(
    "text", ["Q: (a) tea (b) ale", "Q: a) tea, b) ale", "Q: 1) tea 2) ale", "Q: (1) tea; (2) ale."]
)
def test_letters_and_numbers_in_their_order_make_a_list(text: str) -> None:
    assert lettered(read(text))[0] == ("Tea", "Ale")


@pytest.mark.parametrize("text", ["Q: (b) tea (c) ale", "see 3) and 4)", "(a) tea (1) ale"])
def test_letters_out_of_order_are_no_list(text: str) -> None:
    assert lettered(read(text))[0] == ()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("tea, ale or milk", ("Tea", "Ale", "Milk")),
        ("tea; ale, dark; milk", ("Tea", "Ale, dark", "Milk")),
        ("tea / ale", ("Tea", "Ale")),
        ("tea/ale", ("Tea", "Ale")),
        ("$1,000, $2,000", ("$1,000", "$2,000")),
        ("tea (hot, cold), ale", ("Tea (hot, cold)", "Ale")),
        ("1, 2-3, 4 or more", ("1", "2-3", "4 or more")),
        ("2 cups, 3 cups or fewer", ("2 cups", "3 cups or fewer")),
        ("more or fewer", ("More", "Fewer")),
        ("e.g. tea, ale", ()),
        ("such as tea, ale", ()),
        ("tea", ()),
        ("tea and ale", ()),
        ("0,5 l, 1,5 l", ("0,5 l", "1,5 l")),
        ("1,2,3", ("1", "2", "3")),
        ("tea and/or ale", ("Tea", "Ale")),
        ("1,5", ()),
        ("tea, ale and milk", ("Tea", "Ale", "Milk")),
        ("tea, fish and chips, or milk", ("Tea", "Fish and chips", "Milk")),
        ("gin & tonic, rum & coke", ("Gin & tonic", "Rum & coke")),
        ("gin and tonic, ale, and milk", ("Gin and tonic", "Ale", "Milk")),
    ],
)
def test_a_piece_is_split_at_its_strongest_separator(text: str, options: tuple[str, ...]) -> None:
    assert split(read(text), 0, len(read(text).text)) == options


def test_and_separates_where_something_is_chosen() -> None:
    assert split(read("tea and ale"), 0, 11, conjoined=True) == ("Tea", "Ale")


def test_what_stands_in_brackets_is_found() -> None:
    text = "a (b, c) [d, e]"

    assert [text[start:end] for start, end in groups(text, 0, len(text))] == ["b, c", "d, e"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("never, two or three times a week, or daily", ("Never", "Two or three times a week", "Daily")),
        ("never, once or twice a month", ("Never", "Once or twice a month")),
        ("nie, ein- oder zweimal pro Woche oder oft", ("Nie", "Ein- oder zweimal pro Woche", "Oft")),
        ("one, two or three times", ("One", "Two", "Three times")),
        ("one or two", ("One", "Two")),
    ],
)
def test_an_amount_of_two_numbers_is_one_option(text: str, options: tuple[str, ...]) -> None:
    assert split(read(text), 0, len(text)) == options
