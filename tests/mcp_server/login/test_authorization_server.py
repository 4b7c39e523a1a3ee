"""What is asked of an authorization server, and what is believed of its answers."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from mcp_server.login.authorization_server import AuthorizationServer, Refusal, Waiting, open_client, wait_for_person
from mcp_server.login.words import Ended, SignInFailed, Tokens, Unreachable
from tests.mcp_server.login.gateway import PENDING, Gateway, gateway
from tests.mcp_server.login.kept import tokens

EVIL = "http://evil.example/"


async def begun(made: Gateway) -> Any:
    async with open_client() as http:
        server = AuthorizationServer(made.site, http)
        return await server.begin(await server.discover())


async def test_a_device_begins_for_the_api_that_it_will_talk_to() -> None:
    async with gateway() as made:
        waiting = await begun(made)

    assert (waiting.user_code, waiting.interval) == ("BCDF-GHJK", 0.05)
    assert made.sent("/oauth/device_authorization") == [{"client_id": "minds-stdio", "resource": f"{made.site}/api/v1"}]
    assert "the-device-code" not in repr(waiting)


@pytest.mark.parametrize(
    "values",
    [
        {"metadata_status": 404},
        {"metadata": {"issuer": "https://other.example"}},
        {"metadata": {"device_authorization_endpoint": None}},
        {"metadata": {"token_endpoint": EVIL}},
        {"metadata": {"device_authorization_endpoint": EVIL}},
        {"metadata": {"revocation_endpoint": EVIL}},
        {"device": {"verification_uri": EVIL}},
        {"device": {"verification_uri_complete": "javascript:alert(1)"}},
        {"device": {"verification_uri": "https://x.example/\u001b[31m"}},
        {"device": {"user_code": "\u001b[2J"}},
        {"device": {"expires_in": -1}},
        {"device": {"device_code": None}},
    ],
)
async def test_metadata_and_codes_that_cannot_be_trusted_end_the_sign_in(values: dict[str, Any]) -> None:
    async with gateway(**values) as made:
        with pytest.raises(SignInFailed) as failed:
            await begun(made)

    assert "evil" not in str(failed.value)


@pytest.mark.parametrize(("expires_in", "renew_at"), [(3600, 4_300), (60, 1_045)])
async def test_tokens_come_with_the_time_to_renew_them(expires_in: int, renew_at: int) -> None:
    async with gateway(polls=[PENDING], expires_in=expires_in) as made, open_client() as http:
        server = AuthorizationServer(made.site, http, lambda: 1_000.0)
        endpoints = await server.discover()
        with pytest.raises(Refusal):
            await server.redeem(endpoints, SecretStr("the-device-code"))

        given = await server.redeem(endpoints, SecretStr("the-device-code"))

    assert (given.renew_at, given.expires_at) == (renew_at, 1_000 + expires_in)
    assert given.refresh_token.get_secret_value() == made.current
    assert made.sent("/oauth/token")[-1]["resource"] == f"{made.site}/api/v1"


@pytest.mark.parametrize("status", [500, 503, 302])
async def test_an_answer_out_of_order_is_none_about_the_sign_in(status: int) -> None:
    async with gateway(polls=[status]) as made, open_client() as http:
        server = AuthorizationServer(made.site, http)

        with pytest.raises(Unreachable):
            await server.redeem(await server.discover(), SecretStr("x"))


async def test_a_refresh_token_that_is_dead_is_told_from_a_server_in_trouble() -> None:
    async with gateway() as made, open_client() as http:
        server = AuthorizationServer(made.site, http)
        made.renewal_status = 500
        with pytest.raises(Unreachable):
            await server.renew(tokens(made.site))
        made.renewal_status = 200

        with pytest.raises(Ended) as ended:
            await server.renew(tokens(made.site))

    assert "hunter2" not in str(ended.value)


async def test_a_revocation_says_whether_it_was_heard() -> None:
    async with gateway() as made, open_client() as http:
        server = AuthorizationServer(made.site, http)
        given = await server.redeem(await server.discover(), SecretStr("x"))
        made.revocation_status = 503
        assert not await server.revoke(given)
        made.revocation_status = 200

        assert await server.revoke(given)

    assert made.current is None
    form = made.sent("/oauth/revoke")[-1]
    assert (form["client_id"], form["token_type_hint"]) == ("minds-stdio", "refresh_token")


def answering(body: Any) -> Callable[[httpx2.Request], httpx2.Response]:
    return lambda _request: httpx2.Response(200, **body)


@pytest.mark.parametrize(
    "body",
    [
        {"content": b"x" * 70_000},
        {"content": b"<html>"},
        {"json": []},
        {"json": {"access_token": "", "token_type": "Bearer"}},
        {"json": {"access_token": "a", "token_type": "mac", "refresh_token": "r"}},
        {"json": {"access_token": "a", "token_type": "Bearer"}},
    ],
)
async def test_an_answer_that_is_no_token_is_none(body: dict[str, Any]) -> None:
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answering(body))) as http:
        with pytest.raises(SignInFailed):
            await AuthorizationServer("https://minds.example.com", http).redeem(tokens().endpoints, SecretStr("x"))


async def test_a_server_that_rotates_nothing_leaves_the_refresh_token_as_it_is() -> None:
    body = {"json": {"access_token": "a", "token_type": "bearer", "expires_in": 60}}
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answering(body))) as http:
        renewed = await AuthorizationServer("https://minds.example.com", http).renew(tokens())

    assert renewed.refresh_token == tokens().refresh_token


class Person:
    """Decides after some polls; the time passes only while somebody sleeps."""

    def __init__(self, *answers: Exception) -> None:
        self.answers, self.pauses, self.time = list(answers), list[float](), 100.0

    async def poll(self) -> Tokens:
        if self.answers:
            raise self.answers.pop(0)
        return tokens()

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds

    async def decides(self, interval: float = 5, expires_in: float = 600) -> Tokens:
        waiting = Waiting(
            device_code=SecretStr("x"),
            user_code="BCDF-GHJK",
            verification_uri="https://minds.example.com/oauth/device",
            interval=interval,
            expires_in=expires_in,
        )
        return await wait_for_person(self.poll, waiting, sleep=self.sleep, clock=lambda: self.time)


PENDS, SLOW_DOWN = Refusal("authorization_pending"), Refusal("slow_down")


@pytest.mark.parametrize(
    ("answers", "pauses"),
    [
        ([PENDS] * 3, [5, 5, 5, 5]),
        ([SLOW_DOWN, PENDS, SLOW_DOWN, PENDS], [5, 10, 10, 15, 15]),  # and it stays slow
        ([Unreachable("no answer")] * 5 + [PENDS], [5, 10, 20, 40, 60, 60, 5]),  # less and less, and then as before
    ],
)
async def test_it_polls_at_the_interval_until_the_person_has_allowed_it(
    answers: list[Exception], pauses: list[int]
) -> None:
    person = Person(*answers)

    assert await person.decides() == tokens()
    assert person.pauses == pauses


@pytest.mark.parametrize("error", ["access_denied", "expired_token", "invalid_grant", "unknown words of a server"])
async def test_a_final_answer_ends_it_and_none_of_its_words_are_shown(error: str) -> None:
    person = Person(Refusal(error))

    with pytest.raises(SignInFailed) as failed:
        await person.decides()

    assert person.pauses == [5]
    assert error not in str(failed.value)


async def test_it_gives_up_when_the_code_has_expired() -> None:
    person = Person(*[Refusal("authorization_pending")] * 100)

    with pytest.raises(SignInFailed):
        await person.decides(expires_in=31)

    assert sum(person.pauses) == 30
