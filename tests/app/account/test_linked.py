"""Whether a linked key still works, found out in time for a page."""

import asyncio

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from app.account.page import Linked, linked_key
from oauth.errors import StoreUnavailable
from oauth.flows.api_keys import Links
from oauth.models import User, Verified
from oauth.primitives.sealing import Sealer
from oauth.stores.accounts import AccountStore, LinkedKeyStore
from oauth.verifier import Verifier
from tests.app.account.house import NOW

KEY = "minds_" + "0" * 44 + "beef"
ADA = User("ada", "ada@example.com", NOW)


class Api:
    """Answers with what the test says; None means that it does not answer."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer

    async def check(self, bearer: str, /) -> Verified | None:
        if self.answer is None:
            await asyncio.Event().wait()
        if self.answer == "down":
            raise StoreUnavailable("down")
        return Verified("somebody", frozenset(), bearer[-4:]) if self.answer == "taken" else None


def links(engine: AsyncEngine, secret: str = "a secret of this installation, long enough") -> Links:
    return Links(LinkedKeyStore(engine), Sealer(SecretStr(secret)), Api("taken"))


@pytest.fixture
async def kept(engine: AsyncEngine) -> Links:
    await AccountStore(engine).add_user(ADA)
    made = links(engine)
    await made.link(ADA.id, KEY, NOW)
    return made


@pytest.mark.parametrize(
    ("answer", "state"), [("taken", "works"), ("refused", "dead"), ("down", "unknown"), (None, "unknown")]
)
async def test_the_api_says_whether_the_key_works_and_its_silence_says_nothing(
    kept: Links, answer: str | None, state: str
) -> None:
    found = await linked_key(kept, Verifier(Api(answer), patience=3), ADA.id, NOW)

    assert found is not None
    assert (found.last4, found.state) == ("beef", state)


async def test_a_key_that_cannot_be_opened_is_dead(kept: Links, engine: AsyncEngine) -> None:
    other = links(engine, "another secret of the installation, as long")

    assert await linked_key(other, Verifier(Api("taken")), ADA.id, NOW) == Linked("beef", "dead")


async def test_an_account_without_a_key_has_none(kept: Links) -> None:
    assert await linked_key(kept, Verifier(Api("taken")), "bob", NOW) is None
