"""Several tabs, several people: each gets what is theirs, and what is taken away is gone."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.edge import LEGACY, MODERN
from tests.journeys.gateway import command
from tests.journeys.hosted import Hosted, challenge_of
from tests.journeys.house import DESK, House
from tests.journeys.person import Person, answer_of

CALLBACK = "http://127.0.0.1:33420/callback"
MANY, PAUSE = 400, 0.05


async def desk(house: House, person: Person | None = None, scope: str = "", era: str = MODERN) -> Hosted:
    """A client that the operator set up, and who it is signed in for."""
    app = Hosted(house, CALLBACK, "desk/1", era, DESK)
    challenge = challenge_of((await app.call("list_my_ai_personas")).headers["www-authenticate"])
    await app.discover(challenge["resource_metadata"])
    if person is not None:
        await app.sign_in(person, scope)
    return app


async def becomes(wanted: int, ask: Callable[[], Awaitable[int]]) -> int:
    """The status when it is the wanted one, or the last of many."""
    status = await ask()
    for _ in range(MANY):
        if status == wanted:
            break
        await asyncio.sleep(PAUSE)
        status = await ask()
    return status


async def test_requests_in_several_tabs_are_answered_each_by_its_own(house: House) -> None:
    apps = [await desk(house) for _ in range(2)]
    begun = [app.begin(scope) for app, scope in zip(apps, ("sparks:read", "flows:read"), strict=True)]
    async with house.somebody() as person:
        logins = [await person.open(address) for address, _, _ in begun]
        first = await person.sign_in(logins[0])
        second = await person.sign_in(logins[1])
        stale = await person.press(first, "allow")  # the second sign-in ended the session of the first page
        answers = [await person.press(page, "allow") for page in (stale, second)]
        for app, left, (_, state, verifier) in zip(apps, answers, begun, strict=True):
            await app.finish(answer_of(left), state, verifier)

    assert stale.left is None
    assert [app.tokens["scope"] for app in apps] == ["sparks:read", "flows:read"]


async def test_one_request_answered_in_two_tabs_gives_one_code(house: House) -> None:
    app = await desk(house)
    address, _, _ = app.begin("sparks:read")
    async with house.somebody() as person:
        page = await person.asked(address)
        left = await asyncio.gather(*(person.press(page, "allow") for _ in range(5)))

    assert [page.left is not None for page in left].count(True) == 1
    assert {page.status for page in left if page.left is None} == {409}


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_what_one_person_makes_with_a_token_nobody_else_sees_with_theirs(house: House, era: str) -> None:
    scope = "sparks:read sparks:write sparks:chat"
    async with house.somebody() as alice, house.somebody() as bob:
        hers, his = await desk(house, alice, scope, era), await desk(house, bob, scope, era)
        wish = {"name": "Hers alone", "mode": "manual"}
        made = await hers.structured("create_ai_persona_or_digital_twin", **wish)
        her_list = await hers.structured("list_my_ai_personas")
        his_list = await his.structured("list_my_ai_personas")
        told = [
            (await his.result("check_ai_persona_training_progress", sparkId=made["sparkId"])),
            (await his.result("talk_to_ai_persona", sparkName="Hers alone", message="Hello")),
        ]

    assert [row["id"] for row in her_list["personas"]] == [made["sparkId"]]
    assert his_list["personas"] == []
    assert [result["structuredContent"]["error"]["code"] for result in told] == ["not_found", "not_found"]


async def test_the_tokens_of_a_disabled_account_are_dead_for_calls_and_renewal(house: House) -> None:
    async with house.somebody() as person:
        app = await desk(house, person, "sparks:read")
        before = await app.call("list_my_ai_personas")
        run = ("users", "disable", person.email)
        await asyncio.to_thread(command, *run, settings=house.host.settings, folder=house.host.folder)
        after = await becomes(401, lambda: status(app))
        renewed = await app.redeem(grant_type="refresh_token", refresh_token=app.tokens["refresh_token"])
        page = await person.open(app.begin("sparks:read")[0])

    assert (before.status_code, after) == (200, 401)
    assert (renewed.status_code, renewed.json()["error"]) == (400, "invalid_grant")
    assert "password" in page.form.fields  # signed out everywhere


async def status(app: Hosted) -> int:
    return (await app.call("list_my_ai_personas")).status_code
