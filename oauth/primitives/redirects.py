r"""Redirect URIs: which may be registered, and which of a request is one of them. Pure.

A redirect URI is where codes are sent, so a loose comparison is a vulnerability: what is registered is compared
byte for byte, and nothing is normalised (RFC 9700 section 4.1.3). Parsers differ on `\`, `@`, `..;` and control
characters (CVE-2026-3872, CVE-2026-7504), so a URI with any of these is not registered in the first place.
"""

import re
import tomllib
from collections.abc import Collection, Iterable
from importlib.resources import files
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from oauth.errors import InvalidRedirectUri

MAX_LENGTH = 2_000
ANSWER = frozenset({"code", "state", "iss", "error", "error_description"})
"""The parameters of an answer: in an address that is registered they would be there twice, or always."""
TAKEN = frozenset(tomllib.loads(files(__package__).joinpath("schemes.toml").read_text("utf-8"))["taken"])
"""Schemes that a browser or a system gives a meaning of its own: none is one app's, and some run what follows them."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")  # RFC 3986 section 3.1, in lower case, as it is compared
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})

# The characters of RFC 3986 but for `#`, because a fragment is forbidden (RFC 6749 section 3.1.2), and for `*`,
# which means a wildcard to whoever writes it; `%` in whole triplets only.
_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?\[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_LOOPBACK = re.compile(r"(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9][0-9]{0,4}))?(?=[/?]|\Z)")
_ODD_PORT = re.compile(r":0[0-9]*\Z")  # the same port to whoever reads numbers, another one byte for byte
_MAX_PORT = 65_535
_MAX_HOST = 253
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def check_redirect(uri: str, private_schemes: Collection[str]) -> None:
    """Let a URI pass that a client may register: https, http on loopback, or a private scheme of the list.

    Raises `InvalidRedirectUri`: it is of another kind, or spelled in a way that parsers read differently.
    """
    if len(uri) > MAX_LENGTH:
        raise InvalidRedirectUri(f"A redirect URI is longer than {MAX_LENGTH} characters.")
    if not _CHARACTERS.fullmatch(uri):
        raise InvalidRedirectUri("A redirect URI has a fragment, a wildcard, or a character that no URI may have.")
    parts = _split(uri)
    _check_spelling(uri, parts)
    if parts.scheme in private_schemes and is_private_scheme(parts.scheme):
        if not (parts.netloc or parts.path.strip("/")):
            raise InvalidRedirectUri("A redirect URI needs something behind its scheme, such as /callback.")
        return
    if parts.scheme not in {"http", "https"} or not _is_host(parts):
        raise InvalidRedirectUri("Redirect to an https address, to http on loopback, or to a scheme on our list.")
    if parts.scheme == "http" and not is_loopback(uri):
        raise InvalidRedirectUri("A redirect URI with http must lead to 127.0.0.1, [::1] or localhost; use https.")


def is_private_scheme(scheme: str) -> bool:
    """Whether an app can have this scheme to itself (RFC 8252 section 7.1), and it is written as it is compared."""
    return scheme not in TAKEN and _SCHEME.fullmatch(scheme) is not None


def matches(asked: str, registered: Iterable[str]) -> bool:
    """Whether `asked` is one of `registered`: byte for byte, but for the port of a loopback address.

    A native client listens on whatever port is free when it starts (RFC 8252 section 7.3). The three names of
    loopback are not each other's: the client listens on one of them.
    """
    forms = frozenset(registered)
    if asked in forms:
        return True
    without_port = _without_port(asked)
    return without_port is not None and any(_without_port(form) == without_port for form in forms)


def is_loopback(uri: str) -> bool:
    """Whether it leads to the computer on which the browser runs, where any program may listen."""
    return _without_port(uri) is not None


def redirect_host(uri: str) -> str:
    """Where a code goes, as it is shown to people and remembered in consents.

    The host with a port that is not the usual one, loopback without its port, and of a private scheme the scheme
    alone: what looks like a host in `cursor://claude.ai/` is none.
    """
    parts = urlsplit(uri)
    if parts.scheme not in {"http", "https"}:
        return f"{parts.scheme}:"
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    if is_loopback(uri) or parts.port in {None, 443}:
        return shown
    return f"{shown}:{parts.port}"


def _check_spelling(uri: str, parts: SplitResult) -> None:
    if "@" in parts.netloc:
        raise InvalidRedirectUri("A redirect URI must not contain user information.")
    # A server behind the host may see another path: `..` plain, encoded, or behind a `;` parameter.
    segments = re.split(r"[/\\]", unquote(parts.path))
    is_devious = any(segment.split(";")[0] in {".", ".."} for segment in segments)
    if is_devious or _CONTROL.search(unquote(uri)):
        raise InvalidRedirectUri("A redirect URI must not contain dot segments or encoded control characters.")
    if ANSWER & dict(parse_qsl(parts.query, keep_blank_values=True)).keys():
        raise InvalidRedirectUri("A redirect URI must not contain a parameter that only an answer may have.")


def _without_port(uri: str) -> str | None:
    """A loopback address without its port; None for all other addresses."""
    found = _LOOPBACK.match(uri)
    if found is None or int(found[2] or 1) > _MAX_PORT:
        return None
    return found[1] + uri[found.end() :]


def _split(uri: str) -> SplitResult:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:  # a bracket without its pair, a port that is no number
        raise InvalidRedirectUri("A redirect URI cannot be read.") from None
    if port == 0 or parts.netloc.endswith(":") or _ODD_PORT.search(parts.netloc):
        raise InvalidRedirectUri("A redirect URI has an impossible port.")
    return parts


def _is_host(parts: SplitResult) -> bool:
    """Whether the host is a name, or an IP address in its one canonical spelling: `127.1` is loopback to some."""
    host = parts.hostname or ""
    if "%" in host:  # the zone of an IPv6 address means an interface of one machine (RFC 6874)
        return False
    if "[" in parts.netloc:
        return _is_address(IPv6Address, host)
    labels = host.removesuffix(".").split(".")
    if labels[-1].isdigit() or labels[-1].startswith("0x"):
        return _is_address(IPv4Address, host)
    return len(host) <= _MAX_HOST and all(_LABEL.fullmatch(label) for label in labels)


def _is_address(kind: type[IPv4Address | IPv6Address], host: str) -> bool:
    try:
        return str(kind(host)) == host
    except ValueError:
        return False
