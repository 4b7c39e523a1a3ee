"""The knowledge base for web clients: what each operation answers, to whom, and what is recorded of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import URL

from app.composition import Parts
from mcp_server.audit.files import folder_of
from tests.auditing import rows_in
from tests.edge import Edge, make_keys, running, settings_for
from tests.mcp_server.toolsets.articles.articles import DOCKER, STARTED, gateway

API = "/api/v1/articles"


@asynccontextmanager
async def served(folder: Path, *stored: dict[str, Any], **settings: Any) -> AsyncIterator[tuple[Edge, str]]:
    """A gateway, and a key that may write articles."""
    key, _ = await make_keys(settings_for(folder, **settings), {"docs:write"})
    async with gateway(folder, *stored, **settings) as (edge, _articles):
        yield edge, key


async def asked(edge: Edge, method: str, path: str = "", key: str = "", **more: Any) -> httpx2.Response:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return await edge.client.request(method, API + path, headers={**headers, **more.pop("headers", {})}, **more)


@pytest.mark.both_databases
@pytest.mark.requirement(
    "seed:kb:rest-endpoints", "seed:kb:rest-format", "seed:kb:rest-slug-urls", "seed:kb:rest-use",
    "seed:kb:rest-authentication",
)  # fmt: skip
async def test_an_article_is_made_changed_published_deleted_and_restored(
    tmp_path: Path, database: URL, migrated: None
) -> None:
    async with served(tmp_path, database_url=database.render_as_string(hide_password=False)) as (edge, key):
        made = await asked(edge, "POST", "", key, json={**STARTED, "published_at": None})
        draft = await asked(edge, "GET", "/getting-started")
        changed = await asked(edge, "PATCH", "/getting-started", key, json={"title": "Starting", "tags": ["new"]})
        published = await asked(edge, "POST", "/getting-started/publish", key)
        read = await asked(edge, "GET", "/getting-started")
        deleted = await asked(edge, "DELETE", "/getting-started", key)
        gone = await asked(edge, "GET", "/getting-started")
        restored = await asked(edge, "POST", "/getting-started/restore", key)
        unpublished = await asked(edge, "POST", "/getting-started/unpublish", key)

    answers = [made, draft, changed, published, read, deleted, gone, restored, unpublished]
    assert [one.status_code for one in answers] == [201, 404, 200, 200, 200, 200, 404, 200, 200]
    assert all(set(one.json()) == {"data", "meta", "errors"} for one in answers)
    assert made.headers["location"] == f"{API}/getting-started"
    data = read.json()["data"]
    assert (data["title"], data["tags"], data["content"]) == ("Starting", ["new"], STARTED["content"])
    assert deleted.json()["data"]["deleted_at"] is not None
    assert unpublished.json()["data"]["published_at"] is None


async def test_the_list_has_pages_and_shows_drafts_to_writers_alone(tmp_path: Path) -> None:
    draft = {"title": "A draft", "published_at": None}
    async with served(tmp_path, *DOCKER, draft) as (edge, key):
        first = (await asked(edge, "GET", "?per_page=2")).json()
        second = (await asked(edge, "GET", "?per_page=2&page=2")).json()
        drafts = (await asked(edge, "GET", "?status=draft", key)).json()
        everything = (await asked(edge, "GET", "?status=all", key)).json()
        curious = await asked(edge, "GET", "?status=draft")
        wrong = [
            (await asked(edge, "GET", f"?{query}")).status_code
            for query in ("per_page=101", "page=0", "page=x", "sort=date")
        ]

    assert [one["slug"] for one in first["data"]] == ["docker-getting-started", "docker-compose-tutorial"]
    assert [one["slug"] for one in second["data"]] == ["advanced-docker-networking"]
    assert first["meta"] == {"page": 1, "per_page": 2, "total": 3, "pages": 2}
    assert [one["slug"] for one in drafts["data"]] == ["a-draft"]
    assert everything["meta"]["total"] == 4
    assert curious.status_code == 401
    assert wrong == [422] * 4


async def test_who_may_not_write_is_refused_and_nothing_happens(tmp_path: Path) -> None:
    async with served(tmp_path, STARTED) as (edge, _key):
        nobody = await asked(edge, "DELETE", "/getting-started")
        narrow = await asked(edge, "POST", "", edge.narrow_key, json=STARTED)
        wrong = await asked(edge, "GET", "", f"minds_{'0' * 48}")
        read = await asked(edge, "GET", "/getting-started")

    assert [one.status_code for one in (nobody, narrow, wrong, read)] == [401, 403, 401, 200]
    assert [one.json()["errors"]["code"] for one in (nobody, narrow, wrong)] == [
        "AUTHENTICATION_REQUIRED", "PERMISSION_DENIED", "AUTHENTICATION_REQUIRED",
    ]  # fmt: skip
    assert 'scope="docs:write"' in narrow.headers["www-authenticate"]


async def test_where_documents_are_not_public_reading_needs_the_scope(tmp_path: Path) -> None:
    async with served(tmp_path, STARTED, docs_public=False) as (edge, key):
        codes = [(await asked(edge, "GET", "", one)).status_code for one in ("", edge.key, edge.narrow_key, key)]

    assert codes == [401, 403, 200, 200]


async def test_what_is_wrong_is_told_by_its_field(tmp_path: Path) -> None:
    async with served(tmp_path, STARTED) as (edge, key):
        short = await asked(edge, "POST", "", key, json={"title": "ab", "content": "short", "slug": "No"})
        taken = await asked(edge, "POST", "", key, json={**STARTED, "slug": "getting-started"})
        undated = await asked(edge, "POST", "", key, json={**STARTED, "published": True, "published_at": None})
        unknown = await asked(edge, "PATCH", "/nothing", key, json={"title": "Other"})
        others = [
            await asked(edge, "POST", "", key, content=b"{", headers={"content-type": "application/json"}),
            await asked(edge, "POST", "", key, json=[1]),
            await asked(edge, "POST", "", key, content=b"{}", headers={"content-type": "text/plain"}),
            await asked(edge, "PUT", "", key),
            await asked(edge, "GET", "/a/b/c"),
            await asked(edge, "POST", "", key, json={**STARTED, "content": "x" * 5_000_000}),
        ]

    assert (short.status_code, set(short.json()["errors"]["details"]["fields"])) == (422, {"title", "content", "slug"})
    assert (taken.status_code, undated.status_code, unknown.status_code) == (409, 422, 404)
    assert [one.status_code for one in others] == [400, 400, 415, 405, 404, 413]
    assert all(set(one.json()) == {"data", "meta", "errors"} for one in others)
    assert others[3].headers["allow"] == "GET, POST"


async def test_it_is_limited_and_recorded_as_the_embedded_api_is(tmp_path: Path) -> None:
    async with served(tmp_path, STARTED, rate_limit_authenticated="3/minute") as (edge, key):
        answers = [await asked(edge, "POST", "/getting-started/publish", key) for _ in range(3)]
        unknown = await asked(edge, "POST", "/nothing/publish", key)

    assert [one.status_code for one in answers] == [200, 200, 200]
    assert unknown.status_code == 429
    assert set(unknown.json()) == {"data", "meta", "errors"}
    assert int(unknown.headers["retry-after"]) >= 1
    changes = [row for row in rows_in(folder_of(tmp_path)) if row["event"] == "apiChange"]
    assert [(row["tool"], row["outcome"]) for row in changes] == [("publishArticle", "ok")] * 3


async def test_a_refused_change_is_recorded_with_its_status(tmp_path: Path) -> None:
    async with served(tmp_path) as (edge, key):
        await asked(edge, "DELETE", "/nothing", key)

    [row] = [row for row in rows_in(folder_of(tmp_path)) if row["event"] == "apiChange"]
    assert (row["tool"], row["outcome"], row["reason"]) == ("deleteArticle", "failed", "404")


async def test_it_is_there_only_where_the_toolset_is_served(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, toolsets="personas"), Parts()) as edge:
        answer = await asked(edge, "GET")

    assert (answer.status_code, "statusCode" in answer.json()) == (404, True), "the embedded API's own"
