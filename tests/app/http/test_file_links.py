"""A signed link opens one file for its time; every other request finds nothing, and learns nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx2
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette

from app.composition import Composition, Parts
from app.factory import create_app
from app.http.file_links import Exports
from app.internal_api.store.rows import delete_row
from app.internal_api.store.studies import Study
from mcp_server.toolkit.files import FileStore, Link, StoredFile
from tests.app.internal_api.panels.stored import store_study
from tests.edge import free_socket, lifespan, listening, settings_for

SITE = "http://127.0.0.1:8000"
NAME = "Preis & Größe #1 50%.csv"


@dataclass
class World:
    """One shelf, its exports, and a client of its route; `time` is everybody's."""

    folder: Path
    time: float = 1_795_000_000
    client: httpx2.AsyncClient = field(init=False)

    def exports(self, *, secret: str = "s" * 64, lifetime: float = 60) -> Exports:
        shelf = FileStore(self.folder, lifetime=lifetime, now=lambda: self.time)
        return Exports(shelf, SecretStr(secret), SITE)

    async def publish(self, name: str = NAME, content: bytes = b"a;b\n1;2\n", **more: str) -> Link:
        return await self.exports(**more).publish(name, "text/csv; charset=utf-8", content)  # type: ignore[arg-type]  # only the secret is ever given

    async def get(self, url: str, method: str = "GET") -> httpx2.Response:
        return await self.client.request(method, url)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    app = Starlette(routes=[world.exports().route])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as world.client:
        yield world


async def test_the_holder_of_a_link_gets_the_file_as_a_download(world: World) -> None:
    link = await world.publish()

    response = await world.get(link.url)

    assert response.status_code == 200
    assert response.content == b"a;b\n1;2\n"
    assert link.expires_at == "2026-11-18T11:07:40.000Z"
    assert dict(response.headers) | {"etag": "", "last-modified": ""} == {
        "content-type": "text/csv; charset=utf-8",
        "content-length": "8",
        "content-disposition": "attachment; filename*=UTF-8''Preis%20%26%20Gr%C3%B6%C3%9Fe%20%231%2050%25.csv",
        "cache-control": "private, no-store",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "accept-ranges": "bytes",
        "etag": "",
        "last-modified": "",
    }


async def test_its_head_can_be_asked_for_and_it_cannot_be_written(world: World) -> None:
    link = await world.publish()

    head = await world.get(link.url, "HEAD")

    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "8")
    assert {(await world.get(link.url, method)).status_code for method in ("POST", "PUT", "DELETE", "PATCH")} == {405}
    assert (await world.get(link.url)).status_code == 200


async def test_it_opens_for_its_time_and_not_a_second_longer_and_only_while_the_file_is_there(world: World) -> None:
    link = await world.publish()

    world.time += 59.9
    assert (await world.get(link.url)).status_code == 200
    world.time += 0.1
    assert (await world.get(link.url)).status_code == 404

    gone = await world.publish()
    for path in (world.folder / "exports").glob("*/*"):
        path.unlink()
    assert (await world.get(gone.url)).status_code == 404


@pytest.mark.security("OR-07")
async def test_whatever_is_wrong_with_a_link_the_answer_is_the_same(world: World) -> None:
    link, other = await world.publish(), await world.publish("other.csv")
    parts, theirs = urlsplit(link.url), urlsplit(other.url)
    query, their_query = parse_qs(parts.query), parse_qs(theirs.query)
    expires, signature = query["expires"][0], query["signature"][0]
    identity, name = parts.path.split("/")[2:]
    wrong = [
        parts.path,
        f"{parts.path}?expires={expires}",
        f"{parts.path}?signature={signature}",
        f"{parts.path}?expires={expires}&signature=",
        f"{parts.path}?expires={expires}&signature={'0' * 64}",
        f"{parts.path}?expires={expires}&signature={signature[:-1]}",
        f"{parts.path}?expires={expires}&signature={signature.upper()}",
        f"{parts.path}?expires={expires}&signature=%C3%A9%ED%A0%80",
        f"{parts.path}?expires={int(expires) + 1}&signature={signature}",
        f"{parts.path}?expires=+{expires}&signature={signature}",
        f"{parts.path}?expires={'9' * 5_000}&signature={signature}",
        f"{parts.path}?expires={expires}&signature={their_query['signature'][0]}",
        f"{theirs.path}?{parts.query}",
        f"/exports/{identity}/other.csv?{parts.query}",
        f"/exports/{identity}/.media-type?{parts.query}",
        f"/exports/{'0' * 32}/{name}?{parts.query}",
        f"/exports/..%2f..%2fetc/passwd?{parts.query}",
        f"/exports/{identity}/..%2f..%2f..%2finternal.key?{parts.query}",
        f"/exports/{identity}%00/{name}?{parts.query}",
    ]
    answers = [await world.get(url) for url in wrong]
    forged = await world.publish(secret="t" * 64)
    answers.append(await world.get(forged.url))
    world.time += 60
    answers.append(await world.get(link.url))

    assert [(answer.status_code, answer.text) for answer in answers] == [(404, "Not Found")] * len(answers)


