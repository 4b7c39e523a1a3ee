"""A sink that only sends."""

import pytest

from mcp_server.audit.sinks import Sink


async def test_it_has_no_heads_and_nothing_to_forget_and_says_nothing_of_writing() -> None:
    sink = Sink()

    assert (await sink.heads(), await sink.expired(0.0)) == ({}, {})
    await sink.drop({})
    await sink.aclose()
    with pytest.raises(NotImplementedError):
        await sink.write([])
