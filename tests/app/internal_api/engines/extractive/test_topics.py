"""What a persona can talk about."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.extractive.topics import HEADING, topic_lines, topics_of
from tests.app.internal_api.engines.people import ADA, passage

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)


def test_the_system_prompt_comes_first_then_the_passages_then_the_labels() -> None:
    prompted = replace(ADA, system_prompt=f"You are Ada.\n\n{HEADING}\n- Beans\n- Milk\n\nRules:\n- Be brief")
    found = [passage("x", "Guide", "Grind size"), passage("y", "Guide")]

    assert topics_of(prompted, found) == ["Beans", "Milk"]
    assert topics_of(ADA, found) == ["Grind size", "Guide"]
    assert topics_of(replace(ADA, tags=("espresso",)), []) == ["espresso", "Coffee"]
    assert topics_of(replace(ADA, discipline=None), []) == []


def test_a_prompt_of_the_owner_without_topics_changes_nothing() -> None:
    assert topics_of(replace(ADA, system_prompt="Be nice.\n- always"), []) == ["Coffee"]


def test_the_title_of_its_own_words_is_no_topic() -> None:
    own = passage("x", "About Ada Lovelace")

    assert topics_of(ADA, [own]) == ["Coffee"]
    assert topics_of(ADA, [own, passage("x", "Guide")]) == ["Guide"]
    assert topics_of(replace(ADA, system_prompt=f"{HEADING}\n- About Ada Lovelace\n- Beans"), []) == ["Beans"]


def test_topics_are_clean_few_and_each_once() -> None:
    names = [
        "## Beans:",
        "beans",
        "[[CITE:0]]",
        "x" * 200,
        "\x1b[31m",
        " ",
        *(f"Topic {number}" for number in range(30)),
    ]

    assert topics_of(ADA, [passage("x", name) for name in names])[:2] == ["Beans", "Topic 0"]
    assert len(topics_of(ADA, [passage("x", name) for name in names])) == 6
    assert len(topic_lines(names)) == 24


@given(st.lists(WORDS, min_size=1, max_size=6, unique_by=lambda word: word.casefold()))
def test_what_the_prompt_lists_is_read_again(names: list[str]) -> None:
    prompt = "\n".join(["You are Ada.", HEADING, *topic_lines(names), "", "Rules:"])

    assert [f"- {topic}" for topic in topics_of(replace(ADA, system_prompt=prompt), [])] == topic_lines(names)
