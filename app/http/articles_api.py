"""`/api/v1/articles`: the knowledge base for web clients. Whoever calls has been checked and charged before it."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal, TypeVar, get_args

import orjson
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.http.body import read_json
from app.http.refusals import ARTICLES_PATH
from app.settings import Settings
from mcp_server import errors
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.request_context import current_context
from mcp_server.toolsets.articles.models import Article, ArticleFields, ArticleNotFound, SlugTaken, State
from mcp_server.toolsets.articles.service import Action, Articles, utc_now

READ, WRITE = "docs:read", "docs:write"
MOST_FAULTS = 20  # in one answer

_PLACE = re.compile(rf"{ARTICLES_PATH}(?:/(?P<slug>[^/]+)(?:/(?P<action>publish|unpublish|restore))?)?")
_OPERATIONS: Mapping[str, Mapping[str, str]] = {
    "articles": {"GET": "listArticles", "POST": "createArticle"},
    "article": {"GET": "getArticle", "PATCH": "changeArticle", "DELETE": "deleteArticle"},
    **{action: {"POST": f"{action}Article"} for action in ("publish", "unpublish", "restore")},
}
"""By what a path names, and by method."""

Model = TypeVar("Model", bound=BaseModel)


class NotAllowed(errors.GatewayError):
    code, http_status, name, title = -32600, 405, "METHOD_NOT_ALLOWED", "This address does not take that method"


class Conflict(errors.GatewayError):
    code, http_status, name, title = -32602, 409, "SLUG_TAKEN", "Another article, perhaps a deleted one, has this slug"


class Unprocessable(errors.GatewayError):
    code, http_status, name, title = -32602, 422, "VALIDATION_FAILED", "The request cannot be accepted as it is"


class _Page(BaseModel, extra="forbid"):
    """Which part of the list is asked for."""

    page: int = Field(1, ge=1, le=1_000_000)
    per_page: int = Field(20, ge=1, le=100)
    status: Literal[State, "all"] = "published"


class ArticlesApi:
    """An ASGI application for all paths that begin with `ARTICLES_PATH`."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        self._articles = Articles(engine)
        self._is_public, self._most = settings.docs_public, settings.max_body_bytes
        self._handlers: Mapping[str, Callable[[Request, str, Caller], Awaitable[Response]]] = {
            "listArticles": self._list,
            "getArticle": self._get,
            "createArticle": self._create,
            "changeArticle": self._change,
        }

    def change(self, method: str, path: str) -> str | None:
        """The operation that changes something here; what only reads is None, as is what is none."""
        return _operations_at(path).get(method) if method != "GET" else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        path, context = request.scope["path"], current_context.get()
        operation, place = _operations_at(path).get(request.method), _PLACE.fullmatch(path)
        if place is None:
            raise errors.ResourceNotFound
        if operation is None:
            raise NotAllowed(None, allow=", ".join(_operations_at(path)))
        if context.has_wrong_credential:
            raise errors.AuthenticationRequired("The credential is not valid, or not any more", invalid_token=True)
        caller, slug = context.caller or ANONYMOUS, place["slug"] or ""
        if request.method != "GET":
            _require(caller, WRITE)
        elif not self._is_public and WRITE not in caller.scopes:
            _require(caller, READ)
        if (handler := self._handlers.get(operation)) is not None:
            try:
                return await handler(request, slug, caller)
            except SlugTaken as taken:
                raise Conflict(slug=str(taken)) from None
        [action] = (one for one in get_args(Action) if f"{one}Article" == operation)
        return _answer(await self._articles.mark(slug, action))

    async def _list(self, request: Request, _slug: str, caller: Caller) -> Response:
        asked = _checked(_Page, dict(request.query_params))
        if asked.status != "published":
            _require(caller, WRITE)
        state = None if asked.status == "all" else asked.status
        found, total = await self._articles.page(state, asked.per_page, (asked.page - 1) * asked.per_page)
        meta = {"page": asked.page, "per_page": asked.per_page, "total": total, "pages": -(-total // asked.per_page)}
        return _answer(found, meta=meta)

    async def _get(self, _request: Request, slug: str, caller: Caller) -> Response:
        article = await self._articles.find(slug)
        if article is None or (article.state != "published" and WRITE not in caller.scopes):
            raise ArticleNotFound(slug)
        return _answer(article)

    async def _create(self, request: Request, _slug: str, _caller: Caller) -> Response:
        given = _checked(ArticleFields, await self._body(request))
        article = await self._articles.create(given)
        return _answer(article, 201, location=f"{ARTICLES_PATH}/{article.slug}")

    async def _change(self, request: Request, slug: str, _caller: Caller) -> Response:
        changes = await self._body(request)

        def changed(article: Article) -> ArticleFields:
            kept = {name: getattr(article, name) for name in ArticleFields.model_fields if name != "published"}
            return _checked(ArticleFields, {**kept, **changes})

        return _answer(await self._articles.change(slug, changed))

    async def _body(self, request: Request) -> dict[str, Any]:
        content = await read_json(request.headers, request.receive, self._most)
        try:
            body = orjson.loads(content)
        except orjson.JSONDecodeError:
            raise errors.ParseError from None
        if not isinstance(body, dict):
            raise errors.InvalidRequest("The body must be a JSON object")
        return body


def _operations_at(path: str) -> Mapping[str, str]:
    """Empty where there is nothing."""
    place = _PLACE.fullmatch(path)
    return {} if place is None else _OPERATIONS[place["action"] or ("article" if place["slug"] else "articles")]


def _require(caller: Caller, scope: str) -> None:
    if caller.is_anonymous:
        raise errors.AuthenticationRequired
    if scope not in caller.scopes:
        raise errors.PermissionDenied(scopes=[scope])


def _checked(model: type[Model], given: Mapping[str, Any]) -> Model:
    """Raises Unprocessable, with what is wrong by the field's name."""
    try:
        return model.model_validate(given, context={"now": utc_now()})
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)[:MOST_FAULTS]
        found = {
            ".".join(map(str, one["loc"]))[:80] or "article": one["msg"].removeprefix("Value error, ") for one in faults
        }
        raise Unprocessable(fields=found) from None


def _answer(
    data: Article | list[Article], status: int = 200, meta: Mapping[str, int] | None = None, **headers: str
) -> Response:
    many = data if isinstance(data, list) else [data]
    shown = [{name: value for name, value in asdict(one).items() if name != "revision"} for one in many]
    body = {"data": shown if isinstance(data, list) else shown[0], "meta": meta or {}, "errors": None}
    content = orjson.dumps(body, option=orjson.OPT_UTC_Z)
    return Response(content, status, {"cache-control": "no-store", **headers}, "application/json")
