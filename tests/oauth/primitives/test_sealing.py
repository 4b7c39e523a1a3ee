"""What is sealed comes back as it was, for its purpose, from its installation, in its time; nothing else opens."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from oauth.primitives.sealing import Sealer, Stale, Tampered, open_under, seal_under

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SEALER = Sealer(SecretStr("an installation's secret"))


def test_a_thing_opens_for_no_other_purpose_in_no_other_installation_and_under_no_other_token() -> None:
    for sealer, purpose in ((SEALER, "consent"), (Sealer(SecretStr("another")), "request")):
        with pytest.raises(Tampered):
            sealer.open(purpose, SEALER.seal("request", b"x", NOW), max_age=None, now=NOW)
    for token, purpose in (("token", "other"), ("other token", "successor")):
        with pytest.raises(Tampered):
            open_under(token, purpose, seal_under("token", "successor", b"x"))


def test_a_thing_older_than_it_may_be_is_stale_and_without_a_limit_it_is_not() -> None:
    sealed = SEALER.seal("request", b"x", NOW)

    with pytest.raises(Stale):
        SEALER.open("request", sealed, max_age=MINUTE, now=NOW + MINUTE + timedelta(milliseconds=1))
    assert SEALER.open("request", sealed, max_age=None, now=NOW + timedelta(days=9_000)) == b"x"


@given(st.integers(min_value=0), st.sampled_from("ABCxyz019-_"))
def test_a_changed_character_is_noticed(place: int, character: str) -> None:
    sealed = SEALER.seal("request", b"some data here", NOW)
    place %= len(sealed) - 1  # the last one may hold bits that mean nothing
    changed = sealed[:place] + character + sealed[place + 1 :]

    if changed != sealed:
        with pytest.raises(Tampered):
            SEALER.open("request", changed, max_age=None, now=NOW)


def test_a_mark_is_the_same_for_the_same_text_and_tells_nothing_without_the_secret() -> None:
    mark = SEALER.mark("user code", "BCDFGHJK")

    assert mark == SEALER.mark("user code", "BCDFGHJK")
    assert mark not in {
        SEALER.mark("user code", "BCDFGHJL"),
        SEALER.mark("other", "BCDFGHJK"),
        Sealer(SecretStr("another")).mark("user code", "BCDFGHJK"),
        sha256(b"BCDFGHJK").hexdigest(),
    }


def test_what_was_sealed_or_marked_under_a_previous_secret_is_known_and_nothing_new_is_made_under_it() -> None:
    old, rotated = SEALER, Sealer(SecretStr("the new one"), SecretStr("an installation's secret"))

    assert rotated.open("request", old.seal("request", b"x", NOW), max_age=MINUTE, now=NOW) == b"x"
    assert rotated.marks("user code", "BCDFGHJK") == [
        Sealer(SecretStr("the new one")).mark("user code", "BCDFGHJK"),
        old.mark("user code", "BCDFGHJK"),
    ]
    with pytest.raises(Tampered):
        old.open("request", rotated.seal("request", b"x", NOW), max_age=None, now=NOW)
    with pytest.raises(Stale):
        rotated.open("request", old.seal("request", b"x", NOW), max_age=MINUTE, now=NOW + 2 * MINUTE)
