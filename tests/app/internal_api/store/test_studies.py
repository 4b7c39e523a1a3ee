"""Studies as rows, and who is in them."""

from dataclasses import asdict, replace

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store.audiences import Audience, insert_audience
from app.internal_api.store.jobs import PROMPT, TRAINING, Job, insert_job
from app.internal_api.store.minds import delete_mind, insert_mind, set_prompt
from app.internal_api.store.questions import Question, questions
from app.internal_api.store.studies import (
    Membership,
    Study,
    audiences_in,
    delete_study,
    find_study,
    insert_study,
    list_studies,
    membership,
    message_counts,
    touch_study,
)
from tests.app.internal_api.panels.rows import another
from tests.app.internal_api.support import ADA, BOB, KEYWORDS

STUDY = Study("s", ADA.user_id, "Tea", is_link_sharing_enabled=False, public_share_id=None, created_at=5, updated_at=5)


async def _mind(connection: AsyncConnection, name: str, **fields: str) -> str:
    mind = draft_mind(CreateMind.model_validate({**KEYWORDS, "name": name, **fields}), ADA.user_id, 5)
    await insert_mind(connection, mind)
    await insert_job(connection, Job(mind_id=mind.id, kind=TRAINING, created_at=5))
    return mind.id


def _audience(name: str) -> Audience:
    return Audience(id=name, owner_id=ADA.user_id, name=name, created_at=5, updated_at=5)


async def _asked(connection: AsyncConnection, question: Question) -> None:
    row = {key: value for key, value in asdict(question).items() if key != "seq"}
    await connection.execute(insert(questions).values(row))


async def _study(connection: AsyncConnection, groups: dict[str, list[str]]) -> None:
    """A study of audiences whose names are their ids."""
    for group, members in groups.items():
        await insert_audience(connection, _audience(group), members)
    await insert_study(connection, STUDY, [*groups])


async def test_a_study_is_found_as_it_was_stored_and_touched(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await _study(connection, {})
        found = await find_study(connection, "s")
        await touch_study(connection, "s", 9)
        touched = await find_study(connection, "s")
        unknown = await find_study(connection, "t")

    assert (found, unknown) == (STUDY, None)
    assert touched is not None
    assert (touched.created_at, touched.updated_at) == (5, 9)


async def test_studies_of_one_owner_are_listed_by_their_last_change(engine: AsyncEngine) -> None:
    made = [replace(STUDY, id=name, created_at=1, updated_at=at) for name, at in (("x", 1), ("y", 3), ("z", 2))]
    async with engine.begin() as connection:
        for study in (*made, replace(STUDY, owner_id=BOB.user_id)):
            await insert_study(connection, study, [])

        everything = await list_studies(connection, ADA.user_id, limit=10, offset=0)
        second = await list_studies(connection, ADA.user_id, limit=1, offset=1)

    assert everything == ([made[1], made[2], made[0]], 3)
    assert second == ([made[2]], 3)


async def test_studies_have_their_audiences_in_order_and_leave_them_when_deleted(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await _study(connection, {"z": [], "a": []})
        await insert_study(connection, replace(STUDY, id="t"), ["a"])
        await insert_study(connection, replace(STUDY, id="u"), [])
        before = await audiences_in(connection, ["s", "t", "u"])
        await delete_study(connection, "s")
        after = await audiences_in(connection, ["s", "t"])

    assert before == {"s": [_audience("z"), _audience("a")], "t": [_audience("a")], "u": []}
    assert after == {"s": [], "t": [_audience("a")]}


async def test_messages_are_counted_as_they_are_shown(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await _study(connection, {})
        await insert_study(connection, replace(STUDY, id="t"), [])
        for number, status in enumerate(("completed", "running", "completed", "failed", "queued")):
            await _asked(connection, another(number, study_id="s", status=status))

        assert await message_counts(connection, ["s", "t"]) == {"s": 7, "t": 0}


async def test_members_come_in_the_order_of_audiences_and_places_with_their_state(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        mia = await _mind(connection, "Mia", profileImageUrl="https://example.com/mia.png")
        noa = await _mind(connection, "Noa")
        await set_prompt(connection, noa, "You are Noa.", 6)
        # Neither a later job of another kind nor somebody else's is what the status speaks of.
        await insert_job(connection, Job(mind_id=noa, kind=PROMPT, created_at=7))
        await _study(connection, {"z": [noa, mia], "empty": [], "a": [noa]})

        everyone = await membership(connection, "s", None)
        some = await membership(connection, "s", ["a", "unknown"])
        nobody = await membership(connection, "s", [])

    last = Membership("a", "a", noa, "Noa", "Tea", None, ready=True, training_status="queued")
    image = "https://example.com/mia.png"
    assert everyone == [
        Membership("z", "z", noa, "Noa", "Tea", None, ready=True, training_status="queued"),
        Membership("z", "z", mia, "Mia", "Tea", image, ready=False, training_status="queued"),
        last,
    ]
    assert (some, nobody) == ([last], [])
    assert [type(member.ready) for member in everyone] == [bool] * 3


async def test_a_deleted_mind_is_in_no_audience(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        mia = await _mind(connection, "Mia")
        await _study(connection, {"a": [mia]})
        await delete_mind(connection, mia)

        assert await membership(connection, "s", None) == []
