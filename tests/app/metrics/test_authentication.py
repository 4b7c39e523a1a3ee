"""Who is counted as what."""

import pytest
from prometheus_client import generate_latest

from app.metrics.authentication import CountedAuthenticator, kind_of
from app.metrics.metrics import Metrics
from mcp_server.caller import Caller
from mcp_server.errors import ServiceUnavailable

KEY, TOKEN = "minds_" + "0" * 48, "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ." + "c" * 85 + "A"


class Fixed:
    """Knows nobody but one."""

    async def caller(self, bearer: str) -> Caller | None:
        if bearer == TOKEN:
            raise ServiceUnavailable
        return Caller(kind="api_key") if bearer == KEY else None


async def test_the_answers_are_those_of_the_other_and_each_is_counted_once() -> None:
    metrics = Metrics()
    authenticator = CountedAuthenticator(Fixed(), metrics)

    assert await authenticator.caller(KEY) == Caller(kind="api_key")
    assert await authenticator.caller("nobody") is None
    with pytest.raises(ServiceUnavailable):
        await authenticator.caller(TOKEN)

    shown = generate_latest(metrics.families.shown()).decode()
    assert 'authentication_attempts_total{kind="api_key",outcome="valid"} 1.0' in shown
    assert 'authentication_attempts_total{kind="unknown",outcome="invalid"} 1.0' in shown
    assert 'authentication_attempts_total{kind="oauth",outcome="unavailable"} 1.0' in shown


@pytest.mark.parametrize(("bearer", "kind"), [(KEY, "api_key"), (TOKEN, "oauth"), ("", "unknown"), ("x", "unknown")])
def test_a_credential_is_told_by_its_looks(bearer: str, kind: str) -> None:
    assert kind_of(bearer) == kind
