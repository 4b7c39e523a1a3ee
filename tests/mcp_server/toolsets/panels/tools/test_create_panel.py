"""A panel is made of groups, whole or not at all; who is meant is found by id or by name, or asked back."""

from typing import Any

import pytest

from mcp_server.toolset import discover
from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import audience, id_of, listing, minds, study, summary
from tests.support import ADA, BOB, FakeApi, Reply, failure_of, serve, text_of

TOOL = "create_panel"
POST = "POST /studies"
CONFIGS = [
    {"name": "Owners", "sparkIds": [id_of("Mia")], "sparkNames": ["benjamn"]},
    {"name": "Guests", "sparkNames": ["Zoë"]},
]


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    made = study("Pricing", audience("Owners", "Mia", "Benjamin"), audience("Guests", "Zoë"))
    api.answers["GET /minds"] = minds("Mia", "Benjamin", "Zoë")
    api.answers["GET /audiences"] = listing([audience("Staff", "Mia"), audience("Kitchen", "Zoë")])
    api.answers["GET /studies"] = listing([])
    api.answers[POST] = Reply({"data": made}, 201)
    return api


@pytest.mark.requirement("seed:gateway:create-panel")
async def test_groups_are_made_of_personas_by_id_and_by_name(api: FakeApi) -> None:
    result = await called(api, TOOL, name="Pricing", groupConfigs=CONFIGS)

    assert api.sent_json(POST) == [
        {
            "name": "Pricing",
            "audienceConfigs": [
                {"name": "Owners", "mindIds": [id_of("Mia"), id_of("Benjamin")]},
                {"name": "Guests", "mindIds": [id_of("Zoë")]},
            ],
        }
    ]
    assert result.structured_content["panelId"] == id_of("Pricing")
    assert result.structured_content["personas"] == 3
    assert "Benjamin" in text_of(result)
    assert id_of("Pricing") in text_of(result)


async def test_existing_groups_and_nameless_new_ones_make_a_panel_together(api: FakeApi) -> None:
    await called(
        api, TOOL, name="Pricing", groupIds=["staff", id_of("Kitchen")], groupConfigs=[{"mindIds": [id_of("Mia")]}]
    )

    assert api.sent_json(POST) == [
        {
            "name": "Pricing",
            "audienceConfigs": [{"name": "Group 1", "mindIds": [id_of("Mia")]}],
            "audienceIds": [id_of("Staff"), id_of("Kitchen")],
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_arguments"),
        ({"groupConfigs": []}, "invalid_arguments"),
        ({"groupConfigs": [{"name": "Owners"}]}, "invalid_arguments"),
        (
            {"groupConfigs": [{"name": "A", "sparkNames": ["Mia"]}, {"name": " a ", "sparkNames": ["Zoë"]}]},
            "invalid_arguments",
        ),
        ({"groupConfigs": [{"name": "Staff", "sparkNames": ["Mia"]}], "groupIds": ["staff"]}, "invalid_arguments"),
        ({"groupConfigs": [{"name": "Owners", "sparkNames": ["Wilhelmina"]}]}, "not_found"),
        ({"groupIds": ["Pantry staff of 1950"]}, "not_found"),
        ({"groupConfigs": [{"name": "A\nB", "sparkNames": ["Mia"]}]}, "invalid_arguments"),
        ({"groupConfigs": "Owners"}, "invalid_arguments"),
        ({"groupConfigs": [{"name": "Owners", "sparkNames": ["Mia"], "color": "red"}]}, "invalid_arguments"),
    ],
)
async def test_what_cannot_be_a_panel_is_refused_before_anything_is_made(
    api: FakeApi, arguments: dict[str, Any], code: str
) -> None:
    result = await called(api, TOOL, name="Pricing", **arguments)

    assert failure_of(result)["code"] == code
    assert not api.sent(POST)


async def test_the_same_call_twice_makes_one_panel_and_somebody_elses_another(api: FakeApi) -> None:
    asked = {"name": "Pricing", "groupConfigs": CONFIGS}
    async with serve(api, discover(["panels"])) as gateway:
        async with gateway.connect(ADA) as client:
            first, second = [(await client.call_tool(TOOL, asked)).structured_content for _ in range(2)]
        async with gateway.connect(BOB) as client:
            third = (await client.call_tool(TOOL, asked)).structured_content

    assert first is not None
    assert second is not None
    assert third is not None
    assert [told["duplicate"] for told in (first, second, third)] == [False, True, False]
    assert len(api.sent_json(POST)) == 2


async def test_a_panel_of_the_same_name_is_mentioned(api: FakeApi) -> None:
    other = {**summary("Pricing"), "id": id_of("an older one")}
    api.answers["GET /studies"] = listing([summary("Pricing"), other])

    result = await called(api, TOOL, name="Pricing", groupConfigs=CONFIGS)

    assert "1 other panel" in text_of(result)
