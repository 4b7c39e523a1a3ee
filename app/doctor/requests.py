"""What clients send to an authorization server: made here, sent elsewhere."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from app.doctor.documents import ResourceMetadata, ServerMetadata
from app.doctor.exchanges import CREATED, OK, Exchange
from app.doctor.profiles import Profile, Way

FORM = "application/x-www-form-urlencoded"
BROWSER = "http://localhost:6274"
"""The origin of the Inspector's page."""
MCP_HEADERS = "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"
FOREIGN = "https://attacker.example/callback"
"""A redirect that no client registered (RFC 2606 keeps the name from everybody)."""
OFFLINE = "offline_access"
USABLE_METHODS = ("none", "client_secret_post", "client_secret_basic")


@dataclass(frozen=True, slots=True)
class Credentials:
    """How a client proves itself at the token endpoint (RFC 6749 section 2.3.1)."""

    client_id: str
    secret: str = field(default="", repr=False)
    method: str = "none"

    def applied(self, form: dict[str, str]) -> tuple[dict[str, str], bytes]:
        """Headers and body of a form of this client."""
        headers = {"content-type": FORM, "accept": "application/json"}
        if self.method == "client_secret_basic":
            pair = f"{quote(self.client_id, safe='')}:{quote(self.secret, safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
            return headers, urlencode(form).encode()
        proof = {"client_secret": self.secret} if self.method == "client_secret_post" else {}
        return headers, urlencode({**form, "client_id": self.client_id, **proof}).encode()


def new_verifier() -> str:
    """43 characters of the alphabet that RFC 7636 section 4.1 allows."""
    return secrets.token_urlsafe(32)


def s256(verifier: str) -> str:
    """The challenge of a verifier (RFC 7636 section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def way_for(profile: Profile, server: ServerMetadata) -> Way | None:
    """The first of the client's ways that this server offers."""
    return next((way for way in profile.ways if _offered(way, server)), None)


def _offered(way: Way, server: ServerMetadata) -> bool:
    if way is Way.DYNAMIC:
        return bool(server.registration_endpoint)
    # Claude asks for the flag and for `none`; ChatGPT can sign with a key instead (`private_key_jwt`).
    return server.takes_documents and bool({"none", "private_key_jwt"} & set(server.auth_methods))


def scope_for(challenged: str, resource: ResourceMetadata | None, server: ServerMetadata) -> str:
    """What clients ask for: the challenge's scopes, else the resource's; `offline_access` where the server lists it."""
    wanted = challenged.split() or list(resource.scopes if resource else ())
    if OFFLINE in server.scopes and OFFLINE not in wanted:
        wanted.append(OFFLINE)
    return " ".join(wanted)


def registration(profile: Profile, scope: str, redirects: tuple[str, ...] = ()) -> bytes:
    """The body that the client registers, with redirects of the doctor's own when it signs in for real."""
    body: dict[str, Any] = profile.body
    if redirects:
        body["redirect_uris"] = list(redirects)
    return json.dumps(body | ({"scope": scope} if scope else {})).encode()


def authorization(
    client_id: str, redirect: str, resource: str, scope: str, state: str, challenge: str
) -> dict[str, str]:
    """The parameters of a good authorization request (RFC 6749 section 4.1.1, RFC 7636, RFC 8707)."""
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "state": state,
        "resource": resource,
    }
    return asked | ({"scope": scope} if scope else {})


def with_query(endpoint: str, parameters: dict[str, str]) -> str:
    """The endpoint keeps the query that it has (RFC 6749 section 3.1)."""
    split = urlsplit(endpoint)
    return split._replace(query=urlencode([*parse_qsl(split.query), *parameters.items()])).geturl()


def registered_id(registration: Exchange) -> str:
    """The `client_id` that a registration brought; empty when it brought none."""
    told = registration.document
    found = told.get("client_id") if told is not None and registration.status in {OK, CREATED} else None
    return found if isinstance(found, str) else ""


def credentials(registration: Exchange) -> Credentials:
    """How the registered client must prove itself: what the server decided, whatever was asked."""
    told = json.loads(registration.body)
    secret, method = told.get("client_secret"), told.get("token_endpoint_auth_method")
    secret = secret if isinstance(secret, str) else ""
    if method not in USABLE_METHODS:
        method = "client_secret_basic" if secret else "none"  # the default of RFC 7591 section 2
    return Credentials(told["client_id"], secret, method)
