"""Passwords of the embedded accounts."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from oauth.errors import Unacceptable
from oauth.primitives import passwords
from oauth.primitives.passwords import MAX_LENGTH, MIN_LENGTH, NOBODY, hash_password, is_outdated, password_matches

pytestmark = pytest.mark.usefixtures("passwords_as_shipped")

OF_BEFORE = "$argon2id$v=19$m=65536,t=3,p=4$1hebTiVlsGBTc1ntYTxK/w$HlX734wEJ1tZu0y14EIB3/D+3TrXEqo5VjUxOi1F0nM"


class Refusing(ThreadPoolExecutor):
    """An executor that may not be used."""

    def submit(self, *_work: Any, **_named: Any) -> Any:
        raise AssertionError


async def test_a_password_matches_its_own_hash_only() -> None:
    hashed = await hash_password("correct horse battery")

    assert await password_matches(hashed, "correct horse battery")
    assert not await password_matches(hashed, "correct horse batterz")


async def test_a_hash_is_salted_argon2id_without_the_password() -> None:
    first, second = await hash_password("correct horse"), await hash_password("correct horse")

    parameters = "$argon2id$v=19$m=65536,t=3,p=1$"
    assert first.startswith(parameters)
    assert NOBODY.startswith(parameters), "an unknown address costs the same work"
    assert first != second
    assert "correct" not in first


async def test_a_hash_with_other_parameters_still_opens_and_is_known_to_be_outdated() -> None:
    assert await password_matches(OF_BEFORE, "correct horse")
    assert is_outdated(OF_BEFORE)
    assert not is_outdated(NOBODY)


async def test_hashes_are_made_one_at_a_time_in_a_thread_that_nothing_else_waits_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = threading.Event()
    monkeypatch.setattr(passwords, "HASHER", SimpleNamespace(hash=lambda _password: str(done.wait(20))))
    monkeypatch.setattr(asyncio.get_running_loop(), "_default_executor", Refusing())  # other tests share the loop

    work = asyncio.gather(*(hash_password("correct horse") for _ in range(5)))
    await asyncio.sleep(0)
    waiting = passwords._one_thread()._work_queue.qsize()
    done.set()
    await work

    assert waiting >= 4


@pytest.mark.parametrize(
    ("chosen", "typed"),
    [
        ("cafe\N{COMBINING ACUTE ACCENT} au lait", "caf\N{LATIN SMALL LETTER E WITH ACUTE} au lait"),
        ("lone \udcff surrogate", "lone \udcff surrogate"),
    ],
)
async def test_a_password_matches_however_it_was_composed_and_if_no_encoding_knows_it(chosen: str, typed: str) -> None:
    assert await password_matches(await hash_password(chosen), typed)


async def test_an_overlong_password_is_refused_without_hashing() -> None:
    assert not await password_matches(NOBODY, "x" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("length", [0, MIN_LENGTH - 1, MAX_LENGTH + 1])
async def test_a_password_of_an_impossible_length_is_refused(length: int) -> None:
    with pytest.raises(Unacceptable):
        await hash_password("x" * length)
