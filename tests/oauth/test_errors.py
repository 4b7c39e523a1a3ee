"""Who should hear of which failure."""

import pytest

from oauth.errors import Conflict, OauthError, Refused, StoreUnavailable, Unacceptable, Unknown


@pytest.mark.parametrize("error", [Unacceptable, Unknown, Conflict])
def test_what_the_asker_can_mend_is_a_refusal(error: type[OauthError]) -> None:
    assert issubclass(error, Refused)


def test_a_store_that_gives_no_answer_is_never_shown_as_a_refusal() -> None:
    assert issubclass(StoreUnavailable, OauthError)
    assert not issubclass(StoreUnavailable, Refused)
