"""The loopback app stands what browsers do."""

import asyncio
from urllib.parse import urlsplit

import pytest

from tests.browser.app import listening

pytestmark = pytest.mark.anyio


async def test_a_connection_that_a_browser_opens_ahead_and_does_not_need_disturbs_nothing() -> None:
    async with listening("http://gateway.test") as app:
        where = urlsplit(app.redirect_uri)

        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.write_eof()

        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
