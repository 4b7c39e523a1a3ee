"""Which resource a token is for (RFC 8707): clients spell one URL in several ways, tokens in one. Pure."""

from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from oauth.errors import InvalidTarget

DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical(url: str) -> str:
    """The one spelling: lower-case scheme and host, no default port, no trailing slash; the path as it is.

    Raises `InvalidTarget`: it is no absolute http(s) URL, or it has a fragment (RFC 8707 section 2), a query or a user.
    """
    parts = _split(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    named_port = "" if parts.port in {None, DEFAULT_PORTS[parts.scheme]} else f":{parts.port}"
    return f"{parts.scheme}://{host}{named_port}{parts.path.rstrip('/')}"


def chosen(named: str | None, resources: Sequence[str]) -> str:
    """The one of `resources` that is `named` in whatever spelling; the first where none is named.

    Real clients leave it out, or send the origin of the server instead of the URL that its metadata names. Both
    mean the first, and the token says so in `aud`: what is issued is never wider than one resource of ours.

    Raises `InvalidTarget`: it is malformed, or none of them.
    """
    if named is None:
        return resources[0]
    wanted = canonical(named)
    for resource in resources:
        if canonical(resource) == wanted:
            return resource
    first = urlsplit(resources[0])
    if wanted == canonical(f"{first.scheme}://{first.netloc}"):
        return resources[0]
    raise InvalidTarget("This server issues no tokens for that resource.")


def _split(url: str) -> SplitResult:
    # urlsplit drops line breaks and tabs without a word, so what it would repair is refused first.
    is_plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    try:
        parts = urlsplit(url if is_plain else "")
        has_place = parts.port != 0 and parts.scheme in DEFAULT_PORTS and parts.hostname and "@" not in parts.netloc
    except ValueError:  # an impossible port, a bracket without its pair
        has_place = False
    if not has_place:
        raise InvalidTarget("The resource must be an absolute URL with a possible port.")
    if "#" in url or "?" in url:
        raise InvalidTarget("The resource must have neither a query nor a fragment.")
    return parts
