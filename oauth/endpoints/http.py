"""What the endpoints share: parameters in, JSON or a refusal out."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from oauth import errors
from oauth.primitives.parameters import Parameters

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
T = TypeVar("T")
FORM = "application/x-www-form-urlencoded"
MAX_FORM_BYTES = 131_072
MAX_FIELDS = 64
NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}  # RFC 6749 section 5.1
OPEN = {"access-control-allow-origin": "*"}
"""For discovery documents, which pages of any origin may read. Who may send anything is the edge's list to say."""
RETRY_AFTER = 1
"""Seconds; with a 503, that a client tries again instead of giving up (RFC 7009 section 2.2.1)."""
UNAUTHORIZED, UNAVAILABLE = 401, 503
PATIENCE = 8.0
"""Seconds: hosted clients give up after 10, and by then must know whether to try again."""


def query(request: Request) -> Parameters:
    """The parameters of the address. Raises `InvalidRequest`: one is repeated or overlong, or there are too many."""
    return _parsed(request.url.query)


async def form(request: Request) -> Parameters:
    """The parameters of a form-encoded body.

    Raises `InvalidRequest`: it is of another type or too large, or one is repeated or overlong; `InvalidClient`: the
    client's name or secret is overlong.
    """
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != FORM:
        raise errors.InvalidRequest(f"Send the parameters as {FORM}.")
    body = await capped_body(request, MAX_FORM_BYTES)
    try:
        return _parsed(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise errors.InvalidRequest("The parameters are not UTF-8.") from None


async def capped_body(request: Request, limit: int) -> bytes:
    """The body, read no further than `limit` bytes. Raises `TooLargeRequest`: it is larger."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise errors.TooLargeRequest(f"The body is larger than {limit} bytes.")
    return bytes(body)


def answer(data: Mapping[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(data, status, headers=NO_STORE)


def refusal(error: errors.ProtocolError) -> JSONResponse:
    """The error of RFC 6749 section 5.2; a 401 names the scheme to try (RFC 9110 section 15.5.2)."""
    response = answer(error.parameters, error.status)
    if error.status == UNAUTHORIZED:
        response.headers["www-authenticate"] = 'Basic realm="oauth", charset="UTF-8"'
    if error.status == UNAVAILABLE:
        response.headers["retry-after"] = str(RETRY_AFTER)
    if isinstance(error, errors.TooManyRequests):
        response.headers["retry-after"] = str(error.retry_after)
        response.headers.update(error.figures)
    return response


def seconds_left(request: Request) -> float:
    """How long its client still waits, counted from the first time that this is asked."""
    now = asyncio.get_running_loop().time()
    if not hasattr(request.state, "began"):
        request.state.began = now
    return PATIENCE - (now - float(request.state.began))


async def in_time(work: Coroutine[Any, Any, T], request: Request) -> T:
    """What `work` for the request gives, while its client still waits; all work for one request shares that time.

    A query that is given up is not waited for: ending it takes a database that does not answer as long again.

    Raises `StoreUnavailable`: there is none in time; nothing else takes that long.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds_left(request))
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done:
        return task.result()
    task.cancel()
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # seen: nobody else looks at it
    raise errors.StoreUnavailable(f"no answer within {PATIENCE:g} s")


def speaks_json(handler: Handler) -> Handler:
    """`handler`, with its refusals as JSON; a store without an answer is a 503, never a verdict."""

    async def guarded(request: Request) -> Response:
        try:
            return await in_time(handler(request), request)
        except errors.ProtocolError as error:
            return refusal(error)
        except errors.StoreUnavailable:
            return refusal(errors.TemporarilyUnavailable("The server cannot answer at the moment; try again."))

    return guarded


def post(path: str, handler: Handler) -> Route:
    return Route(path, speaks_json(handler), methods=["POST"])


def authorization(request: Request) -> str | None:
    """The value of the Authorization header. Raises `InvalidRequest`: there is more than one."""
    values = request.headers.getlist("authorization")
    if len(values) > 1:
        raise errors.InvalidRequest("Send one Authorization header.")
    return values[0] if values else None


def client_address(request: Request) -> str:
    """Where the request comes from. A trusted proxy's word is already in it: the HTTP server put it there."""
    return request.client.host if request.client else "unknown"


def _parsed(text: str) -> Parameters:
    try:
        return Parameters(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"))
    except ValueError:  # too many fields, or bytes that are no UTF-8
        raise errors.InvalidRequest("The parameters cannot be read.") from None
