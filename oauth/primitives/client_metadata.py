"""What software says about itself, in the words of RFC 7591 section 2, read strictly. Pure.

The three kinds of clients share it: configured ones, registrations and metadata documents. Words that are not
listed here are ignored, above all those that would grant trust: who a client is, is not the client's to say.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oauth.errors import InvalidClientMetadata, InvalidRedirectUri
from oauth.grants import DEVICE_CODE, AuthMethod, Client, ClientKind, GrantType
from oauth.primitives import redirects
from oauth.primitives.display_names import may_imitate

MAX_REDIRECTS = 20
MAX_NAME = 100
MAX_KEYS = 20
GRANT_TYPES: frozenset[GrantType] = frozenset(get_args(GrantType))
AUTH_METHODS: frozenset[AuthMethod] = frozenset(get_args(AuthMethod))
SECRET_METHODS: frozenset[AuthMethod] = frozenset({"client_secret_basic", "client_secret_post"})
OFFERED: tuple[GrantType, ...] = ("authorization_code", "refresh_token", DEVICE_CODE)
"""To whoever describes itself: nobody vouches for it, so it cannot act for itself by client_credentials."""
PRIVATE_MEMBERS = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})  # RFC 7518 section 6

_Word = Annotated[str, Field(max_length=200)]
_Link = Annotated[str, Field(max_length=redirects.MAX_LENGTH)]


class ClientMetadata(BaseModel):
    """A value of null counts as absent."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    redirect_uris: list[str] = Field(default=[], max_length=MAX_REDIRECTS)
    client_name: Annotated[str, Field(max_length=1_000)] | None = None
    client_uri: _Link | None = None
    logo_uri: _Link | None = None
    policy_uri: _Link | None = None
    tos_uri: _Link | None = None
    grant_types: list[_Word] | None = Field(None, max_length=20)
    response_types: list[_Word] | None = Field(None, max_length=20)
    token_endpoint_auth_method: _Word | None = None
    token_endpoint_auth_methods_supported: list[_Word] | None = Field(None, max_length=20)
    application_type: Literal["web", "native"] | None = None
    scope: Annotated[str, Field(max_length=4_000)] | None = None
    contacts: list[Annotated[str, Field(max_length=254)]] | None = Field(None, max_length=20)
    software_id: _Word | None = None
    software_version: _Word | None = None
    jwks: dict[str, Any] | None = None
    jwks_uri: _Link | None = None


def read(words: Mapping[str, Any], private_schemes: Collection[str]) -> ClientMetadata:
    """The metadata, when it keeps to the rules that hold for every client.

    Raises `InvalidRedirectUri`: a redirect URI is missing, malformed, or leads where codes are not sent;
    `InvalidClientMetadata`: another value is of the wrong type, too long, or contradicts a second one.
    """
    try:
        metadata = ClientMetadata.model_validate(dict(words))
    except ValidationError as error:
        # Names the first field, which is a word of ours, and never its value.
        field = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"][0]
        if field == "redirect_uris":
            message = f"The redirect_uris must be a list of at most {MAX_REDIRECTS} addresses."
            raise InvalidRedirectUri(message) from None
        raise InvalidClientMetadata(f"The value of {field} has the wrong type or is too long.") from None
    for uri in metadata.redirect_uris:
        redirects.check_redirect(uri, private_schemes)
    if metadata.application_type == "web" and any(_is_local(uri) for uri in metadata.redirect_uris):
        # OpenID Connect Registration section 2; MCP clients on a desktop say "native".
        raise InvalidRedirectUri("A client of the type web redirects to https only; say native for loopback.")
    _check_keys(metadata)
    return metadata


def grant_types(metadata: ClientMetadata, allowed: Collection[GrantType]) -> frozenset[GrantType]:
    """Those of `allowed` that the client wants; the usual two when it does not say (RFC 7591 section 3.2.1).

    Raises `InvalidRedirectUri`: it wants codes and names no redirect URI; `InvalidClientMetadata`: it wants nothing
    that there is.
    """
    asked = metadata.grant_types or ["authorization_code", "refresh_token"]
    types = frozenset(grant for grant in allowed if grant in asked)
    if not types - {"refresh_token"}:
        raise InvalidClientMetadata("None of the grant types is offered; ask for authorization_code.")
    if "authorization_code" in types:
        if not metadata.redirect_uris:
            raise InvalidRedirectUri("Name at least one redirect URI.")
        if metadata.response_types and "code" not in metadata.response_types:
            raise InvalidClientMetadata("The only response type is code.")
    return types


def described_client(
    metadata: ClientMetadata, client_id: str, kind: ClientKind, now: datetime, name: str, scopes: frozenset[str]
) -> Client:
    """The client that describes itself so; `name` is for one that does not say its name.

    How it authenticates and which grant types it may use is for the caller to add.
    """
    return Client(
        id=client_id,
        kind=kind,
        name=clean_name(metadata.client_name) or name[:MAX_NAME],
        redirect_uris=tuple(metadata.redirect_uris),
        created_at=now,
        scopes=scopes,
        jwks=metadata.jwks,
        jwks_uri=metadata.jwks_uri,
        imitates=kind != "configured" and may_imitate(metadata.client_name or ""),
    )


def clean_name(name: str | None) -> str:
    """What may be shown of a name: no control, format or direction character, one line, at most so long.

    Right-to-left overrides and invisible characters are how a name is made to look like another one (UTS #39).
    """
    composed = unicodedata.normalize("NFC", re.sub(r"\s+", " ", name or ""))
    visible = "".join(one for one in composed if one == " " or unicodedata.category(one)[0] not in "CZ")
    return visible.strip()[:MAX_NAME].strip()


def safe_link(uri: str | None) -> str | None:
    """An https address that could be shown as a link; None for anything else, because it is optional."""
    try:
        redirects.check_redirect(uri or "", ())
    except InvalidRedirectUri:
        return None
    return uri if uri and uri.startswith("https://") else None


def _is_local(uri: str) -> bool:
    parts = urlsplit(uri)
    return parts.scheme != "https" or parts.hostname in redirects.LOOPBACK_HOSTS


def _check_keys(metadata: ClientMetadata) -> None:
    if metadata.jwks_uri is not None and safe_link(metadata.jwks_uri) is None:
        raise InvalidClientMetadata("The jwks_uri must be an https address.")
    if metadata.jwks is None:
        return
    if metadata.jwks_uri is not None:
        raise InvalidClientMetadata("Give jwks or jwks_uri, not both.")  # RFC 7591 section 2
    keys = metadata.jwks.get("keys")
    if not isinstance(keys, list) or len(keys) > MAX_KEYS or not all(isinstance(key, dict) for key in keys):
        raise InvalidClientMetadata(f"The jwks must be an object with a list of at most {MAX_KEYS} keys.")
    if any(PRIVATE_MEMBERS & key.keys() for key in keys):
        raise InvalidClientMetadata("The jwks contains a private or symmetric key; publish public keys only.")
