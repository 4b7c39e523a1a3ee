"""The OpenAPI document describes exactly what is served."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from app.internal_api.http.operation import document
from app.internal_api.resources.table import operations
from tests.app.internal_api.groups import audience, minds, study
from tests.app.internal_api.panels.rows import another, answers, both_groups
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import KEYWORDS, LINKED, World

DOCUMENT = document(operations())
REGISTRY = Registry().with_resource("doc", DRAFT202012.create_resource(DOCUMENT))


def _check(answer: Any, method: str, path: str) -> None:
    """That an answer obeys the schema of its operation."""
    described = DOCUMENT["paths"][path][method]["responses"][str(answer.status_code)]
    schema = described["content"]["application/json"]["schema"]
    absolute = {"$ref": f"doc{schema['$ref']}"}
    Draft202012Validator(absolute, registry=REGISTRY).validate(answer.json())


def test_every_path_parameter_is_declared() -> None:
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            declared = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"]
            assert declared == re.findall(r"\{(\w+)\}", path)


async def test_the_document_is_served_to_everybody_and_only_read(world: World) -> None:
    answer = await world.client(None).get("/openapi.json")
    refused = await world.client(None).post("/openapi.json")

    assert answer.json() == DOCUMENT
    assert (refused.status_code, refused.headers["allow"], refused.json()["error"]) == (405, "GET", True)


def test_a_signed_address_needs_no_credential() -> None:
    described = DOCUMENT["paths"]["/api/v1/exports/{jobId}/file"]["get"]

    assert described["security"] == []
    assert set(described["responses"]) == {"200", "404", "500", "503"}


def test_only_the_two_reads_of_visitors_take_a_demo_token() -> None:
    items = DOCUMENT["paths"].items()

    open_ones = [(method, path) for path, item in items for method, one in item.items() if one.get("security")]

    assert open_ones == [("get", "/api/v1/minds/{mindId}"), ("get", "/api/v1/minds/{mindId}/training")]


def test_the_rules_of_a_request_are_described() -> None:
    schema = DOCUMENT["components"]["schemas"]["CreateMind"]

    assert schema["required"] == ["name", "discipline"]
    assert (schema["properties"]["name"]["minLength"], schema["properties"]["name"]["maxLength"]) == (2, 100)
    assert "contextLink" in schema["properties"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/auth/me"),
        ("get", "/minds"),
        ("get", "/minds/{mindId}"),
        ("get", "/minds/{mindId}/training"),
        ("get", "/minds/{mindId}/knowledge"),
        ("post", "/minds/{mindId}/retrain"),
        ("post", "/minds/{mindId}/regenerate-prompt"),
        ("post", "/minds/{mindId}/completion"),
        ("post", "/minds"),
    ],
)
async def test_every_answer_obeys_its_schema(world: World, method: str, path: str) -> None:
    mind_id = await world.trained(LINKED)
    body = KEYWORDS if (method, path) == ("post", "/minds") else None

    answer = await world.client().request(method, path.replace("{mindId}", mind_id), json=body)

    assert answer.is_success
    _check(answer, method, f"/api/v1{path}")


async def test_every_answer_about_audiences_and_studies_obeys_its_schema(world: World) -> None:
    mia, noa = await minds(world, "Mia", "Noa")
    client, ids = world.client(), {"audienceId": await audience(world, "a", mia), "studyId": await study(world)}
    configs = [{"name": "b", "mindIds": [mia]}]
    calls: list[tuple[str, str, Any]] = [
        ("get", "/audiences", None),
        ("post", "/audiences", {"name": "a", "mindIds": [mia]}),
        ("get", "/audiences/{audienceId}", None),
        ("put", "/audiences/{audienceId}", {"name": "b"}),
        ("post", "/audiences/{audienceId}/members", {"mindIds": [noa]}),
        ("post", "/studies", {"name": "Tea", "audienceConfigs": configs}),
        ("get", "/studies", None),
        ("get", "/studies/{studyId}", None),
    ]

    for method, path, body in calls:
        answer = await client.request(method, path.format(**ids), json=body)

        assert answer.is_success
        _check(answer, method, f"/api/v1{path}")


async def test_refusals_obey_their_schema(world: World) -> None:
    mind_id = await world.mind()
    client = world.client()

    _check(await client.get("/minds?limit=0"), "get", "/api/v1/minds")
    _check(await client.get(f"/minds/{mind_id[:-4]}0000"), "get", "/api/v1/minds/{mindId}")
    _check(await client.post(f"/minds/{mind_id}/completion"), "post", "/api/v1/minds/{mindId}/completion")


async def test_what_is_read_of_a_study_obeys_its_schema(world: World) -> None:
    asked = [
        (another(1, "scale"), both_groups(["5", None], ["4"])),
        (another(2, "multiselect"), answers("Red; Blue", "Red")),
        (another(3), answers("Price", "prices")),
        (another(4, status="queued"), []),
    ]
    await store_study(world.engine, asked)
    client, one = world.client(), "/api/v1/studies/{studyId}"

    for question, _ in asked:
        found = await client.get(f"/studies/{STUDY.id}/messages/{question.id}/answers")
        _check(found, "get", f"{one}/messages/{{messageId}}/answers")
    _check(await client.get(f"/studies/{STUDY.id}/analytics"), "get", f"{one}/analytics")
    _check(await client.post(f"/studies/{STUDY.id}/export"), "post", f"{one}/export")
    _check(await client.get(f"/studies/{STUDY.id}/export-status"), "get", f"{one}/export-status")
    await world.api().exporter.work_once()
    _check(await client.get(f"/studies/{STUDY.id}/export-status"), "get", f"{one}/export-status")
