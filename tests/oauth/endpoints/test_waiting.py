"""A sign-in that failed is told to the client that waits for it, and to nobody else."""

from datetime import timedelta

import pytest

from oauth.endpoints.callback import WaitingClients
from oauth.errors import AccessDenied, StoreUnavailable, TemporarilyUnavailable
from tests.oauth.browsing import REDIRECT, SITE, Gate, address, answer_of, client

NO = AccessDenied("The sign-in was declined.")
LATER = TemporarilyUnavailable("The identity provider does not answer.")


@pytest.fixture
def waiting(gate: Gate) -> WaitingClients:
    return WaitingClients(gate.authorization, gate.handles, gate.consents, gate.settings)


async def return_path(gate: Gate) -> str:
    browser = await gate.browser()
    location: str = (await browser.http.get(address(state="s"))).headers["location"]
    return location


@pytest.mark.security("CB-04")
async def test_a_persons_no_reaches_the_client_with_its_state_and_our_issuer_once(
    gate: Gate, waiting: WaitingClients
) -> None:
    path = await return_path(gate)

    told = await waiting.address(path, NO, gate.now)

    assert told is not None
    assert told.startswith(f"{REDIRECT}?")
    assert answer_of(told) == {
        "error": "access_denied",
        "error_description": "The sign-in was declined.",
        "state": "s",
        "iss": SITE,
    }
    assert await waiting.address(path, NO, gate.now) is None


@pytest.mark.security("CB-10")
async def test_a_fault_reaches_the_client_and_the_person_may_try_again(gate: Gate, waiting: WaitingClients) -> None:
    path = await return_path(gate)

    told = await waiting.address(path, LATER, gate.now)

    assert told is not None
    assert answer_of(told)["error"] == "temporarily_unavailable"
    browser = await gate.signed_in_browser("ada@example.com")
    assert (await browser.submit(await browser.visit(path), "allow")).status_code == 303


@pytest.mark.parametrize(
    "path",
    ["/account", "/oauth/consent", "/oauth/consent?request=x", "/oauth/consent?request=x&request=y", "/x?request="],
)
async def test_behind_any_other_path_nobody_waits(gate: Gate, waiting: WaitingClients, path: str) -> None:
    assert await waiting.address(path, NO, gate.now) is None


async def test_nobody_waits_after_the_time_of_the_request_and_where_the_client_has_gone(
    gate: Gate, waiting: WaitingClients
) -> None:
    path = await return_path(gate)

    assert await waiting.address(path, NO, gate.now + gate.settings.request + timedelta(seconds=1)) is None
    gate.directory.add(client("app", "https://elsewhere.example/cb"))
    assert await waiting.address(path, NO, gate.now) is None
    gate.directory.clients.clear()
    assert await waiting.address(path, NO, gate.now) is None


async def test_a_store_without_an_answer_is_no_verdict(gate: Gate, waiting: WaitingClients) -> None:
    path = await return_path(gate)
    gate.directory.fault = StoreUnavailable("no answer")

    with pytest.raises(StoreUnavailable):
        await waiting.address(path, NO, gate.now)
