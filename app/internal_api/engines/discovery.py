"""A language model that runs on this machine, looked for where `LLM_DISCOVER` asks for it and no other is named."""

import asyncio
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

import httpx2
from pydantic import BaseModel, StringConstraints, ValidationError

from app.internal_api.engines.settings import EngineSettings

PORTS: Mapping[str, int] = MappingProxyType({"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000})
SECONDS = 1.0
MOST_BYTES = 1_048_576
NO_CHAT = re.compile(r"embed|rerank|minilm|whisper|tts|(?:^|[/:_-])(?:bge|gte|e5)[_-]", re.IGNORECASE)
NONE_FOUND = "none found on this machine (LLM_DISCOVER), so personas only quote what they know"


class _Model(BaseModel):
    id: Annotated[str, StringConstraints(pattern=r"^[\w.:/@+-]{1,200}$")]


class _Models(BaseModel):
    data: list[_Model]


async def discover(
    settings: EngineSettings, own_port: int, ports: Mapping[str, int] = PORTS
) -> tuple[dict[str, str], str]:
    """The settings of the first server's model, and a line that names it; both empty where nothing is looked for.

    Asks loopback only, and never `own_port`; `LLM_MODEL` chooses among what is listed.
    """
    if not settings.llm_discover or settings.llm_base_url is not None:
        return {}, ""
    asked = {name: f"http://127.0.0.1:{port}/v1" for name, port in ports.items() if port != own_port}
    async with httpx2.AsyncClient(timeout=SECONDS, trust_env=False) as client:
        listed = await asyncio.gather(*(_models(client, url) for url in asked.values()))
    for (name, url), models in zip(asked.items(), listed, strict=True):
        chat = [one for one in models if not NO_CHAT.search(one) and settings.llm_model in {None, one}]
        if model := next(iter(chat), None):
            return {"LLM_BASE_URL": url, "LLM_MODEL": model}, f"{model} of {name} at {url} (LLM_DISCOVER)"
    return {}, NONE_FOUND


async def _models(client: httpx2.AsyncClient, url: str) -> list[str]:
    """The names of the models there; none where nobody answers, or answers otherwise."""
    data = bytearray()
    try:
        async with asyncio.timeout(SECONDS), client.stream("GET", f"{url}/models") as response:
            async for piece in response.aiter_bytes():
                data += piece
                if response.status_code != httpx2.codes.OK or len(data) > MOST_BYTES:
                    return []
        return [model.id for model in _Models.model_validate_json(bytes(data)).data]
    except (TimeoutError, httpx2.HTTPError, httpx2.StreamError, ValidationError):
        return []
