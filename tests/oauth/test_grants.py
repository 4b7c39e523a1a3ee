"""The words of delegation: what they decide, and what they do not show."""

from datetime import datetime

from oauth.grants import Client, Code, RefreshToken, Session, SigningKey, Tokens

SECRET = "a secret or what is left of it"


def test_no_word_shows_a_secret_or_its_digest(now: datetime) -> None:
    empty: frozenset[str] = frozenset()
    words = [
        Client("c", "registered", "Client", (), now, secret_digest=SECRET),
        Session(SECRET, "u", now, now),
        Code(SECRET, "g", "c", "https://a/cb", True, "challenge", empty, "https://a/mcp", now),
        RefreshToken(SECRET, "g", now, now, successor=SECRET),
        SigningKey("kid", SECRET, {}, now, now, now),
        Tokens(SECRET, 60, empty, refresh_token=SECRET),
    ]

    assert [word for word in words if SECRET in repr(word)] == []


def test_only_the_host_of_a_metadata_document_vouches_for_a_client(now: datetime) -> None:
    document = Client("https://chatgpt.com/oauth/client.json", "document", "ChatGPT", (), now)
    registered = Client("https://chatgpt.com/oauth/client.json", "registered", "ChatGPT", (), now)

    assert document.verified_host == "chatgpt.com"
    assert registered.verified_host is None
    assert document.is_public
