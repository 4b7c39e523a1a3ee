"""Refusals carry their status, their words and their data."""

from app.internal_api.errors import (
    ApiError,
    InsufficientScope,
    MindNotReady,
    PanelMindsNotReady,
    PlanLimit,
    error_body,
)


def test_stable_codes_travel_in_the_data() -> None:
    refusals: list[ApiError] = [
        InsufficientScope("sparks:read"),
        MindNotReady("m", "running"),
        PanelMindsNotReady([{"mindId": "m"}]),
        PlanLimit("Full", limit_type="sparks", plan="demo", limit=1, current=1),
    ]

    assert [(refusal.status, dict(refusal.data or {})) for refusal in refusals] == [
        (403, {"code": "INSUFFICIENT_SCOPE", "required": ["sparks:read"]}),
        (409, {"code": "SPARK_NOT_READY", "mindId": "m", "trainingStatus": "running"}),
        (409, {"code": "PANEL_MINDS_NOT_READY", "notReady": [{"mindId": "m"}]}),
        (403, {"code": "PLAN_LIMIT", "limitType": "sparks", "currentPlan": "demo", "limit": 1, "current": 1}),
    ]


def test_the_body_is_flat_and_has_data_only_when_there_is_more_to_say() -> None:
    plain = {"statusCode": 400, "statusMessage": "No", "message": "No", "url": "/x", "error": True}

    assert error_body(400, "No", "/x") == plain
    assert error_body(400, "No", "/x", {"code": "C"}) == {**plain, "data": {"code": "C"}}
