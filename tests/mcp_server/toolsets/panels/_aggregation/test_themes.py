"""Themes are counted by persona, and each is said in somebody's own words."""

from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.themes import codebook, find_themes
from mcp_server.toolsets.panels._results import Theme
from mcp_server.toolsets.panels._study import AskedQuestion, Code
from tests.mcp_server.toolsets.panels._aggregation.replies import open_question, replies


def themes(asked: AskedQuestion) -> dict[str, Theme]:
    return {theme.label: theme for theme in codebook(find_themes(gather(asked)))}


def test_a_theme_counts_personas_and_not_mentions() -> None:
    found = themes(open_question(replies(["Price; price; Pricing", "Price; Support"]), replies(["Price"], "Students")))

    assert list(found) == ["Price", "Support"]
    assert (found["Price"].count, found["Price"].share) == (3, 1)
    assert [(one.group, one.count, one.n) for one in found["Support"].by_group] == [
        ("Founders", 1, 2),
        ("Students", 0, 1),
    ]
    assert found["Price"].original_labels == ["Price", "Pricing", "price"]


def test_the_quote_is_the_sentence_about_the_theme() -> None:
    found = themes(open_question(replies(["Price"], message="I like it. But the prices are far too high. Bye.")))

    quote = found["Price"].quote
    assert quote is not None
    assert (quote.text, quote.persona, quote.group) == ("But the prices are far too high.", "Founders 1", "Founders")


def test_another_persona_is_quoted_for_the_next_theme_where_there_is_one() -> None:
    message = "The price is what keeps me away. Support never answered my questions."

    found = themes(open_question(replies(["Price; Support", "Price; Support"], message=message)))

    assert {theme.quote.persona for theme in found.values() if theme.quote} == {"Founders 1", "Founders 2"}


def test_a_theme_without_any_words_has_no_quote() -> None:
    assert themes(open_question(replies(["Price"], message="")))["Price"].quote is None


def test_the_codebook_of_the_internal_api_names_the_themes() -> None:
    asked = open_question(replies(["too expensive", "Price worry"]), codebook=(Code("Cost", ("Too expensive",)),))

    assert {label: theme.count for label, theme in themes(asked).items()} == {"Cost": 1, "Price worry": 1}


def test_an_answer_without_labels_is_in_no_theme() -> None:
    assert themes(open_question(replies([None, None], message="The invoice is late."))) == {}
