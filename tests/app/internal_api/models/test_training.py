"""Only a failed training carries an error."""

from app.internal_api.models.training import FailedTrainingStatus, RegenerateAnswer, TrainingStatus

FIELDS = {
    "status": "queued",
    "ready_to_chat": False,
    "message": None,
    "started_at": None,
    "completed_at": None,
    "progress": 0,
    "stage": "queued",
}


def test_a_status_has_an_error_only_when_it_failed() -> None:
    fine = TrainingStatus.model_validate(FIELDS)
    failed = FailedTrainingStatus.model_validate(
        {**FIELDS, "error": {"code": "TIMEOUT", "retryable": True, "reason": None}}
    )

    assert "error" not in fine.model_dump(by_alias=True)
    assert failed.model_dump(by_alias=True)["error"] == {"code": "TIMEOUT", "retryable": True, "reason": None}


def test_the_error_survives_inside_an_envelope() -> None:
    failed = FailedTrainingStatus.model_validate(
        {**FIELDS, "error": {"code": "TIMEOUT", "retryable": True, "reason": None}}
    )

    assert RegenerateAnswer(data=failed).model_dump(by_alias=True)["data"]["error"]["code"] == "TIMEOUT"
