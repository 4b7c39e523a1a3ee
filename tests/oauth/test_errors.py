"""Who should hear of which failure."""

import pytest

from oauth.errors import Conflict, OauthError, ProtocolError, Refused, StoreUnavailable, Unacceptable, Unknown


@pytest.mark.parametrize("error", [Unacceptable, Unknown, Conflict])
def test_what_the_asker_can_mend_is_a_refusal(error: type[OauthError]) -> None:
    assert issubclass(error, Refused)


def test_a_store_that_gives_no_answer_is_never_shown_as_a_refusal() -> None:
    assert issubclass(StoreUnavailable, OauthError)
    assert not issubclass(StoreUnavailable, Refused)


def _words(base: type[ProtocolError] = ProtocolError) -> list[type[ProtocolError]]:
    return [found for each in base.__subclasses__() for found in (each, *_words(each))]


@pytest.mark.parametrize("refusal", _words())
def test_every_word_of_the_protocol_has_a_status_of_its_own_kind(refusal: type[ProtocolError]) -> None:
    assert refusal.error != ProtocolError.error
    assert refusal.status in {400, 401, 413, 429, 503}
    assert not issubclass(refusal, Refused)
