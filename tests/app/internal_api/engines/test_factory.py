"""The choice of the engine."""

import httpx2

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.factory import create_engine
from app.internal_api.engines.settings import EngineSettings
from tests.app.internal_api.engines.people import ADA


def test_without_an_address_the_engine_is_offline() -> None:
    assert create_engine(EngineSettings.model_construct(llm_base_url=None)).name == "offline"


async def test_a_given_transport_carries_the_requests() -> None:
    seen: list[httpx2.Request] = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={"choices": [{"message": {"content": "Hello."}}]})

    settings = EngineSettings.model_validate({"llm_base_url": "https://model.example/v1/", "llm_model": "m"})

    answer = await create_engine(settings, httpx2.MockTransport(reply)).answer(ADA, [Turn("user", "Hi")], [])

    assert answer.content == "Hello."
    assert str(seen[0].url) == "https://model.example/v1/chat/completions"
