"""The forms of `REDIS_URL`. Pure."""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

FORMS = (
    "write it as redis://host:6379/0, rediss://… for TLS, redis+sentinel://host:26379,host:26379/NAME/0 "
    "or redis+cluster://host:6379,host:6379"
)
PORTS = {"single": 6379, "cluster": 6379, "sentinel": 26_379}
KINDS: dict[str, Literal["single", "sentinel", "cluster"]] = {
    "redis": "single",
    "redis+sentinel": "sentinel",
    "redis+cluster": "cluster",
}


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where Redis is.

    Attributes:
        url: of a single server, as redis-py reads it; it may have options in its query, such as `ssl_ca_certs`.
        hosts: of a cluster, or of the sentinels.
        service: the name under which the sentinels know the primary.

    """

    kind: Literal["single", "sentinel", "cluster"]
    tls: bool
    url: str = field(default="", repr=False)
    hosts: tuple[tuple[str, int], ...] = ()
    service: str = ""
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)


def redis_address(text: str) -> RedisAddress:
    """Read `REDIS_URL`; the forms with several hosts are those of the library `limits`.

    Raises `ValueError`: it is of no known form. The message does not quote it: it may hold a password.
    """
    try:
        parts = urlsplit(text)
        kind, tls = KINDS[parts.scheme.replace("rediss", "redis", 1)], parts.scheme.startswith("rediss")
        credentials, _, hosts = parts.netloc.rpartition("@")
        if kind == "single":
            _host(hosts, PORTS[kind])
            return RedisAddress(kind, tls, url=text)
        username, _, password = credentials.partition(":")
        service, _, database = parts.path.strip("/").partition("/")
        if (kind == "sentinel") != bool(service) or parts.query:
            raise ValueError  # noqa: TRY301  told as everything else that is of no known form
        return RedisAddress(
            kind,
            tls,
            hosts=tuple(_host(host, PORTS[kind]) for host in hosts.split(",")),
            service=unquote(service),
            database=int(database or 0),
            username=unquote(username) or None,
            password=unquote(password) or None,
        )
    except (KeyError, ValueError):
        raise ValueError(FORMS) from None


def _host(text: str, port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError
    return parts.hostname, parts.port or port
