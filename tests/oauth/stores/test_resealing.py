"""After a rotation of the secret, what is stored opens under the present one alone."""

from datetime import datetime

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from app.commands.secrets import reseal
from oauth.flows.api_keys import Links
from oauth.models import User
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys
from oauth.stores import Stores
from tests.oauth.authorities import KEY, Authority, who

OLD, NEW = SecretStr("the first secret"), SecretStr("the one that replaced it")


async def test_linked_keys_and_signing_keys_open_under_the_new_secret_alone(
    engine: AsyncEngine, ada: User, now: datetime
) -> None:
    stores, authority = Stores(engine), Authority({KEY: who()})
    settings = OAuthSettings("https://minds.example", frozenset())

    def under(*secrets: SecretStr) -> tuple[SigningKeys, Links]:
        sealer = Sealer(*secrets)
        return SigningKeys(stores.signing_keys, sealer, settings), Links(stores.linked_keys, sealer, authority)

    signing, links = under(OLD)
    kid = (await signing.current(now)).kid
    await links.link(ada.id, KEY, now)

    both, linked = under(NEW, OLD)
    assert (await both.current(now)).kid == kid, "no other key is made while the old secret is known"
    assert await linked.key_of(ada.id, now) == SecretStr(KEY)

    assert await reseal(stores, Sealer(NEW, OLD), now) == {"resealed": 2, "unreadable": 0}

    alone, linked = under(NEW)
    assert (await alone.current(now)).kid == kid
    assert await linked.key_of(ada.id, now) == SecretStr(KEY)
    assert await under(OLD)[1].key_of(ada.id, now) is None
    unread = await reseal(stores, Sealer(OLD), now)
    assert unread == {"resealed": 0, "unreadable": 2}, "what cannot be read is left as it is"
    assert await linked.key_of(ada.id, now) == SecretStr(KEY)
