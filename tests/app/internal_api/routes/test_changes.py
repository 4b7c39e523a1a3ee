"""What an operation changes is known from its method and path, in both dialects."""

import pytest

from app.internal_api.routes.changes import Changes
from app.internal_api.routes.table import operations

ID = "00000000-0000-4000-8000-00000000dead"


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("POST", "/api/v1/minds", "createMind"),
        ("POST", "/api/v1/sparks", "createMind"),
        ("DELETE", f"/api/v1/sparks/{ID}", "deleteMind"),
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
    assert Changes(operations()).of(method, path) == operation
