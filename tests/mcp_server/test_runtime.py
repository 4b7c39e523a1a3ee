"""Cold until it is served, open while it is, and closed in the end whatever happened."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from mcp_server.minds_api.credentials import OwnKey
from mcp_server.runtime import Runtime
from mcp_server.toolkit.changes import Watch
from mcp_server.upstream.addresses import AddressRefused
from tests.support import API_URL, FakeApi, FakeFiles, settings


class First:
    """A service."""


class Second:
    """Another one."""


@dataclass(frozen=True)
class Opens:
    open_service: Callable[[Runtime], AbstractAsyncContextManager[Any]] | None
    watch: Watch | None = None


def opens(service: type, log: list[str]) -> Opens:
    @asynccontextmanager
    async def open_service(runtime: Runtime) -> AsyncIterator[Any]:
        assert runtime.api is not None
        log.append(f"open {service.__name__}")
        try:
            yield service()
        finally:
            log.append(f"close {service.__name__}")

    return Opens(open_service)


def runtime(*toolsets: Opens) -> Runtime:
    return Runtime(settings(), toolsets, api_url=API_URL, credentials=OwnKey(), files=FakeFiles(), transport=FakeApi())


async def test_services_are_opened_in_order_and_closed_in_reverse() -> None:
    log: list[str] = []

    async with runtime(opens(First, log), Opens(None), opens(Second, log)) as opened:
        assert isinstance(opened.services[First], First)
        assert isinstance(opened.services[Second], Second)
        assert opened.services[First] is opened.services[First]

    assert log == ["open First", "open Second", "close Second", "close First"]


async def test_everything_is_closed_when_serving_fails() -> None:
    log: list[str] = []

    async def serve() -> None:
        async with runtime(opens(First, log)):
            raise ConnectionError

    with pytest.raises(ConnectionError):
        await serve()

    assert log == ["open First", "close First"]


async def test_a_host_has_one_client_and_what_users_name_goes_through_the_guarded_one() -> None:
    async with runtime() as opened:
        assert opened.upstream("https://weather.test/a") is opened.upstream("https://weather.test/b")
        assert opened.upstream("https://weather.test") is not opened.upstream("https://other.test")
        with pytest.raises(ValueError, match="in use"):
            opened.upstream("https://weather.test", timeouts={"look": 50})
        assert list(opened.breakers) == ["weather.test:default", "other.test:default"]
        assert opened.web is opened.web
        with pytest.raises(AddressRefused):
            await opened.web.get("http://127.0.0.1:9/")
        clients = [opened.upstream("https://weather.test"), opened.web]

    assert [client.is_closed for client in clients] == [True, True]
