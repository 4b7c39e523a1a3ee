"""What a question is after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.extractive.asking import Ask, asked_for
from app.internal_api.engines.extractive.terms import plain


@pytest.mark.parametrize(
    ("language", "question", "ask"),
    [
        ("en", "Who invented it?", Ask.WHO),
        ("en", "When was it built?", Ask.WHEN),
        ("en", "Where is the library?", Ask.WHERE),
        ("en", "How many visitors came?", Ask.NUMBER),
        ("en", "How long does it take?", Ask.DURATION),
        ("en", "How much does it cost?", Ask.PRICE),
        ("en", "How hot is the water?", Ask.DEGREE),
        ("en", "Why is it sour?", Ask.WHY),
        ("en", "How do I clean it?", Ask.HOW),
        ("en", "What is the difference between a and b?", Ask.COMPARE),
        ("en", "On a scale from 1 to 10, how good is it?", Ask.RATING),
        ("en", "What do you think of it?", Ask.OPINION),
        ("en", "What is espresso?", Ask.DEFINITION),
        ("en", "Tell me about beans.", Ask.OPEN),
        ("de", "Wer hat es erfunden?", Ask.WHO),
        ("de", "Wie lange dauert es?", Ask.DURATION),
        ("de", "Was kostet das?", Ask.PRICE),
        ("de", "Warum ist er sauer?", Ask.WHY),
        ("fr", "Combien de temps faut-il ?", Ask.DURATION),
        ("fr", "Pourquoi est-ce amer ?", Ask.WHY),
        ("fr", "Où est la bibliothèque ?", Ask.WHERE),
        ("es", "¿Cuánto cuesta?", Ask.PRICE),
        ("es", "¿Por qué es amargo?", Ask.WHY),
        ("es", "¿Quién lo inventó?", Ask.WHO),
        ("xx", "Who?", Ask.WHO),
    ],
)
def test_questions_show_what_they_are_after(language: str, question: str, ask: Ask) -> None:
    assert asked_for(plain(question), language) is ask


@given(st.text(), st.sampled_from(["en", "de", "fr", "es", "tr"]))
def test_any_text_is_after_something(text: str, language: str) -> None:
    assert asked_for(plain(text), language) in Ask
