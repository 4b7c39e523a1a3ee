"""The recipes of CONTRIBUTING.md, followed to the letter."""

import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

import mcp_server.toolsets.personas.tools as personas_tools
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.toolset import discover
from tests import architecture, documents
from tests.support import ADA, serve

ROOT = Path(__file__).resolve().parent.parent
NAME = "count_my_ai_personas"


@pytest.fixture
def source() -> str:
    """The tool of the recipe."""
    (block,) = [b for b in documents.blocks((ROOT / "CONTRIBUTING.md").read_text("utf-8")) if b.language == "python"]
    return "\n".join(line.removeprefix("   ") for line in block.body.splitlines()) + "\n"


@pytest.fixture
def added(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The file of the recipe, as if it lay in the folder of the tools; gone afterwards."""
    (tmp_path / f"{NAME}.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(personas_tools, "__path__", [*personas_tools.__path__, str(tmp_path)])
    yield
    sys.modules.pop(f"{personas_tools.__name__}.{NAME}")
    delattr(personas_tools, NAME)


def two_personas(request: httpx2.Request) -> httpx2.Response:
    assert (request.url.host, request.url.path) == ("api.test", "/api/v1/minds")
    row = {"description": "", "type": "expert", "tags": [], "createdAt": "", "updatedAt": ""}
    rows = [{"id": str(n), "name": f"Persona {n}", **row} for n in (1, 2)]
    return httpx2.Response(200, json={"data": rows, "pagination": {"total": 2, "limit": 100, "offset": 0}})


@pytest.mark.usefixtures("added")
@pytest.mark.requirement(
    "seed:gateway:new-tool-one-file", "seed:gateway:tool-api-base-url", "seed:gateway:internal-api-over-http"
)
async def test_the_file_of_the_recipe_alone_is_a_tool() -> None:
    toolsets = discover(["personas"])

    async with (
        serve(httpx2.MockTransport(two_personas), toolsets, credentials=OwnKey()) as gateway,
        gateway.connect(ADA) as client,
    ):
        listed = await client.list_tools()
        result = await client.call_tool(NAME, {})

    assert NAME in {tool.name for tool in listed.tools}
    assert result.structured_content == {"total": 2}


def test_the_file_of_the_recipe_keeps_the_rules(source: str) -> None:
    checks = (architecture.long_file, architecture.long_functions, architecture.bare_suppressions)

    assert [offence for check in checks for offence in check(source)] == []
