"""Exports as the words of the wire. Pure."""

from typing import Any

from app.internal_api.models.exports import ExportReceipt, ExportStatus
from app.internal_api.models.wire import iso
from app.internal_api.store.exports import ExportJob

FAILURE = "The export could not be made. Ask for it again"


def shown_status(job: ExportJob) -> str:
    """The contract's word for what the store calls running."""
    return "processing" if job.status == "running" else job.status


def export_receipt(job: ExportJob) -> ExportReceipt:
    return ExportReceipt.model_validate(_shared(job))


def export_status(job: ExportJob, download_url: str) -> ExportStatus:
    """How far it is; the address of the file only when there is one."""
    told = {**_shared(job), "progress": job.progress, "source_version": job.source_version}
    if job.status == "completed" and job.completed_at is not None:
        told |= {"download_url": download_url, "filename": job.file_name, "mime_type": job.media_type}
        told["generated_at"] = iso(job.completed_at)
    if job.status == "failed":
        told |= {"error": FAILURE, "error_code": job.error_code}
    return ExportStatus.model_validate(told)


def _shared(job: ExportJob) -> dict[str, Any]:
    return {"kind": job.kind, "format": job.format, "job_id": job.id, "status": shown_status(job)}
