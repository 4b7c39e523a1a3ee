"""Addresses as the settings write them: origins, `host:port`, networks, and what is on this machine. Pure."""

import ipaddress
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from pydantic import AfterValidator

PATTERN_FORM = re.compile(r"https?://\*(\.[a-z0-9-]+)+(:\d+)?")
HOST_FORM = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")

# Domains under which anybody gets a name in a minute: a pattern over one of them admits everybody.
PUBLIC_SUFFIXES = frozenset({
    "ngrok-free.app", "ngrok-free.dev", "ngrok.app", "ngrok.dev", "ngrok.io", "trycloudflare.com", "loca.lt",
    "vercel.app", "netlify.app", "pages.dev", "workers.dev", "github.io", "onrender.com", "herokuapp.com",
    "fly.dev", "web.app", "azurewebsites.net", "replit.app", "replit.dev",
})  # fmt: skip


def each(check: Callable[[str], str]) -> AfterValidator:
    """`check` for each entry of a list; repeated entries are one."""
    return AfterValidator(lambda values: tuple(dict.fromkeys(check(value) for value in values)))


def network(text: str) -> str:
    """An address or a network in its plain form. Raises `ValueError`: it is neither."""
    return str(ipaddress.ip_network(text, strict=False))


def origin(text: str) -> str:
    """The origin as browsers serialise it (RFC 6454 section 6.2): lower case, no default port, no slash.

    Raises `ValueError`: it is not `http(s)://host[:port]` and nothing more.
    """
    parts = urlsplit(text.rstrip("/"))
    beyond = parts.path or parts.query or parts.fragment or "@" in parts.netloc or "?" in text or "#" in text
    if parts.scheme not in {"http", "https"} or beyond or not _is_host(parts.hostname or ""):
        raise ValueError("write it as https://host or https://host:port, without a path")
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    is_default = parts.port in {None, {"http": 80, "https": 443}[parts.scheme]}
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{parts.port}")


def origin_or_pattern(text: str) -> str:
    """An origin, or one whose host begins with `*.`, such as `https://*.openai.com`.

    Raises `ValueError`: it is neither.
    """
    return text.lower() if PATTERN_FORM.fullmatch(text.lower()) else origin(text)


def is_open(pattern: str) -> bool:
    """Whether anybody can come to stand under this pattern by registering a name."""
    return "*" in pattern and "." not in _suffix(pattern)


def is_shared(pattern: str) -> bool:
    """Whether anybody can come to stand under this pattern for nothing, as under that of a tunnel."""
    return "*" in pattern and _suffix(pattern) in PUBLIC_SUFFIXES


def _suffix(pattern: str) -> str:
    return pattern.partition("*.")[2].partition(":")[0]


def host_port(text: str) -> str:
    """`host:port`, lower case; an IPv6 address in brackets.

    Raises `ValueError`: one of the two is missing or impossible.
    """
    parts = urlsplit(f"//{text}")
    if parts.path or "@" in text or not parts.port or not _is_host(parts.hostname or ""):
        raise ValueError("write it as host:port, such as 127.0.0.1:9000")
    return parts.netloc.lower()


def is_loopback(host: str) -> bool:
    """Whether this host name or address can only be this machine."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761 section 6.3
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_plain_http(url: str) -> bool:
    """Whether what is sent to this URL crosses a network unencrypted."""
    parts = urlsplit(url)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def _is_host(name: str) -> bool:
    if ":" not in name:
        return HOST_FORM.fullmatch(name) is not None
    try:
        ipaddress.IPv6Address(name)
    except ValueError:
        return False
    return True
