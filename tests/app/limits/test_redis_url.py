"""The forms of REDIS_URL."""

import pytest

from app.limits.redis_url import redis_address


@pytest.mark.parametrize(
    ("text", "kind", "tls"),
    [
        ("redis://localhost:6379/0", "single", False),
        ("rediss://user:secret@cache.example/1?ssl_ca_certs=/etc/ca.pem", "single", True),
        ("redis+sentinel://one:26379,two/primary/2", "sentinel", False),
        ("rediss+cluster://user:secret@one:7000,[::1]:7001", "cluster", True),
    ],
)
def test_one_server_sentinels_and_clusters_are_told_apart(text: str, kind: str, tls: bool) -> None:
    address = redis_address(text)

    assert (address.kind, address.tls) == (kind, tls)
    assert "secret" not in repr(address)


def test_hosts_name_and_credentials_are_read() -> None:
    sentinel = redis_address("redis+sentinel://:p%40ss@one:7,two/the%20name/2")
    cluster = redis_address("redis+cluster://ada:pw@one:7000,[::1]")

    assert (sentinel.hosts, sentinel.service, sentinel.database) == ((("one", 7), ("two", 26379)), "the name", 2)
    assert (sentinel.username, sentinel.password) == (None, "p@ss")
    assert (cluster.hosts, cluster.username, cluster.password) == ((("one", 7000), ("::1", 6379)), "ada", "pw")


BROKEN = ["", "localhost:6379", "http://:hunter2@localhost", "redis://", "redis://host:port", "redis+unix:///tmp/x"]
BROKEN += ["redis+sentinel://one:26379", "redis+cluster://one/0", "redis+cluster://one,,two"]


@pytest.mark.parametrize("text", BROKEN)
def test_anything_else_is_refused_and_its_password_not_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="write it as") as refused:
        redis_address(text)

    assert "hunter2" not in str(refused.value)
