"""A real browser before the real server. `page_of(account)` is a page of somebody who has signed in."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser import app as apps
from tests.browser import chromium
from tests.browser.looks import Looks
from tests.browser.pages import Account, sign_in
from tests.journeys.gateway import new_user
from tests.journeys.person import PASSWORD
from tests.processes import HOST, free_port, serving

expect.set_options(timeout=30_000)  # milliseconds: every processor may be busy with other tests

OpenPage = Callable[..., Awaitable[Page]]
PageOf = Callable[..., Awaitable[Page]]


@dataclass(frozen=True)
class Site:
    """A running server, and the environment that the command line needs to reach its data."""

    url: str
    settings: dict[str, str]
    folder: Path

    def account(self, name: str) -> Account:
        """A new account; each has an address of its own."""
        email = f"{name}-{uuid4().hex[:8]}@example.com"
        new_user(email, self.settings)
        return Account(email, PASSWORD)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium.running() as running:
        yield running


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """`python -m app serve` on an empty database."""
    port, folder = free_port(), tmp_path_factory.mktemp("site")
    settings = {"HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var")}
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield Site(f"http://{HOST}:{port}", settings, folder)


@pytest.fixture(scope="session")
def account(site: Site) -> Account:
    """Somebody for all tests that leave the account as it was; one that makes mistakes is `site.account(…)`."""
    return site.account("ada")


@pytest.fixture
async def open_page(browser: Browser, site: Site) -> AsyncIterator[OpenPage]:
    """Opens a page in a browser profile of its own: no cookies. Its options are those of a Playwright context."""
    async with AsyncExitStack() as exits:

        async def opened(**options: Any) -> Page:
            context = await exits.enter_async_context(await browser.new_context(base_url=site.url, **options))
            return await context.new_page()

        yield opened


@pytest.fixture
def page_of(open_page: OpenPage) -> PageOf:
    """Opens a page in a profile in which this account has signed in."""

    async def opened(account: Account, **options: Any) -> Page:
        page = await open_page(**options)
        await page.goto("/oauth/login")
        await sign_in(page, account)
        return page

    return opened


@pytest.fixture
async def app(site: Site) -> AsyncIterator[apps.App]:
    """A registered app on this device. No two tests share one, so that no consent is remembered from another."""
    async with apps.listening(site.url) as app:
        await app.register(f"Notebook {uuid4().hex[:8]}")
        yield app


@pytest.fixture
def looks() -> Looks:
    """Pictures for people to look at are left in the folder that BROWSER_SCREENSHOTS names."""
    folder = os.environ.get("BROWSER_SCREENSHOTS")
    return Looks(Path(folder) if folder else None)
