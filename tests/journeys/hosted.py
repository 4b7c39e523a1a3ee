"""A client that runs on somebody's servers: written from what its makers say of it, and as strict as they are."""

import base64
import hashlib
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.edge import MODERN, messages, request
from tests.journeys.person import Person
from tests.journeys.sign_in_site import SignInSite

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def challenge_of(header: str) -> dict[str, str]:
    """The members of a Bearer challenge."""
    assert header.startswith("Bearer ")
    return dict(re.findall(r'(\w+)="([^"]*)"', header))


@dataclass
class Hosted:
    """One connection of one user.

    Attributes:
        agent: its User-Agent.
        era: the protocol revision that it speaks.
        key: what it signs its assertions with; with neither key nor secret it is a public client.

    """

    site: SignInSite
    redirect_uri: str
    agent: str
    era: str = MODERN
    client_id: str = ""
    key: rsa.RSAPrivateKey | None = None
    client_secret: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    resource: str = ""
    tokens: dict[str, Any] = field(default_factory=dict)

    async def rpc(self, method: str, token: str | None = None, **params: Any) -> httpx2.Response:
        headers, body = request(method, params, era=self.era, key=token)
        return await self._send("POST", self.site.url, headers=headers, json=body)

    async def call(self, tool: str, **arguments: Any) -> httpx2.Response:
        """A tool call with the token that it holds, if any."""
        return await self.rpc("tools/call", self.tokens.get("access_token"), name=tool, arguments=arguments)

    async def result(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call returns that the server lets through."""
        response = await self.call(tool, **arguments)
        assert response.status_code == 200, response.text
        result: dict[str, Any] = messages(response)[-1]["result"]
        return result

    async def structured(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The content of a call that succeeds."""
        result = await self.result(tool, **arguments)
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        return content

    async def discover(self, resource_metadata: str) -> None:
        """Find the authorization server; whatever differs by a byte ends the connection (mcp.md 6.1, 6.2)."""
        found = (await self._send("GET", resource_metadata)).json()
        issuer = found["authorization_servers"][0]
        metadata = (await self._send("GET", f"{issuer}/.well-known/oauth-authorization-server")).json()
        assert found["resource"] == self.site.url
        assert metadata["issuer"] == issuer
        assert "S256" in metadata["code_challenge_methods_supported"]
        assert "none" in metadata["token_endpoint_auth_methods_supported"]
        assert metadata["client_id_metadata_document_supported"] is True
        assert metadata["authorization_response_iss_parameter_supported"] is True
        assert "offline_access" not in found["scopes_supported"]
        self.metadata, self.resource = metadata, found["resource"]

    async def register(self, **words: Any) -> dict[str, Any]:
        """Dynamic registration."""
        response = await self._send("POST", self.metadata["registration_endpoint"], json=words)
        assert response.status_code == 201, response.text
        registered: dict[str, Any] = response.json()
        self.client_id = registered["client_id"]
        return registered

    def begin(self, scope: str) -> tuple[str, str, str]:
        """The address for the browser, the state, and the verifier."""
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
        digest = hashlib.sha256(verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": scope,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "resource": self.resource,
        }
        return f"{self.metadata['authorization_endpoint']}?{urlencode(asked)}", state, verifier

    async def sign_in(self, person: Person, scope: str) -> None:
        """From the address in the browser to the tokens."""
        address, state, verifier = self.begin(scope)
        await self.finish(await person.allow(address), state, verifier)

    async def finish(self, answer: dict[str, str], state: str, verifier: str) -> None:
        """Check the answer (RFC 9207) and redeem the code."""
        assert (answer["state"], answer["iss"]) == (state, self.metadata["issuer"])
        redeemed = await self.redeem(
            grant_type="authorization_code", code=answer["code"], redirect_uri=self.redirect_uri, code_verifier=verifier
        )
        assert redeemed.status_code == 200, redeemed.text
        self.tokens = redeemed.json()

    async def refresh(self) -> None:
        """The next tokens; a public client's refresh token is a new one."""
        renewed = await self.redeem(grant_type="refresh_token", refresh_token=self.tokens["refresh_token"])
        assert renewed.status_code == 200, renewed.text
        assert renewed.json()["refresh_token"] != self.tokens["refresh_token"]
        self.tokens = renewed.json()

    async def redeem(self, **grant: str) -> httpx2.Response:
        form = {**grant, "resource": self.resource, **self._identity()}
        return await self._send("POST", self.metadata["token_endpoint"], data=form)

    async def revoke(self) -> None:
        form = {"token": self.tokens["refresh_token"], **self._identity()}
        assert (await self._send("POST", self.metadata["revocation_endpoint"], data=form)).status_code == 200

    async def audience(self) -> Any:
        """Whom the access token is for, after checking its signature with the published keys."""
        keys = jwt.PyJWKSet.from_dict((await self._send("GET", self.metadata["jwks_uri"])).json())
        token = self.tokens["access_token"]
        key = keys[jwt.get_unverified_header(token)["kid"]]
        claims = jwt.decode(token, key, algorithms=["ES256"], audience=self.resource, issuer=self.metadata["issuer"])
        return claims["aud"]

    def _identity(self) -> dict[str, str]:
        if self.key is None:
            shown = {"client_secret": self.client_secret} if self.client_secret else {}
            return {"client_id": self.client_id, **shown}
        now, who = int(time.time()), self.client_id
        audience = self.metadata["token_endpoint"]
        claims = {"iss": who, "sub": who, "aud": audience, "iat": now, "exp": now + 300, "jti": uuid4().hex}
        signed = jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "its-key"})
        return {"client_id": who, "client_assertion_type": ASSERTION, "client_assertion": signed}

    async def _send(self, method: str, address: str, **more: Any) -> httpx2.Response:
        more["headers"] = {"user-agent": self.agent, **more.get("headers", {})}
        async with self.site.web() as web:
            return await web.request(method, address, **more)
