"""On stdio nobody signs in where nothing that is served wants it."""

from pathlib import Path

import pytest

from mcp_server.settings import StdioSettings
from mcp_server.stdio_server import configured_caller, sign_in_site
from mcp_server.toolset import discover
from tests.edge import ERAS
from tests.mcp_server.stdio_process import MODULE, started
from tests.mcp_server.toolsets.docs.folder import written

SITE = "https://gw.example"


def test_nobodys_sign_in_is_looked_for_where_nothing_wants_one() -> None:
    remote, docs = StdioSettings(_env_file=None, mindsai_api_url=SITE), discover(["docs"])

    assert sign_in_site(remote, docs) is None
    assert configured_caller(remote, docs).is_anonymous
    assert sign_in_site(remote, [*docs, *discover(["personas"])]) == SITE


@pytest.mark.parametrize("era", ERAS)
async def test_closed_documentation_says_without_a_key_what_to_do_and_opens_with_one(tmp_path: Path, era: str) -> None:
    root = written(tmp_path / "docs")
    arguments = (*MODULE, "--toolsets", "docs", "--docs-root", str(root))
    answers = []
    for key in ({}, {"MINDSAI_API_KEY": "minds_key"}):
        async with started(tmp_path, *arguments, DOCS_PUBLIC="false", **key) as process:
            if era == ERAS[0]:
                await process.handshake()
            answers.append(await process.ask("tools/call", {"name": "list_doc_pages", "arguments": {}}, era=era))

    refused, answered = answers
    assert refused["error"]["data"]["code"] == "AUTHENTICATION_REQUIRED"
    assert "MINDSAI_API_KEY" in refused["error"]["message"]
    assert answered["result"]["isError"] is False
