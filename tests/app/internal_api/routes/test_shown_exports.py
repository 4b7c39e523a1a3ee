"""An export is told of in the contract's words, without what is not known yet."""

from dataclasses import replace

from app.internal_api.routes.shown_exports import export_receipt, export_status, shown_status
from app.internal_api.store.exports import new_export

JOB = new_export("study", "raw_data", "csv", "standard", "v1", 0)
KNOWN = {"jobId": JOB.id, "kind": "raw_data", "format": "csv", "sourceVersion": "v1"}


def test_a_job_that_waits_has_no_file_yet() -> None:
    told = export_status(JOB, "/link").model_dump(mode="json", by_alias=True)

    assert told == {**KNOWN, "status": "queued", "progress": 0}


def test_a_job_that_is_worked_on_is_processing() -> None:
    running = replace(JOB, status="running", progress=40)

    assert shown_status(running) == "processing"
    assert export_status(running, "/link").progress == 40


def test_a_finished_job_has_its_file() -> None:
    done = replace(JOB, status="completed", progress=100, file_name="a.csv", media_type="text/csv", completed_at=1000)

    assert export_status(done, "/link").model_dump(mode="json", by_alias=True) == {
        **KNOWN,
        "status": "completed",
        "progress": 100,
        "downloadUrl": "/link",
        "filename": "a.csv",
        "mimeType": "text/csv",
        "generatedAt": "1970-01-01T00:00:01.000Z",
    }


def test_a_failed_job_says_so_with_a_stable_word() -> None:
    told = export_status(replace(JOB, status="failed", error_code="EXPORT_FAILED"), "/link")

    assert (told.status, told.error_code, told.download_url) == ("failed", "EXPORT_FAILED", None)
    assert told.error


def test_a_receipt_says_what_was_asked_for() -> None:
    assert export_receipt(JOB).model_dump(mode="json", by_alias=True) == {
        "jobId": JOB.id,
        "kind": "raw_data",
        "format": "csv",
        "status": "queued",
    }
