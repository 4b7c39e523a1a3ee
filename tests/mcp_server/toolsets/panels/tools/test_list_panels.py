"""The caller's panels, all of them or those whose name is like a query."""

import pytest

from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import audience, id_of, listing, study, summary
from tests.support import FakeApi, Reply, text_of

TOOL = "list_panels"


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    rows = [summary("Pricing", audience("Owners", "Mia"), messages=4), summary("Onboarding")]
    api.answers["GET /studies"] = listing(rows)
    return api


async def test_each_panel_is_shown_with_its_groups_and_its_questions(api: FakeApi) -> None:
    result = await called(api, TOOL)

    assert result.structured_content["panels"][0] == {
        "id": id_of("Pricing"),
        "name": "Pricing",
        "groups": ["Owners"],
        "questions": 2,
        "unable": [],
        "updatedAt": "2026-11-20T09:00:00.000Z",
    }
    assert "Onboarding" in text_of(result)


@pytest.mark.parametrize(("query", "names"), [("prcing", ["Pricing"]), ("boarding", ["Onboarding"]), ("zebra", [])])
async def test_a_query_finds_what_is_like_it(api: FakeApi, query: str, names: list[str]) -> None:
    result = await called(api, TOOL, searchQuery=query)

    assert [panel["name"] for panel in result.structured_content["panels"]] == names


async def test_a_panel_says_who_in_it_cannot_answer(api: FakeApi) -> None:
    group = audience("Owners", "Mia", "Ben")
    group["minds"][1]["trainingStatus"] = "failed"
    api.answers["GET /studies"] = listing([summary("Pricing", group, {**group, "name": "Same"})])
    api.answers[f"GET /studies/{id_of('Pricing')}"] = Reply({"data": study("Pricing", group)})

    listed = await called(api, TOOL)
    shown = await called(api, "get_panel_results", panelId=id_of("Pricing"))

    assert listed.structured_content["panels"][0]["unable"] == ["Ben (its training failed)"]
    assert "Owners, Same, 0 questions; not able to answer now: Ben (its training failed)" in text_of(listed)
    assert "Not able to answer now: Ben (its training failed)." in text_of(shown)


async def test_each_group_is_shown_with_its_members(api: FakeApi) -> None:
    api.answers["GET /audiences"] = listing([audience("Owners", "Mia", "Ben"), audience("Nobody")])

    result = await called(api, "list_groups", searchQuery="owner")

    (group,) = result.structured_content["groups"]
    assert (group["id"], [persona["name"] for persona in group["personas"]]) == (id_of("Owners"), ["Mia", "Ben"])
    assert id_of("Owners") in text_of(result)


async def test_who_cannot_answer_stands_first_where_the_members_of_a_group_are_cut(api: FakeApi) -> None:
    group = audience("Late", *(f"P{number}" for number in range(13)), "Quinn", "Zoe", "Fay")
    for one, status in zip(group["minds"][13:], ("queued", "empty", "failed"), strict=True):
        one["trainingStatus"] = status
    api.answers |= {"GET /audiences": listing([group]), "GET /studies": listing([summary("Pricing", group)])}

    groups, panels = await called(api, "list_groups"), await called(api, TOOL)

    assert "- Fay (its training failed), Zoe (knows nothing yet), Quinn (in training), P0, " in text_of(groups)
    assert text_of(groups).endswith("P8 and 4 more")
    assert panels.structured_content["panels"][0]["unable"][0] == "Fay (its training failed)"


async def test_where_there_is_none_the_next_step_is_named(api: FakeApi) -> None:
    api.answers |= {"GET /studies": listing([]), "GET /audiences": listing([])}

    assert "create_panel" in text_of(await called(api, TOOL))
    assert "create_group" in text_of(await called(api, "list_groups"))
