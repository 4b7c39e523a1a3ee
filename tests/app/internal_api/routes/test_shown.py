"""Rows in the words of the wire."""

from dataclasses import replace

import pytest

from app.internal_api.dialect import Dialect
from app.internal_api.routes.drafts import link_item
from app.internal_api.routes.shown import knowledge_item, processing_status, training_status
from app.internal_api.store.jobs import TRAINING, new_job

JOB = new_job("mind", TRAINING, 0)
ITEM = link_item("mind", "https://example.com", 0)


def test_times_that_have_not_come_yet_are_null() -> None:
    waiting = training_status(JOB, ready=False).model_dump(by_alias=True)
    begun = training_status(replace(JOB, started_at=0, completed_at=1), ready=True).model_dump(by_alias=True)

    assert (waiting["startedAt"], waiting["completedAt"], "error" in waiting) == (None, None, False)
    assert (begun["startedAt"], begun["completedAt"]) == ("1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z")


def test_a_failure_is_shown_with_its_code() -> None:
    failed = replace(JOB, status="failed", stage="failed", error_code="INTERNAL", error_reason="odd")

    shown = training_status(failed, ready=False).model_dump(by_alias=True)

    assert shown["error"] == {"code": "INTERNAL", "retryable": False, "reason": "odd"}


@pytest.mark.parametrize(
    ("stored", "shown"),
    [("queued", "queued"), ("running", "running"), ("collected", "running"), ("completed", "completed")],
)
def test_what_is_read_and_not_yet_indexed_is_still_running(stored: str, shown: str) -> None:
    assert processing_status(replace(ITEM, status=stored)) == shown


def test_the_status_of_an_item_is_found_in_the_callers_dialect() -> None:
    urls = [knowledge_item(ITEM, dialect).status_url for dialect in Dialect]

    assert urls == [f"/api/v1/{name}/mind/knowledge/{ITEM.id}/status" for name in ("minds", "sparks")]
