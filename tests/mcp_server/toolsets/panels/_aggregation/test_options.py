"""An answer names an option in many ways, and never one that it may not mean."""

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.options import Options

OFFERED = Options(["Price", "Quality", "Café, bar", "C++", "C#", "C", "A plan (monthly)", "Yes", "No"])
LETTERED = Options(["A: Price", "B: Quality"])


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Price", "Price"),
        ("  price. ", "Price"),
        ("**PRICE**", "Price"),
        ("“Price”", "Price"),
        ("Option A: Price", "Price"),
        ("A) Price", "Price"),
        ("(a) price", "Price"),
        ("1. Price", "Price"),
        ("My answer is quality", "Quality"),
        ("Antwort: Quality", "Quality"),
        ("cafe, bar", "Café, bar"),
        ("c++.", "C++"),
        ("C#", "C#"),
        ("c", "C"),
        ("A plan", "A plan (monthly)"),
        ("Price - it is what I look at", "Price"),
        ("Price\nIt is what I look at.", "Price"),
        ("Price (too high)", "Price"),
        ("Yes, because no one else does it", "Yes"),
        ("No. Thanks", "No"),
        ("Definitely not", "No"),
        ("Price because it is what I look at", "Price"),
        ("I would choose price", "Price"),
        ("I'd go with C++, since I know it", "C++"),
        ("Definitely price!", "Price"),
        *((text, None) for text in ("", "Speed", "B", "None", "not price", "anything but price")),
        *((text, None) for text in ("I would not choose price", "Price, Quality", "Yes and no")),
        ("Price (mostly) or quality", None),
    ],
)
def test_an_option_is_found_through_its_ornament_and_none_or_two_are_unclear(text: str, option: str | None) -> None:
    assert OFFERED.one(text) == option


@pytest.mark.parametrize(
    ("text", "option"),
    [("A", "A: Price"), ("Option b", "B: Quality"), ("b)", "B: Quality"), ("Quality", "B: Quality"), ("C", None)],
)
def test_letters_count_where_the_options_carry_them(text: str, option: str | None) -> None:
    assert LETTERED.one(text) == option


@pytest.mark.parametrize("text", ["None", "none of these", "Keine davon", "None of the above."])
def test_an_offered_way_to_want_nothing_is_an_option(text: str) -> None:
    offered = Options(["Price", "None of these"])

    assert offered.one(text) == "None of these"
    assert offered.several(text) == (("None of these",), ())
    assert Options(["None of these", "Nothing"]).one("keine") is None


def test_a_name_that_fits_two_options_names_none_and_each_is_offered_once() -> None:
    options = Options(["Basic (monthly)", "Basic (yearly)"])

    assert options.one("Basic") is None
    assert options.one("basic (yearly)") == "Basic (yearly)"
    assert Options(["Price", " price ", "", "Quality"]).labels == ("Price", "Quality")


@pytest.mark.parametrize(
    ("text", "found", "others"),
    [
        ("Price; Quality", ("Price", "Quality"), ()),
        ("quality, PRICE", ("Price", "Quality"), ()),
        ("Price, Café, bar, c#", ("Price", "Café, bar", "C#"), ()),
        ("- Price\n- quality", ("Price", "Quality"), ()),
        ("1. Price\n2. Quality (very)", ("Price", "Quality"), ()),
        ("Price and quality", ("Price", "Quality"), ()),
        ('["Price", "C++"]', ("Price", "C++"), ()),
        ("Price; price; PRICE", ("Price",), ()),
        ("Price; speed", ("Price",), ("speed",)),
        ("Price, speed", (), ()),
        ("speed", (), ()),
        ("", (), ()),
    ],
)
def test_a_list_is_cut_into_the_options_that_it_names(
    text: str, found: tuple[str, ...], others: tuple[str, ...]
) -> None:
    assert OFFERED.several(text) == (found, others)


@pytest.mark.parametrize(
    "text",
    [
        "Price and quality. C++ I write at home.",
        "I pick quality at work, price I skip.",
        "Price. Quality comes from elsewhere.",
        "Compro price, la quality la llevo de casa.",
    ],
)
def test_a_list_is_in_doubt_where_something_is_said_of_one_only(text: str) -> None:
    assert OFFERED.several(text) == ((), ())


@pytest.mark.parametrize("text", ["Not a Bus.", "not a Bus!", "What annoys me is the Bus.", "Bus? Too expensive."])
def test_an_option_that_is_denied_or_complained_of_is_not_chosen(text: str) -> None:
    assert Options(["Car", "Bus", "On foot"]).one(text) is None


@pytest.mark.parametrize(
    "text", ["Todo menos la granja y la Price", "Everything except the farm and price", "Alles außer Dings, Price"]
)
def test_all_but_something_that_is_not_understood_is_in_doubt(text: str) -> None:
    options = Options(["Price", "Quality", "Speed"])

    assert options.several(text) == ((), ())
    assert options.several("Everything except the price") == (("Quality", "Speed"), ())


