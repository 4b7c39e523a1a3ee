"""A real identity provider process: OpenID Connect, and the parts of Supabase that a sign-in uses.

`python -m tests.oauth.oidc_provider PORT`. It approves everybody as the person that the test named. The test tells
it with POST /control how to misbehave; without that it is correct and strict about what it is sent.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import anyio
import httpx2
import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from oauth.identity.provider import over_tls
from tests.processes import free_port, serving

CLIENT_ID, CLIENT_SECRET, API_KEY = "gateway", "a secret of the client +/=", "publishable-key"
SHARED = "a symmetric key of the project, long enough"
AUTHORS: dict[str, Any] = {
    "RS256": jwt.algorithms.RSAAlgorithm,
    "PS256": jwt.algorithms.RSAAlgorithm,
    "ES256": jwt.algorithms.ECAlgorithm,
    "EdDSA": jwt.algorithms.OKPAlgorithm,
}


TRANSPORTS = over_tls()  # one TLS context for all tests: making one takes longer than a sign-in


def new_key(algorithm: str) -> Any:
    if algorithm in {"RS256", "PS256"}:
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256" else ed25519.Ed25519PrivateKey.generate()


def confused(claims: dict[str, Any], kid: str, public: bytes) -> str:
    """A token that is valid for whoever takes a public key for a shared one (RFC 8725 section 2.1)."""
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "kid": kid, "typ": "JWT"}, claims)]
    text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    signature = base64.urlsafe_b64encode(hmac.new(public, text, hashlib.sha256).digest()).rstrip(b"=")
    return f"{text.decode()}.{signature.decode()}"


class Provider:
    """What the process knows, and how it is told to misbehave."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.told: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.seen: list[str] = []
        self.keys: list[tuple[str, str, Any]] = []
        self.rotate("ES256")

    def rotate(self, algorithm: str) -> None:
        self.keys = [(str(uuid4()), algorithm, new_key(algorithm))]

    @property
    def jwks(self) -> dict[str, Any]:
        return {
            "keys": [
                AUTHORS[algorithm].to_jwk(key.public_key(), as_dict=True) | {"kid": kid, "use": "sig", "alg": algorithm}
                for kid, algorithm, key in self.keys
            ]
        }

    def signed(self, claims: dict[str, Any]) -> str:
        """The token of these claims, or the forgery that the test asked for."""
        kid, algorithm, key = self.keys[0]
        match self.told.get("signature"):
            case "none":
                return jwt.encode(claims, "", algorithm="none")
            case "hmac with the public key":
                public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
                return confused(claims, kid, public)
            case "another key":
                return jwt.encode(claims, new_key(algorithm), algorithm=algorithm, headers={"kid": kid})
            case "unknown key":
                return jwt.encode(claims, new_key(algorithm), algorithm=algorithm, headers={"kid": "unknown"})
            case "shared":
                return jwt.encode(claims, SHARED, algorithm="HS256")
            case "broken":
                return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})[:-8] + "AAAAAAAA"
        return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})

    def claims(self, **usual: Any) -> dict[str, Any]:
        """The usual claims with what the test put in their place; None takes one away."""
        at = int(time.time())
        person = {"sub": "bob", "email": "bob@example.com", "email_verified": True}
        claims = {"iat": at, "exp": at + 300, **person, **usual, **self.told.get("claims", {})}
        claims |= {name: at + shift for name, shift in self.told.get("times", {}).items()}
        return {name: value for name, value in claims.items() if value is not None}

    def is_proven(self, code: dict[str, str], verifier: str) -> bool:
        digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        return code["code_challenge"] == digest

    async def fault(self) -> Response | None:
        """What stands in the place of an answer of the token endpoint."""
        match self.told.get("token_endpoint"):
            case "500":
                return PlainTextResponse("boom <b>", 500)
            case "html":
                return PlainTextResponse("<html>", media_type="text/html")
            case "huge":
                return PlainTextResponse("[" + "1," * 5_000_000 + "1]", media_type="application/json")
            case "redirect":
                return RedirectResponse(f"{self.origin}/elsewhere", 307)
            case "list":
                return JSONResponse(["id_token"])
            case "silent":
                await anyio.sleep_forever()
        return None


