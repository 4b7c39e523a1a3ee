"""The seed's table of codes holds in the eras that allow it, and both audiences get their own kind of failure."""

from typing import TypeVar

import pytest

from mcp_server import errors
from mcp_server.errors import (
    AuthenticationRequired,
    CircuitBreakerOpen,
    GatewayError,
    InvalidRequest,
    NotFound,
    ParseError,
    PermissionDenied,
    RateLimitExceeded,
    ResourceNotFound,
    ServiceUnavailable,
    Timeout,
    ToolFailure,
)

TABLE = [
    (ParseError(), -32700, "PARSE_ERROR", 400),
    (InvalidRequest(), -32600, "INVALID_REQUEST", 400),
    (AuthenticationRequired(), -32001, "AUTHENTICATION_REQUIRED", 401),
    (RateLimitExceeded(60), -32002, "RATE_LIMIT_EXCEEDED", 429),
    (ResourceNotFound(), -32003, "RESOURCE_NOT_FOUND", 404),
    (PermissionDenied(), -32004, "PERMISSION_DENIED", 403),
    (Timeout(), -32005, "TIMEOUT", 504),
    (ServiceUnavailable(), -32006, "SERVICE_UNAVAILABLE", 503),
    (CircuitBreakerOpen(30), -32008, "CIRCUIT_BREAKER_OPEN", 503),
]


Kind = TypeVar("Kind")


def subclasses(root: type[Kind]) -> set[type[Kind]]:
    return {root, *(deeper for child in root.__subclasses__() for deeper in subclasses(child))}


@pytest.mark.parametrize(("wait", "said"), [(0.2, "1 s"), (41.3, "42 s")])
def test_who_asks_too_often_is_told_in_words_for_how_long_to_wait(wait: float, said: str) -> None:
    assert f" {said} " in RateLimitExceeded(wait).message


@pytest.mark.requirement(
    "seed:gateway:error-parse",
    "seed:gateway:error-invalid-request",
    "seed:gateway:error-authentication-required",
    "seed:gateway:error-rate-limit",
    "seed:gateway:error-not-found",
    "seed:gateway:error-permission-denied",
    "seed:gateway:error-timeout",
    "seed:gateway:error-unavailable",
    "seed:gateway:error-breaker-open",
)
@pytest.mark.parametrize(("error", "code", "name", "status"), TABLE)
def test_the_clients_of_2025_see_the_codes_of_the_table_and_those_of_2026_the_http_status_where_it_is_reserved(
    error: GatewayError, code: int, name: str, status: int
) -> None:
    reserved = -32099 <= code <= -32000

    assert [error.code_for(version) for version in ("2025-03-26", "2025-06-18", "2025-11-25")] == [code] * 3
    assert {error.code_for(version) for version in ("2026-07-28", "2027-01-01")} == {status if reserved else code}
    assert error.http_status == status
    assert error.data["code"] == name


def test_every_refusal_has_its_own_name_and_a_sentence() -> None:
    kinds = {kind for kind in subclasses(GatewayError) if kind.__module__ == errors.__name__}

    names = [kind.name for kind in kinds]
    assert len(set(names)) == len(names)
    assert all(error.message for error, *_ in TABLE)


@pytest.mark.requirement("seed:gateway:error-retry-after")
@pytest.mark.parametrize(("seconds", "told"), [(60, 60), (0.2, 1), (59.6, 60)])
def test_a_refusal_that_will_pass_says_when(seconds: float, told: int) -> None:
    assert RateLimitExceeded(seconds).data["retryAfter"] == told
    assert CircuitBreakerOpen(seconds).data["retryAfter"] == told


@pytest.mark.requirement("seed:gateway:error-names-resource")
@pytest.mark.parametrize(
    ("closest", "message"),
    [
        ([], 'no panel named "pricng". Call list_panels to see what there is.'),
        (["pricing"], 'no panel named "pricng". Did you mean "pricing"?'),
        (["a", "b", "c"], 'no panel named "pricng". Did you mean "a", "b" or "c"?'),
    ],
)
def test_a_name_that_is_not_found_comes_with_the_nearest(closest: list[str], message: str) -> None:
    failure = NotFound("panel", "pricng", closest=closest, listed_by="list_panels")

    assert failure.message == message
    assert failure.details == {"suggestions": closest}


def test_every_failure_for_the_model_has_a_stable_word_of_its_own() -> None:
    kinds = [kind for kind in subclasses(ToolFailure) if kind.__module__ == errors.__name__]

    words = [kind.code for kind in kinds]
    assert len(set(words)) == len(words)
    assert all(word.replace("_", "").isalpha() and word.islower() for word in words)
