"""Where the personas' language model is, when there is one."""

from typing import Self

from pydantic import AnyHttpUrl, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


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
        if isinstance(url, str) and not url.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://, such as https://host/v1")
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
