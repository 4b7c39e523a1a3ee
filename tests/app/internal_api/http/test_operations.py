"""The table holds exactly the operations that are served, and the OpenAPI document describes them."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from app.internal_api.http.operation import Router, document
from app.internal_api.resources.table import operations
from tests.app.internal_api.groups import audience, minds, study
from tests.app.internal_api.panels.rows import another, answers, both_groups
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import KEYWORDS, LINKED, World


def test_every_operation_is_there_once_with_its_scope() -> None:
    found = {f"{operation.method} {operation.path}": operation.scope for operation in operations()}

    assert len({operation.id for operation in operations()}) == len(found) == len(operations())
    assert found == {
        "GET /auth/me": None,
        "GET /minds": "sparks:read",
        "POST /minds": "sparks:write",
        "POST /audience-drafts": "sparks:write",
        "GET /minds/{mindId}": "sparks:read",
        "PUT /minds/{mindId}": "sparks:write",
        "DELETE /minds/{mindId}": "sparks:write",
        "GET /minds/{mindId}/training": "sparks:read",
        "POST /minds/{mindId}/retrain": "sparks:write",
        "POST /minds/{mindId}/regenerate-prompt": "sparks:write",
        "POST /minds/{mindId}/completion": "sparks:chat",
        "GET /minds/{mindId}/knowledge": "sparks:read",
        "POST /minds/{mindId}/knowledge": "sparks:write",
        "GET /minds/{mindId}/knowledge/{itemId}/status": "sparks:read",
        "DELETE /minds/{mindId}/knowledge/{itemId}": "sparks:write",
        "GET /audiences": "flows:read",
        "POST /audiences": "flows:write",
        "GET /audiences/{audienceId}": "flows:read",
        "PUT /audiences/{audienceId}": "flows:write",
        "DELETE /audiences/{audienceId}": "flows:write",
        "POST /audiences/{audienceId}/members": "flows:write",
        "DELETE /audiences/{audienceId}/members/{mindId}": "flows:write",
        "GET /studies": "flows:read",
        "POST /studies": "flows:write",
        "GET /studies/{studyId}": "flows:read",
        "DELETE /studies/{studyId}": "flows:write",
        "POST /studies/{studyId}/ask": "flows:write",
        "POST /studies/{studyId}/follow-up": "flows:write",
        "POST /studies/{studyId}/prompts": "flows:write",
        "POST /minds/{mindId}/prompts": "sparks:chat",
        "GET /studies/{studyId}/messages/{messageId}/answers": "flows:read",
        "PUT /studies/{studyId}/messages/{messageId}/codes": "flows:write",
        "POST /studies/{studyId}/messages/{messageId}/codebook": "flows:write",
        "POST /studies/{studyId}/export": "flows:read",
        "GET /studies/{studyId}/export-status": "flows:read",
        "GET /studies/{studyId}/export-download": "flows:read",
        "GET /exports/{jobId}/file": None,
    }


ID = "00000000-0000-4000-8000-00000000dead"


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("POST", "/api/v1/minds", "createMind"),
        ("DELETE", f"/api/v1/minds/{ID}", "deleteMind"),
        ("POST", "/api/v1/sparks", None),
        ("DELETE", f"/api/v1/audiences/{ID}/members/{ID}", "removeAudienceMember"),
        ("PUT", f"/api/v1/audiences/{ID}", "updateAudience"),
        ("POST", f"/api/v1/studies/{ID}/ask", "askStudy"),
        ("GET", "/api/v1/minds", None),
        ("HEAD", "/api/v1/minds", None),
        ("PATCH", f"/api/v1/minds/{ID}", None),
        ("POST", "/api/v1/minds/", None),
        ("POST", "/api/v1/nothing", None),
        ("POST", "/minds", None),
    ],
)
def test_a_change_is_known_by_its_method_and_path(method: str, path: str, operation: str | None) -> None:
    assert Router(operations()).change(method, path) == operation


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


async def test_every_answer_obeys_its_schema(world: World) -> None:
    mia, noa = await minds(world, "Mia", "Noa")
    client, ids = world.client(), {"audienceId": await audience(world, "a", mia), "studyId": await study(world)}
    ids["mindId"] = await world.trained(LINKED)
    configs = [{"name": "b", "mindIds": [mia]}]
    calls: list[tuple[str, str, Any]] = [
        ("get", "/auth/me", None),
        ("get", "/minds", None),
        ("get", "/minds/{mindId}", None),
        ("get", "/minds/{mindId}/training", None),
        ("get", "/minds/{mindId}/knowledge", None),
        ("post", "/minds/{mindId}/retrain", None),
        ("post", "/minds/{mindId}/regenerate-prompt", None),
        ("post", "/minds/{mindId}/completion", None),
        ("post", "/minds", KEYWORDS),
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
        await world.train()


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
    _check(await client.post(f"/studies/{STUDY.id}/export"), "post", f"{one}/export")
    _check(await client.get(f"/studies/{STUDY.id}/export-status"), "get", f"{one}/export-status")
    await world.api().exporter.work_once()
    _check(await client.get(f"/studies/{STUDY.id}/export-status"), "get", f"{one}/export-status")
