"""The figures of a study are read by its owner only."""

from tests.app.internal_api.panels.rows import another, answers, both_groups
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import World

PATH = f"/studies/{STUDY.id}/analytics"


async def test_the_figures_are_flat_and_in_the_contracts_names(world: World) -> None:
    asked = [
        (another(1, "scale", text="How likely?"), both_groups(["5", "4"], ["1", None])),
        (another(2, text="Why?", status="queued"), []),
    ]
    await store_study(world.engine, asked)

    found = (await world.client().get(PATH)).json()

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


async def test_a_study_without_questions_has_no_figures(world: World) -> None:
    await store_study(world.engine)

    found = (await world.client().get(PATH)).json()

    assert (found["questions"], found["totalDataPoints"]) == ([], 0)


async def test_somebody_elses_figures_are_not_there(world: World) -> None:
    await store_study(world.engine, [(another(1), answers("Price"))])

    assert (await world.client("bob").get(PATH)).status_code == 404
    assert (await world.client(None).get(PATH)).status_code == 401
