"""Nobody is somebody by accident, and a caller's secret is not printed."""

import asyncio
from dataclasses import FrozenInstanceError

import pytest

from mcp_server.caller import ANONYMOUS, Caller, current_caller
from tests.support import ADA, BOB


def test_without_being_told_the_caller_is_nobody() -> None:
    assert current_caller.get() is ANONYMOUS
    assert Caller().is_anonymous
    assert not ADA.is_anonymous


def test_a_caller_cannot_be_changed_and_does_not_show_the_secret() -> None:
    with pytest.raises(FrozenInstanceError):
        ADA.subject = "bob"  # type: ignore[misc]  # that it cannot be set is the point

    assert "minds_ada" not in repr(ADA) + str(ADA)


async def test_two_requests_at_once_have_each_their_own_caller() -> None:
    seen = []
    both_set = asyncio.Barrier(2)

    async def request(caller: Caller) -> None:
        current_caller.set(caller)
        await both_set.wait()
        seen.append((caller.subject, current_caller.get().subject))

    await asyncio.gather(request(ADA), request(BOB))

    assert sorted(seen) == [("ada", "ada"), ("bob", "bob")]
