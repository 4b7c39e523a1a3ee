"""S256 and nothing else; the verifier proves itself, no other text does."""

import pytest
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from oauth.errors import InvalidRequest
from oauth.primitives.pkce import checked_challenge, proves


def test_the_example_of_the_rfc_is_proved() -> None:
    # RFC 7636 appendix B
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    assert proves(verifier, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")


@pytest.mark.parametrize("verifier", ["", "a" * 42, "a" * 129, "a" * 42 + "=", "a" * 43 + "\n"])
def test_a_malformed_verifier_proves_nothing_even_where_its_digest_fits(verifier: str) -> None:
    assert not proves(verifier, create_s256_code_challenge(verifier))


MALFORMED = [None, "a" * 42, "a" * 129, "a" * 42 + "+", "a" * 42 + "=", "é" * 43, "a" * 43 + "\n"]
OTHER_METHODS = [None, "plain", "PLAIN", "s256", "none", "S512", "S256 "]


@pytest.mark.security("AZ-09", "AZ-10")
@pytest.mark.parametrize(
    ("challenge", "method"), [(each, "S256") for each in MALFORMED] + [("a" * 43, each) for each in OTHER_METHODS]
)
def test_a_malformed_challenge_and_every_other_method_are_refused(challenge: str | None, method: str | None) -> None:
    with pytest.raises(InvalidRequest):
        checked_challenge(challenge, method)
