"""Gateways with faults, in a process of their own, and a browser that says yes."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests import processes

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def gateways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of the process that holds a gateway for each fault."""
    port, folder = processes.free_port(), tmp_path_factory.mktemp("gateways")
    with processes.serving([str(HERE / "gateways.py"), str(port)], port, folder, {}):
        yield f"http://127.0.0.1:{port}"


def say_yes(address: str) -> None:
    """What a person does in the browser: open the page, follow its only link, and be sent back."""
    with httpx2.Client(follow_redirects=True, timeout=30) as browser:
        page = browser.get(address)
        page.raise_for_status()
        (link,) = re.findall(r'href="([^"]+)"', page.text)
        browser.get(link.replace("&amp;", "&"))
