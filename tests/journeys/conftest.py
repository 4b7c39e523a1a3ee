"""One real server for all journeys: each makes personas of its own."""

from collections.abc import Iterator

import pytest

from tests.journeys.gateway import Gateway, document_server, new_user, web_page
from tests.journeys.sign_in_site import SignInSite, running_site
from tests.processes import HOST


@pytest.fixture(scope="session")
def documents() -> Iterator[str]:
    """`host:port` of the documents that a persona may be made from."""
    with document_server(web_page) as port:
        yield f"{HOST}:{port}"


@pytest.fixture(scope="session")
def site(documents: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignInSite]:
    with running_site(tmp_path_factory.mktemp("site"), documents) as running:
        yield running


@pytest.fixture(scope="session")
def gateway(site: SignInSite, documents: str) -> Gateway:
    """The same server, as clients with a key see it."""
    settings = site.host.settings
    alice, bob = (new_user(f"{name}@example.com", settings) for name in ("alice", "bob"))
    return Gateway(site.url, f"http://{documents}/bakery.html", alice, bob, settings, site.host.folder)
