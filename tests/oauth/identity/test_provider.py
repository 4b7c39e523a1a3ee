"""Subjects have a form, and the secrets of a sign-in are not printed."""

import pytest

from oauth.identity.provider import Challenge, SignInRefused, checked_subject


@pytest.mark.parametrize("subject", ["bob", "x" * 255, "auth0|1"])
def test_a_subject_is_taken_as_it_is(subject: str) -> None:
    assert checked_subject(subject) == subject


@pytest.mark.parametrize("subject", [None, "", 7, ["bob"], "x" * 256])
def test_what_is_no_subject_is_nobody(subject: object) -> None:
    with pytest.raises(SignInRefused):
        checked_subject(subject)


def test_a_challenge_shows_none_of_its_secrets() -> None:
    assert "s3cr3t" not in repr(Challenge("s3cr3t", "s3cr3t", "s3cr3t"))
