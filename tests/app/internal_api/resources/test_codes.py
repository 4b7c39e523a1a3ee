"""A person gives an answer its value by hand: its words stay, who did it and when is told, and it can be taken back."""

from dataclasses import replace
from typing import Any

import pytest

from app.internal_api.store.questions import list_questions, source_version
from tests.app.internal_api.panels.rows import answers, question
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import ADA, World

ASKED = question("scale")
PATH = f"/studies/{STUDY.id}/messages/{ASKED.answer_message_id}"
SAID, UNREAD, DECLINED, FAILED, SILENT = range(5)


async def stored(world: World) -> list[str]:
    """Five answers, of which one was read; the ids of their minds."""
    read, unread, declined, failed, silent = answers("5", "4", "3", None, "3")
    unread = replace(unread, status="uncoded", value="", raw_value="3 or 4", message="It is 3 or 4.")
    none: dict[str, Any] = {"status": "declined", "value": None, "raw_value": None, "error_code": "unsupported"}
    declined, silent = replace(declined, **none, message="Rather not."), replace(silent, **none, message=None)
    asked = [read, unread, declined, failed, silent]
    await store_study(world.engine, [(ASKED, asked)])
    return [each.mind_id for each in asked]


async def group(world: World) -> dict[str, Any]:
    found = (await world.client().get(f"{PATH}/answers")).json()["outputData"]["audiences"][0]
    return dict(found)


def counts(found: dict[str, Any]) -> tuple[int, ...]:
    return tuple(found[name] for name in ("n", "declined", "uncoded", "failed"))


@pytest.mark.both_databases
async def test_a_value_is_given_by_hand_and_taken_back(world: World) -> None:
    minds = await stored(world)
    before = await group(world)
    versions = [await version(world)]

    coded = await world.client().put(f"{PATH}/codes", json={"mindId": minds[UNREAD], "value": "4"})
    after = await group(world)
    versions.append(await version(world))
    undone = await world.client().put(f"{PATH}/codes", json={"mindId": minds[UNREAD], "value": None})

    assert (counts(before), counts(after)) == ((1, 2, 1, 1), (2, 2, 0, 1))
    shown = after["answers"][UNREAD]
    assert coded.json() == shown
    assert (shown["value"], shown["rawValue"], shown["message"], shown["status"]) == (
        "4", "3 or 4", "It is 3 or 4.", "answered",
    )  # fmt: skip
    assert shown["coded"]["by"] == ADA.user_id
    assert shown["coded"]["at"].startswith("2023-11-14T")
    assert undone.json() == before["answers"][UNREAD] == (await group(world))["answers"][UNREAD]
    assert len({*versions}) == 2


async def version(world: World) -> str:
    async with world.engine.connect() as connection:
        assert await list_questions(connection, STUDY.id)
        return await source_version(connection, STUDY.id, STUDY.name)


async def test_who_declined_can_be_coded_and_coded_anew(world: World) -> None:
    minds = await stored(world)

    for value in ("2", "1"):
        coded = await world.client().put(f"{PATH}/codes", json={"mindId": minds[DECLINED], "value": value})
        assert (coded.json()["value"], coded.json()["errorCode"]) == (value, None)
    undone = await world.client().put(f"{PATH}/codes", json={"mindId": minds[DECLINED], "value": None})

    assert (undone.json()["status"], undone.json()["message"]) == ("declined", "Rather not.")


@pytest.mark.parametrize(
    ("who", "value", "status"),
    [(UNREAD, "6", 400), (UNREAD, "", 400), (UNREAD, "four", 400), (FAILED, "4", 409), (SILENT, "4", 409)],
)
async def test_what_is_no_answer_or_has_none_is_refused(world: World, who: int, value: str, status: int) -> None:
    minds = await stored(world)

    refused = await world.client().put(f"{PATH}/codes", json={"mindId": minds[who], "value": value})

    assert refused.status_code == status
    assert counts(await group(world)) == (1, 2, 1, 1)


async def test_somebody_elses_answers_and_minds_that_were_not_asked_are_not_there(world: World) -> None:
    minds = await stored(world)
    given = {"mindId": minds[UNREAD], "value": "4"}

    found = [await world.client(who).put(f"{PATH}/codes", json=given) for who in ("bob", "demo", None)]
    stranger = await world.client().put(f"{PATH}/codes", json={**given, "mindId": STUDY.id})

    assert [answer.status_code for answer in (*found, stranger)] == [404, 404, 401, 404]
