"""Strangers' documents."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.doctor import documents
from tests.app.doctor.examples import ISSUER, RESOURCE, SERVER, URL, answer

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)
MEMBERS = st.dictionaries(st.sampled_from([*RESOURCE, *SERVER]), JSON)


def test_the_fields_are_read_byte_for_byte() -> None:
    resource, server = (
        documents.resource_metadata(answer(told=RESOURCE)),
        documents.server_metadata(answer(told=SERVER)),
    )

    assert resource is not None
    assert (resource.resource, resource.authorization_servers) == (URL, (ISSUER,))
    assert server is not None
    assert (server.issuer, server.challenge_methods, server.takes_documents) == (ISSUER, ("S256",), True)


def test_the_first_place_with_a_document_counts() -> None:
    one, other = answer(told=RESOURCE | {"resource": "one"}), answer(told=RESOURCE | {"resource": "other"})

    found = documents.first_resource({"root": other, "path": one, "challenge": answer(404)})

    assert found is not None
    assert found.resource == "one"
    assert documents.first_server([answer(404), answer(told={"unrelated": 1})]) is None


@given(MEMBERS)
def test_a_member_of_the_wrong_type_counts_as_absent(told: dict[str, Any]) -> None:
    resource, server = documents.resource_metadata(answer(told=told)), documents.server_metadata(answer(told=told))

    assert resource is None or all(isinstance(one, str) for one in resource.authorization_servers)
    assert server is None or isinstance(server.issuer, str)
