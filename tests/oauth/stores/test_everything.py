"""Each need is answered by the store of its name."""

import inspect

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grant_store import (
    ClientStore,
    ConsentStore,
    DeviceStore,
    FailureStore,
    GrantRing,
    GrantStore,
    IdentityStore,
    LinkedKeyStore,
    SessionStore,
    SigningKeyStore,
    SpentStore,
)
from oauth.store import KeyRing, KeyStore, UserStore
from oauth.stores.everything import Stores


@pytest.mark.parametrize(
    ("name", "protocols"),
    [
        ("accounts", (UserStore, KeyStore, KeyRing)),
        ("clients", (ClientStore,)),
        ("consents", (ConsentStore,)),
        ("devices", (DeviceStore,)),
        ("failures", (FailureStore,)),
        ("grant_ring", (GrantRing,)),
        ("grants", (GrantStore, SpentStore)),
        ("identities", (IdentityStore,)),
        ("linked_keys", (LinkedKeyStore,)),
        ("sessions", (SessionStore,)),
        ("signing_keys", (SigningKeyStore,)),
    ],
)
async def test_each_store_answers_every_question_of_its_protocols(
    engine: AsyncEngine, name: str, protocols: tuple[type, ...]
) -> None:
    store = getattr(Stores(engine), name)

    for protocol in protocols:
        for question, method in vars(protocol).items():
            if inspect.iscoroutinefunction(method):
                asked = list(inspect.signature(method).parameters)[1:]
                assert list(inspect.signature(getattr(store, question)).parameters) == asked, question
