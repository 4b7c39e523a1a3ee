"""The protocols, and what claims to fulfil them."""

import inspect

import pytest

from oauth.store import KeyRing, KeyStore, UserStore
from oauth.stores.sql import SqlStore


@pytest.mark.parametrize("protocol", [UserStore, KeyStore, KeyRing])
def test_the_sql_store_answers_every_question_of_the_protocol(protocol: type) -> None:
    questions = {name: method for name, method in vars(protocol).items() if inspect.iscoroutinefunction(method)}

    assert questions
    for name, method in questions.items():
        assert inspect.signature(getattr(SqlStore, name)) == inspect.signature(method), name
