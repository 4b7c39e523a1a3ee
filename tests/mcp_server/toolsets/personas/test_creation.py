"""An equal call of one caller is one creation, for as long as it should be and for nobody else."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import SecretStr

import mcp_server.toolsets.personas._wire as wire
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.personas._creating import Creations
from mcp_server.toolsets.personas._wire import Made
from tests.mcp_server.toolsets.personas.world import summary
from tests.support import ADA, BOB, Clock

KEYED = Caller(kind="api_key", subject="ada", credential=SecretStr("minds_1"))
BODY = {"name": "Ada", "mode": "manual", "type": "expert"}


class Upstream:
    """Creates personas, and remembers under which keys."""

    def __init__(self, *failures: Exception) -> None:
        self.keys: list[str] = []
        self._failures = list(failures)

    async def post(self, _body: Mapping[str, Any], key: str) -> Made:
        self.keys.append(key)
        if self._failures:
            raise self._failures.pop(0)
        return wire.made({"data": summary("Ada")})


@pytest.mark.requirement("seed:gateway:cache-create")
async def test_after_its_time_an_equal_call_is_a_new_persona_under_a_new_key() -> None:
    upstream, clock = Upstream(), Clock()
    creations = Creations(upstream.post, ttl=10, now=clock, clock=clock)

    await creations.create(BODY, ADA)
    clock.now += 9.9
    _, soon = await creations.create(BODY, ADA)
    clock.now += 0.2
    _, later = await creations.create(BODY, ADA)

    assert (soon, later) == (True, False)
    assert len(set(upstream.keys)) == 2


async def test_two_workers_give_calls_of_the_same_moment_the_same_key_that_shows_neither_caller_nor_persona() -> None:
    upstream, clock = Upstream(), Clock()

    for worker in (Creations(upstream.post, ttl=10, now=clock), Creations(upstream.post, ttl=10, now=clock)):
        await worker.create(BODY, ADA)

    first, second = upstream.keys
    assert first == second
    assert len(bytes.fromhex(first)) == 32


async def test_an_attempt_without_an_answer_is_repeated_under_its_key_however_late() -> None:
    upstream, clock = Upstream(ServiceUnavailable(), ServiceUnavailable()), Clock()
    creations = Creations(upstream.post, ttl=10, now=clock, clock=clock)

    for _ in range(2):
        with pytest.raises(ServiceUnavailable):
            await creations.create(BODY, ADA)
        clock.now += 65
    await creations.create(BODY, ADA)

    assert len(upstream.keys) == 3
    assert len(set(upstream.keys)) == 1


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (ADA, ADA, True),
        (ADA, BOB, False),
        (ADA, Caller(kind="oauth", subject="ada"), True),
        (ANONYMOUS, ANONYMOUS, False),
        (ANONYMOUS, Caller(kind="anonymous", subject="ada"), False),
        (KEYED, Caller(kind="api_key", subject="ada", credential=SecretStr("minds_2")), True),
        (KEYED, Caller(kind="api_key", subject="bob", credential=SecretStr("minds_2")), False),
        (Caller(kind="oauth"), Caller(kind="oauth"), False),
    ],
)
async def test_only_the_same_account_shares(one: Caller, other: Caller, shared: bool) -> None:
    upstream = Upstream()
    creations = Creations(upstream.post, ttl=10)

    await creations.create(BODY, one)
    _, duplicate = await creations.create(BODY, other)

    assert duplicate is shared
    assert len(set(upstream.keys)) == (1 if shared else 2)
