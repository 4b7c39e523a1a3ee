"""Sources that fail, hang or come late; and ids that lead nowhere."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from mcp_server.errors import InvalidArguments, NotFound, ServiceUnavailable
from mcp_server.toolkit.sources import Document, Found, Source
from mcp_server.toolsets.knowledge.service import KnowledgeService


@dataclass
class Fake:
    """Finds one page, or fails, or never ends."""

    name: str
    fault: Exception | None = None
    is_endless: bool = False
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def search(self, _query: str, _limit: int) -> Sequence[Found]:
        try:
            await (asyncio.Event().wait() if self.is_endless else asyncio.sleep(0))
        finally:
            self.left.set()
        if self.fault is not None:
            raise self.fault
        return [Found("a:b", f"Page of {self.name}", f"https://{self.name}.example/b")]

    async def fetch(self, id: str) -> Document:
        if id != "a:b":
            raise NotFound("page", id, closest=["a:b"], listed_by="list_docs")
        return Document("Page", "Text", f"https://{self.name}.example/b", {"kind": "page"})


async def test_a_source_that_fails_or_hangs_leaves_the_others_and_is_counted() -> None:
    slow = Fake("slow", is_endless=True)
    sources: dict[str, Source] = {
        "docs": Fake("docs"),
        "broken": Fake("broken", ZeroDivisionError("inside")),
        "slow": slow,
    }
    with capture_logs() as logged:
        answer = await KnowledgeService(sources, seconds=0.01).search("page")

    assert [one.id for one in answer.results] == ["docs:a:b"]
    assert [(line["failed"], line["of"]) for line in logged] == [(2, 3)]
    assert "inside" not in str(logged)
    assert slow.left.is_set()


async def test_when_all_fail_the_search_does_and_says_what_can_be_mended() -> None:
    faults = {"a": Fake("a", ServiceUnavailable()), "b": Fake("b", is_endless=True)}
    mendable = {"a": Fake("a", ServiceUnavailable()), "b": Fake("b", InvalidArguments("shorter"))}

    with pytest.raises(ServiceUnavailable):
        await KnowledgeService(faults, seconds=0.01).search("x")
    with pytest.raises(InvalidArguments):
        await KnowledgeService(mendable).search("x")


@pytest.mark.parametrize("id", ["docs:nothing", "other:a:b", "docs", "", ":", "docs:"])
async def test_an_id_that_leads_nowhere_says_where_ids_come_from(id: str) -> None:
    with pytest.raises(NotFound) as failure:
        await KnowledgeService({"docs": Fake("docs")}).fetch(id)

    assert "search" in failure.value.message
    assert failure.value.details["suggestions"] == []
