"""The offline engine on arbitrary conversations and documents: it quotes, and adds only its own wording."""

import re
from collections.abc import Mapping
from dataclasses import astuple, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.engine import OfflineEngine
from app.internal_api.engines.extractive.selection import MOST_CHARACTERS
from app.internal_api.engines.extractive.terms import fold
from app.internal_api.engines.extractive.wordings import wording_for
from app.internal_api.knowledge.documents import Passage
from tests.app.internal_api.engines.people import ADA, passage
from tests.app.internal_api.engines.texts import ESPRESSO, LIBRARIES

MARK = re.compile(r"\[\[CITE:(\d+)\]\]")
PHRASES = [
    phrase
    for language in ("en", "de", "fr", "es")
    for value in astuple(wording_for(language))
    for phrases in (value.values() if isinstance(value, Mapping) else [value])
    if isinstance(phrases, tuple)
    for phrase in phrases
]
TEXTS = st.text(max_size=200) | st.sampled_from(
    [ESPRESSO, LIBRARIES, "- a\n- b", "| a | b |\n|--|--|\n| 1 | 2 |", "It.\nThis.", "[[CITE:3]] x.", "Q? A."]
)
PASSAGES = st.lists(st.builds(passage, TEXTS, st.text(max_size=20), st.none() | st.text(max_size=20)), max_size=5)
TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from(["user", "assistant", "system", "tool", "stranger"]),
        st.text(max_size=100)
        | st.sampled_from(["Why is espresso sour?", "and why?", "tell me more", "hello", "rate it 1 to 10"]),
    ),
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(TURNS, PASSAGES, st.sampled_from(["expert", "creative", "user", "other"]), st.none() | st.text(max_size=5))
async def test_every_quotation_is_in_a_passage_and_every_citation_exists(
    turns: list[Turn], found: list[Passage], kind: str, language: str | None
) -> None:
    persona = replace(ADA, type=kind)

    answer = await OfflineEngine().answer(persona, turns, found, language=language)
    again = await OfflineEngine().answer(persona, turns, found, language=language)

    assert answer == again
    assert sorted({int(number) for number in MARK.findall(answer.content)}) == list(range(len(answer.citations)))
    assert all(cited in found for cited in answer.citations)
    assert len(answer.content) <= 3 * MOST_CHARACTERS
    segments = MARK.split(answer.content)
    for said, number in zip(segments[::2], segments[1::2], strict=False):
        assert _is_led_quotation(said, fold(answer.citations[int(number)].text))


def _is_led_quotation(said: str, text: str) -> bool:
    """Whether there is nothing but a phrase of our wording before a whole piece of the passage."""
    rests = [said.strip().removeprefix(phrase) for phrase in ["", *PHRASES] if said.strip().startswith(phrase)]
    pieces = [rest.strip().removeprefix("- ").strip("`") for rest in rests]
    return any(piece and piece in text for piece in pieces)
