"""A server in development, and its page that hosts widgets, in both ways."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import PageOf, Site
from tests.browser.widgets.host import PATIENCE, DevHost, Web, serving_web
from tests.processes import HOST, free_port, serving

HOSTS = ("apps", "chatgpt")


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """Trainings and questions take longer than Playwright waits by itself."""
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=None)


@pytest.fixture(scope="session")
def web() -> Iterator[Web]:
    with serving_web() as web:
        yield web


@pytest.fixture(scope="session")
def site(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server in development, which has the page that hosts widgets."""
    port, folder = free_port(), tmp_path_factory.mktemp("widgets")
    settings = {
        "HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var"), "DEBUG": "true",
        "FETCH_ALLOW_HOSTS": web.address.removeprefix("http://"),
    }  # fmt: skip
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield Site(f"http://{HOST}:{port}", settings, folder)


@pytest.fixture
async def page(page_of: PageOf, site: Site) -> Page:
    return await page_of(site.account("widgets"))


@pytest.fixture(params=HOSTS)
async def host(page: Page, request: pytest.FixtureRequest) -> DevHost:
    host = DevHost(page, request.param)
    await host.open()
    return host


@pytest.fixture
async def apps(page: Page) -> DevHost:
    host = DevHost(page)
    await host.open()
    return host
