"""What the observations say by themselves."""

from tests.app.doctor.examples import ISSUER, URL, discovery, endpoint, refusal, result


def test_the_first_401_is_the_challenge() -> None:
    found = endpoint(discover=result(), initialize=refusal('Bearer scope="one"'), forged=refusal('Bearer scope="two"'))

    assert found.parameters == {"scope": "one"}
    assert endpoint(discover=result(), initialize=result(), forged=result()).parameters == {}


def test_discovery_ends_with_two_documents() -> None:
    resource, server = discovery().resource_metadata, discovery().server_metadata

    assert resource is not None
    assert server is not None
    assert (resource.resource, server.issuer) == (URL, ISSUER)