class Endpoints:
    """The HTTP side of it."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider

    async def control(self, request: Request) -> Response:
        told = await request.json()
        self.provider.told = told
        self.provider.seen.clear()
        if told.get("rotate"):
            self.provider.rotate(told["rotate"])
        return JSONResponse({})

    async def seen(self, _request: Request) -> Response:
        return JSONResponse(self.provider.seen)

    async def discovery(self, _request: Request) -> Response:
        origin = self.provider.origin
        self.provider.seen.append("discovery")
        document = {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize?tenant=1",
            "token_endpoint": f"{origin}/token",
            "jwks_uri": f"{origin}/jwks",
            "id_token_signing_alg_values_supported": ["none", "HS256", "ES256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return JSONResponse(document | self.provider.told.get("discovery", {}))

    async def jwks(self, _request: Request) -> Response:
        self.provider.seen.append("jwks")
        return JSONResponse(self.provider.jwks)

    async def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        fits = {"client_id": CLIENT_ID, "response_type": "code", "code_challenge_method": "S256", "tenant": "1"}
        if not fits.items() <= asked.items() or "openid" not in asked["scope"].split(" "):
            return PlainTextResponse("bad request", 400)
        code = str(uuid4())
        self.provider.codes[code] = asked
        answer = {"state": asked["state"], "iss": self.provider.origin}
        answer |= self.provider.told.get("answer", {"code": code})
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", 302)

    async def token(self, request: Request) -> Response:
        fault = await self.provider.fault()
        if fault is not None:
            return fault
        form = await request.form()
        code = self.provider.codes.pop(str(form["code"]), None)
        secret = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {secret}":
            return JSONResponse({"error": "invalid_client"}, 401)
        if code is None or form["redirect_uri"] != code["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant", "error_description": "<b>used</b>"}, 400)
        if not self.provider.is_proven(code, str(form["code_verifier"])):
            return JSONResponse({"error": "invalid_grant"}, 400)
        claims = self.provider.claims(iss=self.provider.origin, aud=CLIENT_ID, nonce=code["nonce"])
        tokens = {
            "access_token": "upstream-access-token",
            "token_type": "Bearer",
            "id_token": self.provider.signed(claims),
        }
        return JSONResponse(tokens)

    async def supabase_authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        if asked.get("provider") != "google" or asked.get("code_challenge_method") != "s256":
            return PlainTextResponse("bad request", 400)
        code = str(uuid4())
        self.provider.codes[code] = asked
        answer = self.provider.told.get("answer", {"code": code})
        joint = "&" if "?" in asked["redirect_to"] else "?"
        return RedirectResponse(f"{asked['redirect_to']}{joint}{urlencode(answer)}", 302)

    async def supabase_token(self, request: Request) -> Response:
        body = await request.json()
        code = self.provider.codes.pop(body["auth_code"], None)
        if request.headers.get("apikey") != API_KEY or code is None:
            return JSONResponse({"error_code": "flow_state_not_found", "msg": "<b>"}, 404)
        if not self.provider.is_proven(code, body["code_verifier"]):
            return JSONResponse({"error_code": "bad_code_verifier"}, 400)
        claims = self.provider.claims(iss=f"{self.provider.origin}/auth/v1", aud="authenticated")
        user = self.user(claims["sub"])
        return JSONResponse({"access_token": self.provider.signed(claims), "token_type": "bearer", "user": user})

    async def supabase_user(self, request: Request) -> Response:
        token = request.headers["authorization"].removeprefix("Bearer ")
        try:
            claims = jwt.decode(token, SHARED, algorithms=["HS256"], audience="authenticated")
        except jwt.PyJWTError:
            return JSONResponse({"error_code": "bad_jwt"}, 403)
        return JSONResponse(self.user(claims["sub"]))

    def user(self, subject: str) -> dict[str, Any]:
        user: dict[str, Any] = {
            "id": subject,
            "aud": "authenticated",
            "email": "bob@example.com",
            "email_confirmed_at": "2026-01-01",
        }
        return {**user, **self.provider.told.get("user", {})}

    def app(self) -> Starlette:
        supabase = "/auth/v1"
        return Starlette(
            routes=[
                Route("/livez", lambda _request: PlainTextResponse("ok")),
                Route("/control", self.control, methods=["POST"]),
                Route("/seen", self.seen),
                Route("/.well-known/openid-configuration", self.discovery),
                Route("/jwks", self.jwks),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
                Route(f"{supabase}/authorize", self.supabase_authorize),
                Route(f"{supabase}/token", self.supabase_token, methods=["POST"]),
                Route(f"{supabase}/user", self.supabase_user),
                Route(f"{supabase}/.well-known/jwks.json", self.jwks),
            ]
        )


class Running:
    """The process as a test sees it."""

    def __init__(self, origin: str, http: httpx2.Client) -> None:
        self.origin, self._http = origin, http

    def told(self, **misbehaviour: Any) -> None:
        """How to behave from now on; without arguments: well."""
        self._http.post(f"{self.origin}/control", json=misbehaviour).raise_for_status()

    def seen(self) -> list[str]:
        """Which documents were fetched since it was last told something."""
        return list(self._http.get(f"{self.origin}/seen").json())

    def visit(self, address: str) -> str:
        """Go there as a browser; where it sends the browser to."""
        return self._http.get(address, follow_redirects=False).headers["location"]


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """The process, until the context ends."""
    port = free_port()
    with (
        serving(["-m", "tests.oauth.oidc_provider", str(port)], port, folder, {}),
        httpx2.Client(trust_env=False) as http,
    ):
        yield Running(f"http://127.0.0.1:{port}", http)


def main(port: str) -> None:
    app = Endpoints(Provider(f"http://127.0.0.1:{port}")).app()
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(sys.argv[1])
