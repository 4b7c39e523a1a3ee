"""Exports of a study: make one, ask how far it is, and read the file by a signed link."""

from starlette.responses import RedirectResponse, Response

from app.internal_api.errors import BadRequest, NotFound, NothingToExport
from app.internal_api.models.exports import ExportQuery, ExportReceiptAnswer, ExportRequest, ExportStatusAnswer
from app.internal_api.routes.access import reachable_study
from app.internal_api.routes.body import parse
from app.internal_api.routes.call import NO_STORE, Call
from app.internal_api.routes.shown_exports import export_receipt, export_status, shown_status
from app.internal_api.store.exports import ExportJob, demand, find_export, find_file, new_export
from app.internal_api.store.results import has_answers, source_version

FILE_HEADERS = {**NO_STORE, "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


async def export_study(call: Call) -> Response:
    """Queue an export of what there is, or find the one that holds just that."""
    wanted = await call.asked(ExportRequest, optional=True)
    async with call.services.engine.begin() as connection:
        study = await reachable_study(call, connection)
        if not await has_answers(connection, study.id):
            raise NothingToExport
        version = await source_version(connection, study.id, study.name)
        new = new_export(study.id, wanted.kind, wanted.format, wanted.length, version, call.services.clock())
        job = await demand(connection, new, force=wanted.force)
    call.services.wake_exporter.set()
    return call.answer(ExportReceiptAnswer(data=export_receipt(job)))


async def read_export_status(call: Call) -> Response:
    """Of the job that is named, or of the newest of that kind and format."""
    job = await _named(call)
    url = f"{call.request.url.path.removesuffix('export-status')}export-download?jobId={job.id}"
    return call.answer(ExportStatusAnswer(data=export_status(job, url)))


async def download_export(call: Call) -> Response:
    """To the file, by a link that also works for somebody without a credential, and only for some minutes."""
    job = await _named(call)
    if job.status != "completed":
        raise BadRequest(f"This export is not completed; its status is {shown_status(job)}. See export-status")
    expires = int(call.services.clock() / 1000 + call.services.settings.export_link_seconds)
    link = call.services.link_key.link(job.id, expires)
    return RedirectResponse(link, 302, headers={**NO_STORE, "Referrer-Policy": "no-referrer"})


async def read_export_file(call: Call) -> Response:
    """The link itself is the right to read; a wrong one, an old one and one to nothing look the same."""
    job_id = call.request.path_params["jobId"]
    expires, signature = (call.request.query_params.get(name, "") for name in ("expires", "signature"))
    if not call.services.link_key.opens(job_id, expires, signature, call.services.clock() // 1000):
        raise NotFound
    async with call.services.read() as connection:
        found = await find_file(connection, job_id)
    if found is None:
        raise NotFound
    job, content = found
    disposition = {"Content-Disposition": f'attachment; filename="{job.file_name}"'}
    return Response(content, media_type=job.media_type, headers={**FILE_HEADERS, **disposition})


async def _named(call: Call) -> ExportJob:
    asked = parse(ExportQuery, dict(call.request.query_params))
    async with call.services.read() as connection:
        study = await reachable_study(call, connection)
        job = await find_export(connection, study.id, job_id=asked.job_id, kind=asked.kind, file_format=asked.format)
    if job is None:
        raise NotFound("There is no such export. Make one with POST export")
    return job
