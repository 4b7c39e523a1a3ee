"""Themes are counted by persona, and each is said in somebody's own words."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.themes import codebook, gather_themed, labels_of, merged
from mcp_server.toolsets.panels._results import Quote, Theme
from mcp_server.toolsets.panels._study import AskedQuestion, Code, Mark, Reply
from tests.mcp_server.toolsets.panels._aggregation.replies import open_question, replies


def themes(asked: AskedQuestion) -> dict[str, Theme]:
    return {theme.label: theme for theme in codebook(gather_themed(asked))}


def test_a_theme_counts_personas_and_not_mentions() -> None:
    found = themes(open_question(replies(["Price; price; PRICE", "Price; Support"]), replies(["Price"], "Students")))

    assert list(found) == ["Price", "Support"]
    assert (found["Price"].count, found["Price"].share) == (3, 1)
    assert [(one.group, one.count, one.n) for one in found["Support"].by_group] == [
        ("Founders", 1, 2),
        ("Students", 0, 1),
    ]
    assert found["Price"].original_labels == ["Price", "PRICE", "price"]


def test_the_sentence_about_each_theme_is_quoted_from_another_persona_where_there_is_one() -> None:
    message = "The price is what keeps me away. Support never answered my questions."

    found = themes(open_question(replies(["Price; Support", "Price; Support"], message=message)))

    assert {(theme.quote.persona, theme.quote.text) for theme in found.values() if theme.quote} == {
        ("Founders 1", "The price is what keeps me away."),
        ("Founders 2", "Support never answered my questions."),
    }


def merged_themes(*labels: str, codebook: tuple[Code, ...] = ()) -> dict[str, str]:
    counted = dict.fromkeys(labels, 1)
    return merged(counted, codebook)


def together(one: str, other: str) -> bool:
    return len(set(merged_themes(one, other).values())) == 1


@pytest.mark.parametrize(("one", "other"), [("Price", "price."), ("Price", "“Price”"), ("Café", "cafe")])
def test_labels_of_the_same_words_are_one_theme(one: str, other: str) -> None:
    assert together(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Prices", "Pricing"), ("Quiet space", "Less noise"), ("Expensive", "Not expensive"), ("Simple", "Too simple")],
)
def test_labels_of_other_words_are_two_themes(one: str, other: str) -> None:
    assert not together(one, other)


def test_an_answer_coded_by_hand_has_the_names_that_its_themes_have_now() -> None:
    asked = open_question(replies(["Noise"], codes=(Mark("c1", "Comfort"),), coded="by Ada"), coded_by="model")

    assert gather_themed(asked).everyone[0].reply.value == "Comfort"


def test_codes_are_the_themes_whatever_the_labels_say() -> None:
    asked = open_question(
        replies(["Quiet space"], codes=(Mark("c1", "Quiet", "I say Quiet"),)),
        replies(["Less noise"], "Students", codes=(Mark("c1", "Quiet"), Mark("other", "Other"))),
        replies(["?"], "Parents", codes=(Mark("no_view", "No view"),)),
        replies(["Silence"], "Teachers"),
        coded_by="model",
        codebook=(Code("Quiet", ("Silence", "Quiet"), "c1"),),
    )

    found = themes(asked)

    assert {label: (theme.count, theme.original_labels) for label, theme in found.items()} == {
        "Quiet": (2, ["Silence", "Quiet"])
    }
    assert found["Quiet"].quote == Quote(persona="Founders 1", group="Founders", text="I say Quiet space, and mean it.")
    told = {caveat.code: caveat.message for caveat in aggregate(asked).caveats}
    assert {"uncoded", "other_themes", "no_view"} <= set(told)
    assert "exact_words" not in told


REFUSED = "the language model at llm.example answers 401: it refuses the key (LLM_API_KEY)"


@pytest.mark.parametrize(("coded_by", "code"), [(None, "exact_words"), ("embeddings", "themes_by_embeddings")])
@pytest.mark.parametrize("failure", [None, REFUSED])
def test_themes_that_a_model_was_asked_for_and_did_not_make_say_why(
    coded_by: str | None, code: str, failure: str | None
) -> None:
    said = replies(["Quiet space"], codes=(Mark("c1", "Quiet"),) if coded_by else None)
    asked = open_question(said, coded_by=coded_by, coding_failure=failure)

    told = {caveat.code: caveat.message for caveat in aggregate(asked).caveats}

    assert told[code].startswith(f"No language model coded these answers: {REFUSED}. ") is (failure is not None)


def test_without_any_theme_it_is_told_why_the_model_made_none() -> None:
    asked = open_question(replies([""]), coding_failure=REFUSED)
    asked = replace(asked, replies=tuple(replace(one, value=None, message="Too loud.") for one in asked.replies))

    told = {caveat.code: caveat.message for caveat in aggregate(asked).caveats}

    assert told["exact_words"].startswith(f"No language model coded these answers: {REFUSED}. ")


def test_a_theme_is_called_as_most_people_call_it_and_codes_of_the_internal_api_come_first() -> None:
    codebook = (Code("Cost", ("Too expensive", "Price worry", "Price")), Code("Help", ("Support", "price")))

    labels = ("too expensive", "Price worry", "support", "Price", "Design")
    found = merged_themes(*labels, codebook=codebook)

    assert [found[label] for label in labels] == ["Cost", "Cost", "Help", "Cost", "Design"]
    assert set(merged({"price": 2, "Price": 3, "PRICE": 1}, ()).values()) == {"Price"}


LABELS = [
    "Price", "prices", "Pricing", "the price", "Setup", "set up", "Set-up", "Support", "No support", "onboarding",
    "onbarding", "Reports", "report weekly", "weekly reports", "price over quality", "quality over price",
]  # fmt: skip


@given(st.dictionaries(st.sampled_from(LABELS), st.integers(1, 4)), st.randoms())
def test_the_order_of_the_labels_does_not_matter(counted: dict[str, int], random: Random) -> None:
    shuffled = list(counted.items())
    random.shuffle(shuffled)

    assert merged(counted, ()) == merged(dict(shuffled), ())


@given(st.lists(st.text(min_size=1, max_size=20), unique=True, max_size=12))
def test_every_label_has_a_theme_that_is_one_of_the_labels(labels: list[str]) -> None:
    found = merged_themes(*labels)

    assert set(found) == set(labels)
    assert set(found.values()) <= set(labels)


@pytest.mark.parametrize(
    ("value", "message", "labels"),
    [
        ("Price; Support", "Long story.", ["Price", "Support"]),
        ("- Price\n- Support\n- Price", "", ["Price", "Support"]),
        ("Price", "Price", ["Price"]),
        ("It costs too much for me.", "It costs too much for me", []),
        ("I would say that the price is what keeps me from buying it.", "Something else.", []),
        (None, "Price", []),
        ("...", "", []),
    ],
)
def test_labels_are_what_a_value_lists_unless_it_is_the_answer_itself(
    value: str | None, message: str, labels: list[str]
) -> None:
    assert labels_of(Reply(persona="Ada", group="A", value=value, message=message)) == labels
