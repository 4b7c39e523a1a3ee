"""The stdio process by its command line: no key, no database, no embedded API."""

import sys
from pathlib import Path

import mcp
import psutil
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from mcp_server.stdio_options import Options, read_options
from mcp_server.toolsets.docs.settings import DocsSettings
from tests.mcp_server.stdio_process import started
from tests.mcp_server.toolsets.docs.folder import written
from tests.processes import environment
from tests.support import Era, text_of

MODULE = ("-m", "mcp_server.stdio")


def test_options_are_settings_of_the_process_or_of_a_toolset(tmp_path: Path) -> None:
    options = read_options(
        ["--toolsets", "docs,assistant", "--docs-root", str(tmp_path), "-p", "agno-v2", "-n", "Agno Docs"]
    )

    assert options.settings == {"toolsets": "docs,assistant"}
    assert options.toolsets == {
        "docs_root": tmp_path, "assistant_project": "agno-v2", "assistant_name": "Agno Docs",
    }  # fmt: skip


def test_an_option_for_a_toolset_that_is_not_served_is_a_problem(tmp_path: Path) -> None:
    options = Options(toolsets={"docs_root": tmp_path, "assistant_project": "x"})

    [problem] = options.problems([DocsSettings(_env_file=None)])

    assert problem.startswith("--project")


@pytest.mark.slow
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_alone_it_serves_a_folder_of_documentation_and_starts_nothing_else(tmp_path: Path, era: Era) -> None:
    root = written(tmp_path / "docs")
    arguments = [*MODULE, "--toolsets", "docs", "--docs-root", str(root), "--data-dir", str(tmp_path)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment(), cwd=tmp_path)
    with (tmp_path / "stderr.log").open("w", encoding="utf-8") as errors:
        async with mcp.Client(stdio_client(server, errlog=errors), mode=era) as client:
            tools = (await client.list_tools()).tools
            found = await client.call_tool("search_docs", {"query": "rate limiting"})
            [process] = [one for one in psutil.Process().children() if "--docs-root" in one.cmdline()]
            children = process.children(recursive=True)

    assert {tool.name for tool in tools} == {"search_docs", "get_doc_page", "list_doc_pages"}
    assert "api/endpoints.md" in text_of(found)
    assert children == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("--toolsets", "dosc"),
        ("--toolsets", "docs", "--docs-root", "/no/such/folder"),
        ("--toolsets", "docs", "--project", "agno-v2"),
        ("--no-such-option",),
    ],
)
async def test_a_wrong_option_ends_it_with_what_is_wrong(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    async with started(tmp_path, *MODULE, *arguments) as process:
        out, err, code = await process.end()

    assert (out, code) == (b"", 2)
    assert err.count(b"\n") == 1
    assert b"Traceback" not in err


def test_the_options_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(["--help"])

    assert ended.value.code == 0
    assert "--docs-root" in capsys.readouterr().out
