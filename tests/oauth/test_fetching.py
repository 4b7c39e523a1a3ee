"""The kinds of failure are told apart where it matters."""

from oauth.errors import OauthError
from oauth.primitives.fetching import FetchFailed, FetchRefused, TooLarge


def test_too_much_is_a_failure_and_a_forbidden_address_is_not() -> None:
    assert issubclass(TooLarge, FetchFailed)
    assert not issubclass(FetchRefused, FetchFailed)
    assert issubclass(FetchRefused, OauthError)
