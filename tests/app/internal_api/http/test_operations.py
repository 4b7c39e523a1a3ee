"""The table holds exactly the operations of the contract that are served."""

import pytest

from app.internal_api.http.operation import Router
from app.internal_api.resources.table import operations


def test_every_operation_is_there_once_with_its_scope() -> None:
    found = {f"{operation.method} {operation.path}": operation.scope for operation in operations()}

    assert len({operation.id for operation in operations()}) == len(found) == len(operations())
    assert found == {
        "GET /auth/me": None,
        "GET /minds": "sparks:read",
        "POST /minds": "sparks:write",
        "GET /minds/{mindId}": "sparks:read",
        "DELETE /minds/{mindId}": "sparks:write",
        "GET /minds/{mindId}/training": "sparks:read",
        "POST /minds/{mindId}/retrain": "sparks:write",
        "POST /minds/{mindId}/regenerate-prompt": "sparks:write",
        "POST /minds/{mindId}/completion": "sparks:chat",
        "GET /minds/{mindId}/knowledge": "sparks:read",
        "POST /minds/{mindId}/knowledge": "sparks:write",
        "GET /minds/{mindId}/knowledge/{itemId}/status": "sparks:read",
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
        "GET /studies/{studyId}/messages/{messageId}/answers": "flows:read",
        "GET /studies/{studyId}/analytics": "flows:read",
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
