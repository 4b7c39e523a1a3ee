"""What tests of the device flow share: settings, a client, an issuer that signs nothing, the real stores."""

from dataclasses import dataclass, field
from datetime import datetime

from pydantic import SecretStr

from oauth.access_tokens import AccessTokens
from oauth.flows.device import stdio_client
from oauth.grants import Client, Grant
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings

SITE = "https://gw.example.com"
SCOPES = frozenset({"sparks:read", "sparks:chat"})
SETTINGS = OAuthSettings(SITE, SCOPES)
SEALER = Sealer(SecretStr("a secret of this installation, long enough"))


@dataclass
class Issuer(AccessTokens):
    """Signs nothing: the token says what it was issued for."""

    issued: list[Grant] = field(default_factory=list)

    async def issue(self, grant: Grant, scopes: frozenset[str], now: datetime) -> tuple[str, int]:
        self.issued.append(grant)
        return f"access of {grant.id}", 3_600


def the_client(now: datetime) -> Client:
    return stdio_client(SETTINGS, now)


def parameters(**values: str) -> Parameters:
    return Parameters(values.items())
