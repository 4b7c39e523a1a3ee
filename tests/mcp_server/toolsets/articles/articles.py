"""The articles of the document's examples."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.composition import Parts
from mcp_server.toolsets.articles.models import ArticleFields
from mcp_server.toolsets.articles.service import Articles
from tests.edge import Edge, running, settings_for

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
STARTED = {
    "title": "Getting Started",
    "content": "This guide will help you get started with our knowledge base.",
    "author": "John Doe",
    "category": "Tutorial",
    "tags": ["guide", "beginner"],
    "published_at": "2024-11-04T12:00:00Z",
}
DOCKER: list[dict[str, Any]] = [
    {
        "title": "Docker Getting Started",
        "content": "This comprehensive guide covers Docker basics including installation, containers, and images.",
        "author": "DevOps Team",
        "category": "DevOps",
        "tags": ["docker", "containers", "tutorial"],
        "published_at": "2024-11-04T10:00:00Z",
    },
    {
        "title": "Docker Compose Tutorial",
        "content": "Learn how to use Docker Compose to define and run multi-container Docker applications.",
        "category": "DevOps",
        "published_at": "2024-11-03T10:00:00Z",
    },
    {
        "title": "Advanced Docker Networking",
        "content": "Deep dive into Docker networking concepts including bridge networks, overlay networks.",
        "category": "DevOps",
        "tags": ["tutorial"],
        "published_at": "2024-11-02T10:00:00Z",
    },
]


def given(**fields: Any) -> ArticleFields:
    whole = {"content": "Ten characters and more.", "published_at": "2024-11-04T12:00:00Z", **fields}
    return ArticleFields.model_validate(whole, context={"now": NOW})


@asynccontextmanager
async def gateway(folder: Path, *stored: dict[str, Any], **settings: Any) -> AsyncIterator[tuple[Edge, Articles]]:
    """The whole gateway with the toolset alone, and the service behind it."""
    settings.setdefault("toolsets", "articles")
    async with running(settings_for(folder, **settings), Parts()) as edge:
        articles = service_of(edge)
        for article in stored:
            await articles.create(given(**article))
        yield edge, articles


def service_of(edge: Edge) -> Articles:
    routes: Any = edge.app.routes  # type: ignore[attr-defined]  # Starlette has them
    [api] = {route.app.app for route in routes if route.path == "/api/v1/articles"}
    service: Articles = api._articles
    return service
