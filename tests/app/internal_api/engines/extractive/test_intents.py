"""Small talk and questions about the persona."""

import pytest

from app.internal_api.engines.extractive.intents import Intent, intent_of
from app.internal_api.engines.extractive.terms import plain


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Hello!", Intent.GREETING),
        ("Hi Ada", Intent.GREETING),
        ("Guten Tag", Intent.GREETING),
        ("Bonjour !", Intent.GREETING),
        ("¡Buenos días!", Intent.GREETING),
        ("Thank you so much.", Intent.THANKS),
        ("Danke schön", Intent.THANKS),
        ("Goodbye!", Intent.FAREWELL),
        ("Tschüss", Intent.FAREWELL),
        ("Who are you?", Intent.IDENTITY),
        ("Are you a real person?", Intent.IDENTITY),
        ("Tell me about yourself.", Intent.IDENTITY),
        ("Wer bist du?", Intent.IDENTITY),
        ("Qui es-tu ?", Intent.IDENTITY),
        ("¿Quién eres?", Intent.IDENTITY),
        ("What do you know?", Intent.TOPICS),
        ("What can you help me with?", Intent.TOPICS),
        ("What can I ask you?", Intent.TOPICS),
        ("Was kannst du?", Intent.TOPICS),
        ("¿Qué sabes?", Intent.TOPICS),
        ("Hello, how hot is the water?", Intent.QUESTION),
        ("What do you know about grinders?", Intent.QUESTION),
        ("Who are your customers?", Intent.QUESTION),
        ("", Intent.QUESTION),
    ],
)
def test_messages_are_told_apart(message: str, intent: Intent) -> None:
    assert intent_of(plain(message)) is intent
