"""The embedded API as it is composed for real: pages fetched, cut, indexed, found, quoted by the offline engine."""

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.settings import EngineSettings
from app.internal_api.factory import create_internal_api
from app.internal_api.settings import InternalApiSettings
from tests.app.internal_api.support import LINK, LINKED, SECRET, FakePrincipals, World, any_link

PAGE = """<html><head><title>Tea guide</title></head><body><main><h1>Tea guide</h1>
<h2>Green tea</h2><p>Green tea is steeped at eighty degrees for two minutes, and never with boiling water.</p>
<h2>Black tea</h2><p>Black tea is steeped at one hundred degrees for four minutes, with a lid on the pot.</p>
</main></body></html>"""


def _pages(request: httpx2.Request) -> httpx2.Response:
    if str(request.url) == LINK:
        return httpx2.Response(200, html=PAGE)
    return httpx2.Response(404)


async def test_a_mind_trained_from_a_page_answers_with_citations_into_it(engine: AsyncEngine) -> None:
    web = httpx2.AsyncClient(transport=httpx2.MockTransport(_pages))
    api = create_internal_api(
        engine=engine,
        principals=FakePrincipals(),
        web=web,
        settings=InternalApiSettings(),
        persona_engine=create_engine(EngineSettings(llm_base_url=None)),
        admit_link=any_link,
        secret=SECRET,
    )
    client = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=api.app),
        base_url="http://api.test/api/v1",
        headers={"Authorization": "Bearer ada"},
    )
    mind_id = (await client.post("/minds", json=LINKED)).json()["data"]["id"]
    while await api.worker.work_once():
        pass

    question = {"messages": [{"role": "user", "content": "How long is black tea steeped?"}]}
    answer = (await client.post(f"/minds/{mind_id}/completion", json=question)).json()

    assert "four minutes" in answer["content"]
    (citation, *_) = answer["metadata"]["ragCitations"]
    assert (citation["rawLink"], citation["displaySource"]) == (LINK, "example.com")
    assert "four minutes" in citation["snippet"]
    assert answer["metadata"]["engine"] == "offline"


@pytest.mark.parametrize("run_worker", [True, False])
async def test_the_lifespan_ends_cleanly_with_and_without_a_worker(world: World, run_worker: bool) -> None:
    async with world.api(run_worker=run_worker).lifespan():
        pass
