"""Choose the persona engine that the settings ask for."""

import httpx2

from app.internal_api.engines.chat.endpoint import ChatEndpoint
from app.internal_api.engines.chat.engine import LanguageModelEngine
from app.internal_api.engines.engine import PersonaEngine
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.engines.settings import EngineSettings


def create_engine(settings: EngineSettings, transport: httpx2.AsyncBaseTransport | None = None) -> PersonaEngine:
    """The engine behind `LLM_BASE_URL`, or the offline one when that is unset."""
    if settings.llm_base_url is None or settings.llm_model is None:
        return ExtractiveEngine()
    return LanguageModelEngine(ChatEndpoint(settings, transport), settings.llm_model)
