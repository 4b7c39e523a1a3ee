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


def test_no_word_shows_a_secret_or_what_is_left_of_it(now: datetime, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    new, hidden, empty = made(now), "$argon2id$secret", frozenset[str]()
    user = User("u", "ada@example.com", now, password_hash=hidden)
    words = [
        *(new, new.key, user, OwnedKey(new.key, user), Verified("u", empty, new.key.id), {"key": new}, [user]),
        Client("c", "registered", "Client", (), now, secret_digest=hidden),
        Session(hidden, "u", now, now),
        Code(hidden, "g", "c", "https://a/cb", True, "challenge", empty, "https://a/mcp", now),
        RefreshToken(hidden, "g", now, now, successor=hidden),
        SigningKey("kid", hidden, {}, now, now, now),
        Tokens(hidden, 60, empty, refresh_token=hidden),
    ]

    for word in words:
        logging.getLogger("test").info("%s %r", word, word)

    assert new.key.id in caplog.text
    assert not [each for each in (new.secret, new.secret[6:], new.key.digest, hidden) if each in caplog.text]


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
