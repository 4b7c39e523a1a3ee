"""A model server on this machine is found where that is asked for, and nothing else is taken for one."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.internal_api.engines.settings import NONE_FOUND, EngineSettings, discover
from tests.edge import free_socket


def wanted(**more: object) -> EngineSettings:
    return EngineSettings.model_validate({"llm_discover": True, "llm_base_url": None, "llm_model": None, **more})


@asynccontextmanager
async def model_server(body: object, status: str = "200 OK", asked: list[str] | None = None) -> AsyncIterator[int]:
    """Answers every request so; gives its port. A body that is None never comes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if asked is not None:
            asked.append(head.splitlines()[0])
        if body is not None:
            text = json.dumps(body) if not isinstance(body, str) else body
            writer.write(f"HTTP/1.1 {status}\r\nconnection: close\r\n\r\n{text}".encode())
        else:
            await reader.read()
        writer.close()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()


NAMED = wanted(llm_base_url="http://127.0.0.1:1", llm_model="m")


def models(*names: str) -> dict[str, object]:
    return {"object": "list", "data": [{"id": name, "object": "model"} for name in names]}


async def test_the_first_server_with_a_model_that_talks_is_used_and_named() -> None:
    silent = free_socket()
    async with (
        model_server("<html>") as page,
        model_server(models("nomic-embed-text", "bge-m3", "all-minilm")) as embeds,
        model_server(models("text-embedding-3", "llama3.2:3b", "mistral")) as talks,
        model_server(models("other")) as later,
    ):
        ports = {"Gone": silent.getsockname()[1], "Page": page, "Embeds": embeds, "Talks": talks, "Later": later}
        found, said = await discover(wanted(), 8000, ports)

    assert said == f"llama3.2:3b of Talks at http://127.0.0.1:{talks}/v1 (LLM_DISCOVER)"
    assert found == {"LLM_BASE_URL": f"http://127.0.0.1:{talks}/v1", "LLM_MODEL": "llama3.2:3b"}
    silent.close()


async def test_a_model_that_is_named_is_chosen_wherever_it_is() -> None:
    async with model_server(models("llama3.2")) as first, model_server(models("phi", "qwen3")) as second:
        _, said = await discover(wanted(llm_model="qwen3"), 8000, {"First": first, "Second": second})
        _, missing = await discover(wanted(llm_model="gemma"), 8000, {"First": first, "Second": second})

    assert said.startswith("qwen3 of Second")
    assert missing.startswith("none that is called gemma: First at http://127.0.0.1:")
    assert "llama3.2; Second" in missing
    assert "phi, qwen3" in missing


@pytest.mark.parametrize(
    ("names", "shown"), [(("nomic-embed-text:latest",), "nomic-embed-text:latest"), ((), "no model")]
)
async def test_a_server_without_a_model_that_talks_is_told_with_what_it_has(names: tuple[str, ...], shown: str) -> None:
    async with model_server(models(*names)) as port:
        found, said = await discover(wanted(), 8000, {"Ollama": port})

    assert found == {}
    assert said.startswith(
        f"none that answers questions: Ollama at http://127.0.0.1:{port}/v1 has {shown} (LLM_DISCOVER)"
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("not json", "200 OK"),
        (models("llama"), "404 Not Found"),
        (models("llama"), "302 Found\r\nlocation: http://198.51.100.1/"),
        (["llama"], "200 OK"),
        (models("two words \x1b[31m"), "200 OK"),
        ("x" * 2_000_000, "200 OK"),
        (None, "200 OK"),
    ],
)
async def test_what_lists_no_model_is_passed_over(body: object, status: str) -> None:
    async with model_server(body, status) as port:
        assert await discover(wanted(), 8000, {"Server": port}) == ({}, NONE_FOUND)


async def test_nothing_is_asked_where_that_is_not_wanted_and_never_the_gateway_itself() -> None:
    asked: list[str] = []
    async with model_server(models("llama"), asked=asked) as port:
        assert await discover(wanted(llm_discover=False), 8000, {"Server": port}) == ({}, "")
        assert await discover(NAMED, 8000, {"Server": port}) == ({}, "")
        assert await discover(wanted(), port, {"Server": port}) == ({}, NONE_FOUND)
        assert asked == []
        await discover(wanted(), 8000, {"Server": port})

    assert asked == ["GET /v1/models HTTP/1.1"]
