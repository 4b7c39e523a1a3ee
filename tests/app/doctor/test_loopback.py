"""The way back from the browser."""

import httpx2
import pytest

from app.doctor.loopback import listening


async def test_the_awaited_state_ends_the_wait_and_nothing_else_does() -> None:
    async with listening("right") as callback, httpx2.AsyncClient(trust_env=False) as browser:
        origin = callback.redirect_uri.removesuffix("/callback")

        turned_away = [
            (await browser.get(f"{origin}{target}")).status_code
            for target in (
                "/favicon.ico",
                "/callback",
                "/callback?code=evil&state=wrong",
                "/callback?code=evil&state=right&state=right",
            )
        ]
        posted = await browser.post(f"{callback.redirect_uri}?code=evil&state=right")
        assert await callback.wait(0.01) is None
        page = await browser.get(f"{callback.redirect_uri}?code=good&state=right")
        again = await browser.get(f"{callback.redirect_uri}?code=late&state=right")

        assert (turned_away, posted.status_code) == ([404, 400, 400, 400], 404)
        assert (page.status_code, page.headers["cache-control"], again.status_code) == (200, "no-store", 200)
        assert await callback.wait(20) == {"code": "good", "state": "right"}


async def test_a_head_without_end_is_cut_off() -> None:
    async with listening("right") as callback, httpx2.AsyncClient(trust_env=False) as browser:
        with pytest.raises(httpx2.TransportError):
            await browser.get(f"{callback.redirect_uri}?state={'x' * 40_000}")
