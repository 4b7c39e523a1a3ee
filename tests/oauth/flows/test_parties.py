"""What the flows ask of each other is what the house connects them with."""

import inspect

import pytest

from oauth.access_tokens import AccessTokens
from oauth.flows.clients import Clients
from oauth.flows.parties import ClientFinder, TokenIssuer


@pytest.mark.parametrize(("protocol", "party"), [(ClientFinder, Clients), (TokenIssuer, AccessTokens)])
def test_the_party_answers_every_question_of_the_protocol(protocol: type, party: type) -> None:
    questions = {name: method for name, method in vars(protocol).items() if inspect.iscoroutinefunction(method)}

    assert questions
    for name, method in questions.items():
        assert set(inspect.signature(method).parameters) <= set(inspect.signature(getattr(party, name)).parameters)