async def test_a_forged_or_expired_link_reaches_no_file(tmp_path: Path) -> None:
    asked: list[str] = []

    class Watched(FileStore):
        def find(self, identity: str, name: str) -> StoredFile | None:
            asked.append(name)
            return super().find(identity, name)

    def exports(secret: str, seconds: float) -> Exports:
        return Exports(Watched(tmp_path, lifetime=seconds), SecretStr(secret * 64), SITE)

    links = [await exports(*made).publish("a.md", "text/markdown", b"x") for made in (("t", 60), ("s", 0), ("s", 60))]
    transport = httpx2.ASGITransport(Starlette(routes=[exports("s", 60).route]))
    async with httpx2.AsyncClient(transport=transport) as client:
        statuses = [(await client.get(link.url)).status_code for link in links]

    assert statuses == [404, 404, 200]
    assert asked == ["a.md"]


@asynccontextmanager
async def on_a_port(folder: Path, **more: object) -> AsyncIterator[tuple[httpx2.AsyncClient, Composition]]:
    """The product on a real port; the composition stands for another worker of the same installation."""
    with free_socket() as sock:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        settings = settings_for(folder, site_url=url, port=sock.getsockname()[1], **more)
        app = create_app(settings, Parts(toolsets=[]))
        async with lifespan(app), listening(app, settings, sock), httpx2.AsyncClient(trust_env=False) as client:
            other_worker = Composition(settings, Parts(toolsets=[]))
            yield client, other_worker
            await other_worker.engine.dispose()


async def test_a_link_made_by_one_worker_is_served_by_another_and_is_not_written_to_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with on_a_port(tmp_path) as (client, other):
        link = await other.runtime.files.publish("report.md", "text/markdown", b"# x")
        response = await client.get(link.url)

    written = capsys.readouterr()
    signature = parse_qs(urlsplit(link.url).query)["signature"][0]
    assert (response.status_code, response.text) == (200, "# x")
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert "access-control-allow-origin" not in response.headers
    assert "path=/exports/" in written.out
    assert signature not in written.out + written.err


async def test_a_link_ends_with_its_panel_also_where_another_worker_made_it(tmp_path: Path) -> None:
    async with on_a_port(tmp_path) as (client, other):
        panel = await store_study(other.engine)
        link = await other.runtime.files.publish("report.md", "text/markdown", b"# x", of=panel)
        before = await client.get(link.url)
        elsewhere = await client.get(link.url.replace(panel, str(UUID(int=7))))
        async with other.engine.begin() as connection:
            await delete_row(connection, Study, panel)
        after = await client.get(link.url)

    assert (before.status_code, before.text) == (200, "# x")
    assert [(one.status_code, one.text) for one in (elsewhere, after)] == [(404, "Not Found")] * 2


async def test_the_setting_decides_how_long_a_link_works(tmp_path: Path) -> None:
    async with on_a_port(tmp_path, export_link_seconds=0.5) as (client, other), asyncio.timeout(20):
        link = await other.runtime.files.publish("report.md", "text/markdown", b"# x")
        while (await client.get(link.url)).status_code == 200:  # noqa: ASYNC110  time that passes is no event
            await asyncio.sleep(0.05)
