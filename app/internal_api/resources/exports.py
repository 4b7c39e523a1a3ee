"""Exports of a study: make one, ask how far it is, and read the file by a signed link."""

import hmac
from dataclasses import asdict
from hashlib import sha256
from typing import Literal

from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.internal_api.errors import BadRequest, Conflict, NotFound
from app.internal_api.http.access import reachable
from app.internal_api.http.call import NO_STORE, Call, json_response
from app.internal_api.http.operation import FLOWS_READ, PREFIX, operation
from app.internal_api.models.wire import Data, Id, RequestModel, ResponseModel, Time, Uuid, absent
from app.internal_api.panels.report import Kind as ExportKind
from app.internal_api.panels.report import Length as ExportLength
from app.internal_api.store.exports import ExportJob, demand, find_export, find_file
from app.internal_api.store.questions import has_answers, source_version
from app.internal_api.store.studies import Study

ONE = "/studies/{studyId}"
FAILURE = "The export could not be made. Ask for it again"
FILE_HEADERS = {**NO_STORE, "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
Format = Literal["csv", "md", "pdf"]


class ExportRequest(RequestModel):
    """The body of an export; all of it may be left out."""

    kind: ExportKind = "full_report"
    format: Format = "md"
    length: ExportLength = "standard"
    force: bool = False


class ExportQuery(RequestModel):
    """Which export is meant: a certain one, or the newest of a kind and a format."""

    job_id: Uuid | None = None
    kind: ExportKind | None = None
    format: Format | None = None


class Signed(RequestModel):
    """The right to one file, and until when."""

    expires: str = ""
    signature: str = ""


class ExportReceipt(ResponseModel):
    """`status` is `completed` at once when the same was made before."""

    kind: ExportKind
    format: str
    job_id: Id
    status: Literal["queued", "processing", "completed", "failed"]


class ExportStatus(ExportReceipt):
    """What is not known yet is left out."""

    progress: int
    source_version: str
    download_url: str | None = Field(default=None, exclude_if=absent)
    filename: str | None = Field(default=None, exclude_if=absent)
    mime_type: str | None = Field(default=None, exclude_if=absent)
    generated_at: Time | None = Field(default=None, exclude_if=absent)
    error: str | None = Field(default=None, exclude_if=absent)
    error_code: str | None = Field(default=None, exclude_if=absent)


@operation("POST", f"{ONE}/export", FLOWS_READ, Data[ExportReceipt], body=ExportRequest, refusals=(409,))
async def export_study(call: Call) -> Response:
    """Make a report of a study, or find the one that holds what there is."""
    asked = await call.asked(ExportRequest, optional=True)
    async with call.services.engine.begin() as connection:
        study = await reachable(call, connection, Study)
        if not await has_answers(connection, study.id):
            message = "Nobody has answered a question of this study yet. Ask one first"
            raise Conflict(message, {"code": "NOTHING_TO_EXPORT"})
        new = ExportJob(
            study_id=study.id,
            **asked.model_dump(exclude={"force"}),
            source_version=await source_version(connection, study.id, study.name),
            created_at=call.services.clock(),
        )
        job = await demand(connection, new, force=asked.force)
    call.services.wake_exporter.set()
    receipt = {**asdict(job), "job_id": job.id, "status": shown_status(job)}
    return json_response(Data(data=ExportReceipt.model_validate(receipt)))


@operation("GET", f"{ONE}/export-status", FLOWS_READ, Data[ExportStatus], query=ExportQuery)
async def get_export_status(call: Call) -> Response:
    """How far an export is. Of the job that is named, or of the newest of that kind and format."""
    job = await _named(call)
    fields = {**asdict(job), "job_id": job.id, "status": shown_status(job), "error_code": None}
    if job.status == "completed":
        path = call.request.url.path.removesuffix("export-status")
        fields |= {"download_url": f"{path}export-download?jobId={job.id}", "generated_at": job.completed_at}
        fields |= {"filename": job.file_name, "mime_type": job.media_type}
    if job.status == "failed":
        fields |= {"error": FAILURE, "error_code": job.error_code}
    return json_response(Data(data=ExportStatus.model_validate(fields)))


@operation("GET", f"{ONE}/export-download", FLOWS_READ, {302: None}, query=ExportQuery)
async def download_export(call: Call) -> Response:
    """To the file of an export, by a link that is valid for some minutes. It works without a credential, too."""
    job = await _named(call)
    if job.status != "completed":
        raise BadRequest(f"This export is not completed; its status is {shown_status(job)}. See export-status")
    expires = str(int(call.services.clock() / 1000 + call.services.settings.export_link_seconds))
    signature = sign(call.services.link_key, job.id, expires)
    link = f"{PREFIX}/exports/{job.id}/file?expires={expires}&signature={signature}"
    return RedirectResponse(link, 302, headers={**NO_STORE, "Referrer-Policy": "no-referrer"})


@operation("GET", "/exports/{jobId}/file", None, None, query=Signed, public=True)
async def get_export_file(call: Call) -> Response:
    """The file of an export; the signature is the right to read it.

    A wrong link, an old one and one to nothing look the same.
    """
    job_id, link = call.path_params["jobId"], call.queried(Signed)
    signature = sign(call.services.link_key, job_id, link.expires)
    genuine = hmac.compare_digest(signature.encode(), link.signature.encode())
    if not genuine or call.services.clock() // 1000 >= int(link.expires):  # of what was signed here, it is a number
        raise NotFound
    async with call.services.read() as connection:
        found = await find_file(connection, job_id)
    if found is None:
        raise NotFound
    job, content = found
    disposition = {"Content-Disposition": f'attachment; filename="{job.file_name}"'}
    return Response(content, media_type=job.media_type, headers={**FILE_HEADERS, **disposition})


def sign(key: bytes, job_id: str, expires: str) -> str:
    """What makes a link to one file good until `expires`, in epoch seconds."""
    return hmac.new(key, f"{job_id}:{expires}".encode(), sha256).hexdigest()


async def _named(call: Call) -> ExportJob:
    asked = call.queried(ExportQuery)
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        job = await find_export(connection, study.id, job_id=asked.job_id, kind=asked.kind, file_format=asked.format)
    if job is None:
        raise NotFound("There is no such export. Make one with POST export")
    return job


def shown_status(job: ExportJob) -> str:
    """The contract's word for what the store calls running."""
    return "processing" if job.status == "running" else job.status
