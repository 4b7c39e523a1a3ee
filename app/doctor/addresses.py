"""Which addresses are requested at all, and where documents lie: pure decisions about URLs."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, urljoin, urlsplit

PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"
AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"
OPENID_CONFIGURATION = "/.well-known/openid-configuration"
DEFAULT_PORTS = {"http": 80, "https": 443}


def parts(url: str) -> SplitResult | None:
    """The parts of an absolute http address; None for anything else, an impossible port included."""
    try:
        split = urlsplit(url)
        usable = split.scheme in DEFAULT_PORTS and bool(split.hostname) and (split.port is None or split.port > 0)
    except ValueError:
        return None
    return split if usable and url.isascii() and url.isprintable() and " " not in url else None


def origin(url: str) -> str:
    """Scheme, host and port in one spelling; empty for what is no address."""
    split = parts(url)
    if split is None:
        return ""
    host = f"[{split.hostname}]" if ":" in (split.hostname or "") else split.hostname
    port = "" if split.port in {None, DEFAULT_PORTS[split.scheme]} else f":{split.port}"
    return f"{split.scheme}://{host}{port}"


def same_origin(one: str, other: str) -> bool:
    return bool(origin(one)) and origin(one) == origin(other)


def same_origin_target(url: str, location: str) -> str:
    """Where `location`, relative or not, leads from `url`; empty where that is no address, or another origin's."""
    try:
        target = urljoin(url, location) if location else ""
    except ValueError:
        return ""
    return target if same_origin(url, target) else ""


def _literal(url: str) -> IPv4Address | IPv6Address | None:
    """The address that the host is, or stands for (RFC 6761 section 6.3); other names are not resolved here."""
    split = parts(url)
    host = (split.hostname or "") if split else ""
    try:
        return ip_address("127.0.0.1" if host.rstrip(".").rpartition(".")[2].lower() == "localhost" else host)
    except ValueError:
        return None


def is_loopback(url: str) -> bool:
    """The machine itself (RFC 8252 section 7.3)."""
    return (literal := _literal(url)) is not None and literal.is_loopback


def is_private(url: str) -> bool:
    """An address that no hosted client can reach."""
    return (literal := _literal(url)) is not None and not literal.is_global


def unsafe(url: str, typed: str) -> str:
    """Why `url`, which a document of the examined server names, is not requested; empty when it is.

    A server's document must not turn the doctor against the machine and the network it runs in: only https is used,
    and http on loopback when the operator typed a loopback address. Codes and tokens never travel unprotected
    (RFC 6749 section 3.1.2.1, RFC 9700 section 2.6).
    """
    split = parts(url)
    if split is None:
        return "it is no absolute https address"
    if "@" in split.netloc:
        return "it carries a user name"
    if is_private(url) and not is_private(typed):
        return "it is a private address that only the gateway's own network knows"
    if split.scheme == "http" and not (is_loopback(url) and is_loopback(typed)):
        return "it is not https"
    return ""


def inserted(url: str, well_known: str) -> str:
    """The well-known address with the path of `url` behind it (RFC 8414 section 3.1, RFC 9728 section 3.1)."""
    split = parts(url)
    return split._replace(path=well_known + split.path.removesuffix("/"), fragment="").geturl() if split else ""


def server_documents(issuer: str) -> tuple[str, ...]:
    """Where a client looks for an authorization server's metadata, in order (MCP authorization, 2025-11-25)."""
    if parts(issuer) is None:
        return ()
    appended = issuer.removesuffix("/") + OPENID_CONFIGURATION
    places = (inserted(issuer, AUTHORIZATION_SERVER), inserted(issuer, OPENID_CONFIGURATION), appended)
    return tuple(dict.fromkeys(places))


def covers(resource: str, url: str) -> bool:
    """Whether `url` lies at or below `resource`, at a path boundary: what the lenient clients compare (RFC 8707)."""
    above, below = (urlsplit(one).path.removesuffix("/") + "/" if parts(one) else "" for one in (resource, url))
    return same_origin(resource, url) and below.startswith(above)
