"""The words of delegation: what they decide, and what they do not show."""

from datetime import datetime, timedelta

from oauth.grants import Client, Code, Grant, RefreshToken, Session, SigningKey, Tokens

HOUR = timedelta(hours=1)
SECRET = "a secret or what is left of it"


def grant(now: datetime, user_id: str | None = "u", revoked_at: datetime | None = None) -> Grant:
    return Grant("g", user_id, "c", "Client", None, frozenset(), "https://a/mcp", now, now + HOUR, revoked_at)


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


def test_a_grant_lives_until_its_end_or_its_revocation(now: datetime) -> None:
    assert grant(now).is_live(now)
    assert not grant(now).is_live(now + HOUR)
    assert not grant(now, revoked_at=now).is_live(now)


def test_a_client_that_acts_for_itself_is_its_own_subject(now: datetime) -> None:
    assert grant(now).subject == "u"
    assert grant(now, user_id=None).subject == "c"


def test_only_the_host_of_a_metadata_document_vouches_for_a_client(now: datetime) -> None:
    document = Client("https://chatgpt.com/oauth/client.json", "document", "ChatGPT", (), now)
    registered = Client("https://chatgpt.com/oauth/client.json", "registered", "ChatGPT", (), now)

    assert document.verified_host == "chatgpt.com"
    assert registered.verified_host is None
    assert document.is_public
