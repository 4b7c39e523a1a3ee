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


@pytest.mark.security("AZ-10")
@pytest.mark.parametrize(
    "challenge", [None, "a" * 42, "a" * 129, "a" * 42 + "+", "a" * 42 + "=", "é" * 43, "a" * 43 + "\n"]
)
def test_a_malformed_challenge_is_refused(challenge: str | None) -> None:
    with pytest.raises(InvalidRequest):
        checked_challenge(challenge, "S256")


@pytest.mark.security("AZ-09")
@pytest.mark.parametrize("method", [None, "plain", "PLAIN", "s256", "none", "S512", "S256 "])
def test_every_other_method_is_refused(method: str | None) -> None:
    with pytest.raises(InvalidRequest):
        checked_challenge("a" * 43, method)