def test_a_word_of_an_option_that_denies_it_does_not_name_it() -> None:
    options = Options(["Fees", "Noise", "No real problem"])

    assert options.one("The biggest problem by far is the Noise.") == "Noise"
    assert options.one("No real problem, honestly.") == "No real problem"
    assert options.one("The biggest problem is something else.") is None


def test_an_ordinal_is_no_place_where_an_option_has_one() -> None:
    options = Options(["Friday", "Weekend", "First class"])

    assert options.one("The first one") is None
    assert options.one("First class") == "First class"
    assert options.several("the first two") == (("Friday", "Weekend"), ())


def test_the_longest_option_wins_where_one_holds_another() -> None:
    options = Options(["Reports", "Reports, weekly", "weekly", "Chat; voice"])

    assert options.several("Reports, weekly; Chat; voice") == (("Reports, weekly", "Chat; voice"), ())


@example(["C", "Price"], "\n- ")
@given(st.lists(st.sampled_from(OFFERED.labels), unique=True), st.sampled_from(["; ", ", ", "\n", "\n- ", " and "]))
def test_any_list_of_options_is_read_as_itself(chosen: list[str], separator: str) -> None:
    assert set(OFFERED.several(separator.join(chosen))[0]) == set(chosen)


@pytest.mark.parametrize(
    "offered",
    [
        ("Hepatitis A", "Flu", "Hepatitis B"),
        ("Lunch, free", "Gym", "Bus ticket (zone A)"),
        ("Plus", "Basic", "Pro", "Pro Plus"),
        ("Less than 1 hour", "1 to 2 hours", "2 to 4 hours", "More than 4 hours"),
        ("Vitamin A", "Vitamin C", "Vitamin D", "Iron"),
        ("Group C", "Group B"),
        ("Bus 2", "Tram A"),
        ("Option A", "Option B", "Both"),
        ("Other", "Don't know", "Yes"),
        ("Salt & pepper", "Salt", "Pepper"),
    ],
)
def test_a_list_of_nothing_but_options_is_those_whatever_is_in_their_names(offered: tuple[str, ...]) -> None:
    for number in range(1, len(offered) + 1):
        for chosen in combinations(offered, number):
            assert Options(offered).several("; ".join(chosen)) == (chosen, ())
            assert Options(offered).offers("; ".join(chosen))


def test_a_small_word_tells_two_names_apart() -> None:
    tiers = Options(("Plus", "Basic", "Pro", "Pro Plus"))

    assert tiers.several("I would use Pro Plus and Basic.")[0] == ("Basic", "Pro Plus")
    assert [tiers.one(f"I'd pick {one}.") for one in ("Pro", "Pro Plus", "Plus")] == ["Pro", "Pro Plus", "Plus"]


@pytest.mark.parametrize(
    ("offered", "text", "option"),
    [
        (("Team B", "Team A"), "I would go for plan A", "Team A"),
        (("Team B", "Team A"), "Option 2", "Team A"),
        (("Hepatitis A", "Flu", "Hepatitis B"), "Hepatitis B, please", "Hepatitis B"),
        (("1 day", "2 days", "3 days"), "two days please", None),
        (("Gym", "Lunch", "Bus (zone A)"), "A", None),
        (("Gym", "Lunch", "Pool"), "A", "Gym"),
    ],
)
def test_a_letter_or_number_in_a_name_is_that_names(offered: tuple[str, ...], text: str, option: str | None) -> None:
    assert Options(offered).one(text) == option


@given(st.text(max_size=80))
def test_only_options_are_found(text: str) -> None:
    assert OFFERED.one(text) in {None, *OFFERED.labels}
    assert set(OFFERED.several(text)[0]) <= set(OFFERED.labels)


TRAVEL = ("Bus", "Night bus", "Tram", "Car", "Car sharing")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Car, not car sharing", "Car"),
        ("Bus, not the night bus.", "Bus"),
        ("Nicht Night bus, sondern Bus", "Bus"),
        ("Car-sharing for me", "Car sharing"),
        ("Voy en tram", "Tram"),
        ("Meine Stimme geht an Car sharing", "Car sharing"),
        ("Fast immer mit dem Night bus", "Night bus"),
        ("It should become a tram", "Tram"),
        ("Is the tram included?", None),
        ("They pushed me towards the tram", None),
        ("The tram has the best seats", None),
        ("At first I took the tram", None),
    ],
)
def test_the_only_option_that_is_named_is_meant_unless_something_is_said_of_it(said: str, meant: str | None) -> None:
    assert Options(TRAVEL).one(said) == meant


def test_a_name_ends_where_a_denial_or_a_word_of_it_begins_anew() -> None:
    pizza = Options(["Cheese", "Goat cheese", "Onions", "Red onions", "Olives"])

    assert pizza.several("Onions (not the red ones) and cheese")[0] == ("Cheese", "Onions")
    assert pizza.several("Goat cheese and cheese")[0] == ("Cheese", "Goat cheese")
    assert pizza.several("Cheese, not goat cheese, and olives")[0] == ()  # are the olives denied?
