"""The words: what they decide, and what they do not show."""

import logging
from datetime import datetime, timedelta

import pytest

from oauth.grants import Client, Code, RefreshToken, Session, SigningKey, Tokens
from oauth.models import ApiKey, KeyState, NewKey, OwnedKey, User, Verified
from oauth.primitives import secrets

HOUR = timedelta(hours=1)


def made(now: datetime, **changes: datetime | None) -> NewKey:
    secret = secrets.new_key()
    key = ApiKey(
        id=secrets.new_key_id(),
        user_id="u",
        name="laptop",
        prefix=secret[:12],
        last4=secret[-4:],
        digest=secrets.digest(secret),
        scopes=frozenset({"docs:read"}),
        created_at=now,
        expires_at=changes.get("expires_at"),
        revoked_at=changes.get("revoked_at"),
    )
    return NewKey(key, secret)


def test_no_word_shows_a_secret_or_a_hash(now: datetime, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    new = made(now)
    user = User("u", "ada@example.com", now, password_hash="$argon2id$secret")
    verified = Verified("u", frozenset(), new.key.id)
    words = [new, new.key, user, OwnedKey(new.key, user), verified, {"key": new}, [user]]

    for word in words:
        logging.getLogger("test").info("%s %r", word, word)

    shown = caplog.text
    assert new.key.id in shown
    for hidden in (new.secret, new.secret[6:], new.key.digest, "$argon2id$secret"):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("expires_in", "revoked", "disabled", "state"),
    [
        (None, False, False, "active"),
        (HOUR, False, False, "active"),
        (timedelta(), False, False, "expired"),
        (-HOUR, False, False, "expired"),
        (HOUR, True, False, "revoked"),
        (-HOUR, True, True, "revoked"),
        (HOUR, False, True, "user disabled"),
    ],
)
def test_the_state_of_a_key(
    now: datetime, *, expires_in: timedelta | None, revoked: bool, disabled: bool, state: KeyState
) -> None:
    expires_at = None if expires_in is None else now + expires_in
    key = made(now, expires_at=expires_at, revoked_at=now if revoked else None).key
    user = User("u", "ada@example.com", now, disabled_at=now if disabled else None)

    assert OwnedKey(key, user).state(now) == state


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
