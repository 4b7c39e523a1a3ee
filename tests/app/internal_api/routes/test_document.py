"""The OpenAPI document describes exactly what is served."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from app.internal_api.routes.document import document
from app.internal_api.routes.table import operations
from tests.app.internal_api.support import KEYWORDS, LINKED, World

DOCUMENT = document(operations(), "/api/v1")
REGISTRY = Registry().with_resource("doc", DRAFT202012.create_resource(DOCUMENT))


def _check(answer: Any, method: str, path: str) -> None:
    """That an answer obeys the schema of its operation."""
    described = DOCUMENT["paths"][path][method]["responses"][str(answer.status_code)]
    schema = described["content"]["application/json"]["schema"]
    absolute = {"$ref": f"doc{schema['$ref']}"}
    Draft202012Validator(absolute, registry=REGISTRY).validate(answer.json())


def test_every_path_is_there_in_both_dialects() -> None:
    paths = set(DOCUMENT["paths"])

    assert {path for path in paths if "/sparks" in path} == {
        path.replace("/minds", "/sparks").replace("{mindId}", "{sparkId}") for path in paths if "/minds" in path
    }
    assert "/api/v1/auth/me" in paths


def test_every_path_parameter_is_declared() -> None:
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            declared = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"]
            assert declared == re.findall(r"\{(\w+)\}", path)


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()]

    # What both dialects share by path is one operation, in today's words.
    assert len(ids) == len(set(ids))
    assert DOCUMENT["paths"]["/api/v1/auth/me"]["get"]["operationId"] == "getMe"


def test_only_the_two_reads_of_visitors_take_a_demo_token() -> None:
    described = {path: item for path, item in DOCUMENT["paths"].items() if "/sparks" not in path}

    open_ones = [
        (method, path) for path, item in described.items() for method, one in item.items() if "security" in one
    ]

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


async def test_refusals_obey_their_schema(world: World) -> None:
    mind_id = await world.mind()
    client = world.client()

    _check(await client.get("/minds?limit=0"), "get", "/api/v1/minds")
    _check(await client.get(f"/minds/{mind_id[:-4]}0000"), "get", "/api/v1/minds/{mindId}")
    _check(await client.post(f"/minds/{mind_id}/completion"), "post", "/api/v1/minds/{mindId}/completion")
