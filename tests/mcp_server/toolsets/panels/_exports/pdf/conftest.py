"""Fonts are opened once; every test has a fresh sheet."""

from collections.abc import Iterator

import pytest

from mcp_server.toolsets.panels._exports.pdf.faces import Fonts, open_fonts
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper


@pytest.fixture(scope="session")
def fonts(tmp_path_factory: pytest.TempPathFactory) -> Fonts:
    """Without others than the main one: the tests are the same wherever more are installed."""
    return open_fonts(tmp_path_factory.mktemp("fonts"), frozenset())


@pytest.fixture
def paper(fonts: Fonts) -> Iterator[Paper]:
    with Paper(fonts) as sheet:
        sheet.add_page()
        yield sheet
