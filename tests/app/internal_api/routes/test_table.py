"""The table holds exactly the operations of the contract that are served."""

from app.internal_api.routes.table import operations


def test_every_operation_is_there_once() -> None:
    found = [f"{operation.method} {operation.path}" for operation in operations()]

    assert found == [
        "GET /auth/me",
        "GET /minds",
        "POST /minds",
        "GET /minds/{mindId}",
        "DELETE /minds/{mindId}",
        "GET /minds/{mindId}/training",
        "POST /minds/{mindId}/retrain",
        "POST /minds/{mindId}/regenerate-prompt",
        "POST /minds/{mindId}/completion",
        "GET /minds/{mindId}/knowledge",
        "POST /minds/{mindId}/knowledge",
        "GET /minds/{mindId}/knowledge/{itemId}/status",
        "GET /audiences",
        "POST /audiences",
        "GET /audiences/{audienceId}",
        "PUT /audiences/{audienceId}",
        "DELETE /audiences/{audienceId}",
        "GET /audiences/{audienceId}/members",
        "POST /audiences/{audienceId}/members",
        "DELETE /audiences/{audienceId}/members/{mindId}",
        "GET /studies",
        "POST /studies",
        "GET /studies/{studyId}",
        "DELETE /studies/{studyId}",
        "POST /studies/{studyId}/ask",
        "GET /studies/{studyId}/messages/{messageId}/answers",
        "GET /studies/{studyId}/analytics",
        "POST /studies/{studyId}/export",
        "GET /studies/{studyId}/export-status",
        "GET /studies/{studyId}/export-download",
        "GET /exports/{jobId}/file",
    ]
    assert len({operation.id for operation in operations()}) == len(found)


def test_only_who_am_i_and_signed_files_need_no_scope() -> None:
    assert [operation.id for operation in operations() if operation.scope is None] == ["getMe", "getExportFile"]


def test_only_files_of_exports_are_opened_by_their_address() -> None:
    assert [operation.id for operation in operations() if operation.signed] == ["getExportFile"]


def test_reading_writing_and_chatting_each_have_their_scope() -> None:
    scopes = {
        (operation.path.split("/")[1], operation.method, operation.scope)
        for operation in operations()
        if operation.id != "completeWithMind"
    }

    flows = {(path, "GET", "flows:read") for path in ("audiences", "studies")}
    flows |= {(path, method, "flows:write") for path in ("audiences", "studies") for method in ("POST", "DELETE")}
    assert scopes == {
        ("auth", "GET", None),
        ("exports", "GET", None),
        ("minds", "GET", "sparks:read"),
        ("minds", "POST", "sparks:write"),
        ("minds", "DELETE", "sparks:write"),
        ("audiences", "PUT", "flows:write"),
        ("studies", "POST", "flows:read"),
        *flows,
    }
