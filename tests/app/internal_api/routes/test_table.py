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
        "GET /minds/{mindId}/knowledge",
        "POST /minds/{mindId}/knowledge",
        "GET /minds/{mindId}/knowledge/{itemId}/status",
        "POST /minds/{mindId}/completion",
    ]
    assert len({operation.id for operation in operations()}) == len(found)


def test_only_who_am_i_needs_no_scope() -> None:
    assert [operation.id for operation in operations() if operation.scope is None] == ["getMe"]


def test_reading_writing_and_chatting_each_have_their_scope() -> None:
    scopes = {(operation.method, operation.scope) for operation in operations() if operation.id != "completeWithMind"}

    assert scopes == {
        ("GET", None),
        ("GET", "sparks:read"),
        ("POST", "sparks:write"),
        ("DELETE", "sparks:write"),
    }
