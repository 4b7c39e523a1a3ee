"""The answers of one question are read by either of its messages, at any moment."""

import pytest

from tests.app.internal_api.panels.rows import another, answers, both_groups, pending, question
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, store_study
from tests.app.internal_api.support import World

ASKED = question("scale")
PATH = f"/studies/{STUDY.id}/messages"
ANALYTICS = f"/studies/{STUDY.id}/analytics"


@pytest.mark.both_databases
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

    for path in (f"{PATH}/{ASKED.id}/answers", ANALYTICS):
        assert [(await world.client(who).get(path)).status_code for who in ("bob", "demo", None)] == [404, 404, 401]


async def test_the_figures_are_flat_and_in_the_contracts_names(world: World) -> None:
    asked = [
        (another(1, "scale", text="How likely?"), both_groups(["5", "4"], ["1", None])),
        (another(2, text="Why?", status="queued"), []),
    ]
    await store_study(world.engine, asked)

    found = (await world.client().get(ANALYTICS)).json()

    assert {key: found[key] for key in found if key.startswith(("panel", "total"))} == {
        "panelName": "Pricing",
        "totalGroups": 0,
        "totalSparks": 0,
        "totalQuestions": 2,
        "totalDataPoints": 3,
    }
    assert [(question["title"], list(question["stats"])) for question in found["questions"]] == [
        ("How likely?", ["scale"]),
        ("Why?", []),
    ]
    assert [ranked["title"] for ranked in found["scaleQuestionRanking"]] == ["How likely?"]
