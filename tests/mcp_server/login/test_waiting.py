"""Polls keep to the interval that the server asks for, and end when there is an answer."""

import pytest
from pydantic import SecretStr

from mcp_server.login.authorization_server import Refusal, Waiting, wait_for_person
from mcp_server.login.words import SignInFailed, Tokens, Unreachable
from tests.mcp_server.login.kept import tokens


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


async def test_it_asks_at_the_interval_until_the_person_has_allowed_it() -> None:
    person = Person(*(Refusal("authorization_pending") for _ in range(3)))

    assert await person.decides() == tokens()
    assert person.pauses == [5, 5, 5, 5]


async def test_it_slows_down_when_it_is_told_and_stays_slow() -> None:
    person = Person(*map(Refusal, ("slow_down", "authorization_pending", "slow_down", "authorization_pending")))

    await person.decides()

    assert person.pauses == [5, 10, 10, 15, 15]


async def test_a_server_without_an_answer_is_asked_less_and_less_and_then_as_before() -> None:
    person = Person(*[Unreachable("no answer")] * 5, Refusal("authorization_pending"))

    await person.decides()

    assert person.pauses == [5, 10, 20, 40, 60, 60, 5]


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
