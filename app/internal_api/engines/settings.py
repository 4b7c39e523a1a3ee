"""Where the personas' language model is, when there is one, and which one runs on this machine, where that is asked."""

import asyncio
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

import httpx2
from pydantic import AnyHttpUrl, BaseModel, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PORTS: Mapping[str, int] = MappingProxyType({"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000})
SECONDS = 1.0
MOST_BYTES = 1_048_576
NO_CHAT = re.compile(r"embed|rerank|minilm|whisper|tts|(?:^|[/:_-])(?:bge|gte|e5)[_-]", re.IGNORECASE)
SO = " (LLM_DISCOVER), so personas only quote what they know"
NONE_FOUND = f"none found on this machine{SO}"
SHOWN = 5  # models of a server that has none to be used


class EngineSettings(BaseSettings):
    """`LLM_*`: any OpenAI-compatible chat endpoint; without `LLM_BASE_URL` the offline engine answers."""

    model_config = SettingsConfigDict(
        frozen=True,
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        hide_input_in_errors=True,  # an error must not show the key
    )

    llm_base_url: AnyHttpUrl | None = Field(None, description="base URL of the endpoint, such as https://host/v1")
    llm_api_key: SecretStr | None = Field(None, description="sent as a bearer token; local servers need none")
    llm_model: str | None = Field(None, description="the model's name at the endpoint")
    llm_discover: bool = Field(
        default=False, description="without `LLM_BASE_URL`, use a model server found on loopback at the start"
    )
    llm_temperature: float | None = Field(None, ge=0, le=2, description="unset: the endpoint's own default")
    llm_timeout: float = Field(40.0, gt=0, description="seconds for one whole answer")
    llm_max_tokens: int | None = Field(1_000, ge=16, description="longest answer")

    @field_validator("llm_base_url", mode="before")
    @classmethod
    def _is_an_address(cls, url: object) -> object:
        if isinstance(url, str) and not re.match(r"https?://[^/]", url):
            raise ValueError("must begin with http:// or https:// and name a host, such as https://host/v1")
        return url

    @field_validator("llm_api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        # Refused here, because the HTTP client would quote the whole header in its error.
        if key is not None and not all("!" <= character <= "~" for character in key.get_secret_value()):
            raise ValueError("LLM_API_KEY may hold visible ASCII characters only")
        return key

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.llm_base_url is None and self.llm_model is not None and not self.llm_discover:
            raise ValueError("LLM_MODEL is set, so LLM_BASE_URL must say where; or LLM_DISCOVER=true looks for it here")
        if self.llm_base_url is not None and not (self.llm_model or "").strip():
            raise ValueError("LLM_BASE_URL is set, so LLM_MODEL must name a model that this endpoint serves")
        if self.llm_base_url is None and self.llm_api_key is not None:
            raise ValueError("LLM_API_KEY is set, so LLM_BASE_URL must say where, such as https://host/v1")
        return self


class _Model(BaseModel):
    id: str = Field(pattern=r"^[\w.:/@+-]+$", max_length=200)


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
        chat = [one for one in models or () if not NO_CHAT.search(one) and settings.llm_model in {None, one}]
        if model := next(iter(chat), None):
            return {"LLM_BASE_URL": url, "LLM_MODEL": model}, f"{model} of {name} at {url} (LLM_DISCOVER)"
    seen = [
        f"{name} at {url} has {', '.join(models[:SHOWN]) or 'no model'}"
        for (name, url), models in zip(asked.items(), listed, strict=True)
        if models is not None
    ]
    wanted = f"is called {settings.llm_model}" if settings.llm_model else "answers questions"
    return {}, f"none that {wanted}: {'; '.join(seen)}{SO}" if seen else NONE_FOUND


async def _models(client: httpx2.AsyncClient, url: str) -> list[str] | None:
    """The names of the models there; None where nobody answers, or answers otherwise."""
    data = bytearray()
    try:
        async with asyncio.timeout(SECONDS), client.stream("GET", f"{url}/models") as response:
            async for piece in response.aiter_bytes():
                data += piece
                if response.status_code != httpx2.codes.OK or len(data) > MOST_BYTES:
                    return None
        return [model.id for model in _Models.model_validate_json(bytes(data)).data]
    except (TimeoutError, httpx2.HTTPError, httpx2.StreamError, ValidationError):
        return None
