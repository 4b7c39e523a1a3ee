"""The answers of one question are read by either of its messages, at any moment."""

import pytest

from app.internal_api.panels.output import study_output
from app.internal_api.routes.answers_of_message import preview
from tests.app.internal_api.panels.rows import answers, both_groups, pending, question
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, store_study
from tests.app.internal_api.support import World

ASKED = question("scale")
PATH = f"/studies/{STUDY.id}/messages"


async def test_every_answer_is_there_by_each_id_of_the_question(world: World) -> None:
    await store_study(world.engine, [(ASKED, answers("5", "4", "3", "2", None))])

    found = [
        await world.client().get(f"{PATH}/{message_id}/answers")
        for message_id in (ASKED.answer_message_id, ASKED.question_message_id, ASKED.id)
    ]

    assert [answer.status_code for answer in found] == [200, 200, 200]
    assert [answer.json()["messageId"] for answer in found] == [ASKED.answer_message_id] * 3
    (group,) = found[0].json()["outputData"]["audiences"]
    assert [answer["value"] for answer in group["answers"]] == ["5", "4", "3", "2", ""]
    assert (group["value"], group["n"], group["failed"]) == ("3.5", 4, 1)


@pytest.mark.parametrize("collection", ["studies", "panels"])
async def test_groups_stand_under_their_names_of_today_and_of_before(world: World, collection: str) -> None:
    await store_study(world.engine, [(ASKED, both_groups(["5"], ["4"]))])

    found = await world.client().get(f"/{collection}/{STUDY.id}/messages/{ASKED.id}/answers")

    output = found.json()["outputData"]
    assert output["groups"] == output["audiences"]
    assert [(group["group"], group["audience"]) for group in output["groups"]] == [
        ("Gen Z", "Gen Z"),
        ("Parents", "Parents"),
    ]


async def test_a_preview_shows_three_of_each_group_and_the_figures_of_all(world: World) -> None:
    await store_study(world.engine, [(ASKED, both_groups(["5"] * 5, ["1"]))])

    found = await world.client().get(f"{PATH}/{ASKED.id}/answers", params={"scope": "preview"})

    groups = found.json()["outputData"]["audiences"]
    assert [(len(group["answers"]), group["n"]) for group in groups] == [(3, 5), (1, 1)]


async def test_while_a_question_runs_there_is_what_has_landed(world: World) -> None:
    await store_study(world.engine, [(question("scale", status="running"), [*answers("5"), pending(1)])])

    found = await world.client().get(f"{PATH}/{ASKED.id}/answers")

    assert len(found.json()["outputData"]["audiences"][0]["answers"]) == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PATH}/{ASKED.id}/answers?scope=all", 400),
        (f"{PATH}/no-id/answers", 400),
        (f"/studies/no-id/messages/{ASKED.id}/answers", 400),
        (f"{PATH}/{STUDY.id}/answers", 404),
        (f"/studies/{ASKED.id}/messages/{ASKED.id}/answers", 404),
        (f"/studies/{BOBS_STUDY.id}/messages/{ASKED.id}/answers", 404),
    ],
)
async def test_what_is_not_there_or_not_known_is_refused(world: World, path: str, status: int) -> None:
    await store_study(world.engine, [(ASKED, answers("5"))])
    await store_study(world.engine, study=BOBS_STUDY)

    assert (await world.client().get(path)).status_code == status


async def test_somebody_elses_answers_are_not_there(world: World) -> None:
    await store_study(world.engine, [(ASKED, answers("5"))])

    assert (await world.client("bob").get(f"{PATH}/{ASKED.id}/answers")).status_code == 404
    assert (await world.client("demo").get(f"{PATH}/{ASKED.id}/answers")).status_code == 404
    assert (await world.client(None).get(f"{PATH}/{ASKED.id}/answers")).status_code == 401


def test_a_preview_of_few_answers_is_all_of_them() -> None:
    output = study_output(ASKED, answers("5", "4", "3"))

    assert preview(output) == output
