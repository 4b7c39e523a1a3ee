"""What was answered so far, newest question first, whole even where the transcript is shortened."""

import json

import pytest

from tests.mcp_server.toolsets.panels.tools.client import called, opened
from tests.mcp_server.toolsets.panels.world import answer, asked, audience, id_of, listing, output, study, told
from tests.support import FakeApi, Reply, failure_of, text_of

TOOL = "get_panel_results"
ID = id_of("Pricing")
READ = f"GET /studies/{ID}"
GROUPS = (audience("Owners", "Mia", "Ben"), audience("Guests", "Zoe"))
LATER = "2026-12-01T10:00:00.000Z"
WHY = output("Why?", {"Owners": [answer("Mia", "9"), answer("Ben", "7")], "Guests": [answer("Zoe", "2")]})
HOW = output(
    "How?",
    {"Owners": [answer("Mia", "App"), answer("Ben", "Price")], "Guests": [answer("Zoe", "App")]},
    type="categorical",
    options=["App", "Price"],
)
FULL = f"GET /studies/{ID}/messages/{id_of('told Why?')}/answers"


def panel(*messages: object) -> Reply:
    return Reply({"data": {**study("Pricing", *GROUPS), "messages": list(messages)}})


async def test_the_newest_question_comes_first_and_one_is_found_by_each_of_its_ids(api: FakeApi) -> None:
    api.answers[READ] = panel(asked("Why?"), told("Why?", WHY), asked("How?"), told("How?", HOW))

    result = await called(api, TOOL, panelId=ID)
    one = await called(api, TOOL, panelId=ID, questionId=id_of("told Why?"))
    nothing = await called(api, TOOL, panelId=ID, questionId="nothing")

    shown = result.structured_content["questions"]
    assert [(one["question"], one["type"], one["overall"]["n"]) for one in shown] == [
        ("How?", "categorical", 3),
        ("Why?", "scale", 3),
    ]
    assert "Guests" in text_of(result)
    assert [each["question"] for each in one.structured_content["questions"]] == ["Why?"]
    assert failure_of(nothing)["code"] == "not_found"


async def test_a_shortened_transcript_is_completed_or_said_to_be_one(api: FakeApi) -> None:
    shortened = output("Why?", {"Owners": [answer("Mia", "9")], "Guests": []})
    api.answers[READ] = panel(asked("Why?"), told("Why?", shortened))

    api.answers[FULL] = Reply({"messageId": id_of("told Why?"), "outputData": WHY})
    completed = await called(api, TOOL, panelId=ID)
    api.answers[FULL] = Reply({"statusCode": 404}, 404)
    cut = await called(api, TOOL, panelId=ID)

    assert completed.structured_content["questions"][0]["overall"]["n"] == 3
    assert "a part of the answers" in text_of(cut)


async def test_before_anything_was_asked_the_next_step_is_named(api: FakeApi) -> None:
    api.answers[READ] = panel()

    result = await called(api, TOOL, panelId=ID)

    assert "ask_panel" in text_of(result)


async def test_many_questions_are_not_all_shown(api: FakeApi) -> None:
    messages = [message for n in range(9) for message in (asked(f"Why {n}?"), told(f"Why {n}?", WHY))]
    api.answers[READ] = panel(*messages)

    result = await called(api, TOOL, panelId=ID)

    assert (len(result.structured_content["questions"]), result.structured_content["omitted"]) == (5, 4)


async def test_attributes_of_personas_make_the_groups_and_exports_agree(api: FakeApi) -> None:
    regions = {"Mia": "North", "Ben": "North", "Zoe": "South"}
    rows = [{"id": id_of(name), "name": name, "tags": [f"region: {region}"]} for name, region in regions.items()]
    api.answers[READ] = panel(asked("Why?"), told("Why?", WHY))
    api.answers["GET /minds"] = listing(rows)

    async with opened(api) as (client, files):
        seen = await client.call_tool(TOOL, {"panelId": ID, "by": ["region"]})
        wrong = await client.call_tool(TOOL, {"panelId": ID, "by": ["age"]})
        for form in ("csv", "md", "json", "xlsx", "pdf"):
            made = await client.call_tool("export_panel", {"panelId": ID, "by": ["region"], "format": form})
            assert made.is_error is not True
    written = {name.rpartition(".")[2]: content for name, _, content in files.published.values()}

    groups = [(one["group"], one["n"], one["value"]) for one in seen.structured_content["questions"][0]["groups"]]
    assert groups == [("region: North", 2, "8.0"), ("region: South", 1, "too few answers")]
    assert failure_of(wrong)["code"] == "invalid_arguments"
    told_there = json.loads(written["json"])["questions"][0]["groups"]
    assert [(one["group"], one["n"], one["value"]) for one in told_there] == groups
    assert all(b"region: North" in written[form] for form in ("csv", "md"))
    assert written.keys() == {"csv", "md", "json", "xlsx", "pdf"}


@pytest.mark.parametrize(("shares", "is_told"), [((60, 40), True), ((0.6, 0.4), False)])
async def test_target_shares_that_come_to_something_else_are_said_to_be_scaled(
    api: FakeApi, shares: tuple[float, float], *, is_told: bool
) -> None:
    lives = {"Mia": "North", "Ben": "North", "Zoe": "South"}
    rows = [{"id": id_of(name), "name": name, "tags": [f"region: {there}"]} for name, there in lives.items()]
    api.answers[READ] = panel(asked("Why?"), told("Why?", WHY))
    api.answers["GET /minds"] = listing(rows)

    weights = {"region": dict(zip(("North", "South"), shares, strict=True))}
    result = await called(api, TOOL, panelId=ID, weights=weights)

    notes = [one["message"] for one in result.structured_content["questions"][0]["caveats"] if one["code"] == "note"]
    assert any("scaled" in note for note in notes) == is_told


async def test_a_rerun_is_compared_with_the_asking_before_it(api: FakeApi) -> None:
    now = output("Why?", {"Owners": [answer("Mia", "9"), answer("Ben", "5")], "Guests": [answer("Zoe", "2")]})
    first = [asked("Why?", clientRequestId=id_of("one")), told("Why?", WHY)]
    second = [
        {**asked("Why?", at=LATER, clientRequestId=id_of("two")), "id": id_of("asked two")},
        {**told("Why?", now), "id": id_of("told two")},
    ]
    api.answers[READ] = panel(*first, *second)

    result = await called(api, TOOL, panelId=ID, questionId=id_of("two"), compareWith=id_of("one"))
    backwards = failure_of(await called(api, TOOL, panelId=ID, questionId=id_of("one"), compareWith=id_of("two")))
    itself = failure_of(await called(api, TOOL, panelId=ID, questionId=id_of("two"), compareWith=id_of("two")))

    assert "an earlier asking" in itself["message"]
    assert "the other way round" in backwards["message"]
    change = result.structured_content["questions"][0]["change"]
    (owners, *_), shift = change["byGroup"], change["byGroup"][0].pop("shift")
    assert (change["n"], change["moved"], owners) == (3, 1, {"group": "Owners", "n": 2, "moved": 1})
    assert (shift["before"], shift["after"]) == (8, 7)
    assert "1 of 3 personas answered otherwise" in text_of(result)
