"""The table's part for what a study was answered: answers, figures, exports."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from app.internal_api.models.analytics import StudyAnalytics
from app.internal_api.models.exports import (
    FORMATS,
    ExportKind,
    ExportReceiptAnswer,
    ExportRequest,
    ExportStatusAnswer,
)
from app.internal_api.models.outputs import MessageAnswers
from app.internal_api.routes.analytics import read_analytics
from app.internal_api.routes.answers_of_message import SCOPES, read_message_answers
from app.internal_api.routes.exports import download_export, export_study, read_export_file, read_export_status
from app.internal_api.routes.operation import FLOWS_READ, JSON, KNOWN, Operation

ONE = "/studies/{studyId}"
WHICH: Mapping[str, Mapping[str, Any]] = {
    "jobId": {"type": "string", "format": "uuid"},
    "kind": {"type": "string", "enum": list(get_args(ExportKind))},
    "format": {"type": "string", "enum": list(FORMATS)},
}

OPERATIONS: Sequence[Operation] = (
    Operation(
        "GET",
        f"{ONE}/messages/{{messageId}}/answers",
        "getMessageAnswers",
        "Every persona's answer to one question",
        read_message_answers,
        FLOWS_READ,
        {200: MessageAnswers},
        KNOWN,
        query={"scope": {"type": "string", "enum": list(SCOPES), "default": SCOPES[0]}},
    ),
    Operation(
        "GET",
        f"{ONE}/analytics",
        "getStudyAnalytics",
        "The figures of a whole study",
        read_analytics,
        FLOWS_READ,
        {200: StudyAnalytics},
        KNOWN,
    ),
    Operation(
        "POST",
        f"{ONE}/export",
        "exportStudy",
        "Make a report of a study, or find the one that holds what there is",
        export_study,
        FLOWS_READ,
        {200: ExportReceiptAnswer},
        (*KNOWN, 409, 413, 415),
        bodies={JSON: (ExportRequest,)},
    ),
    Operation(
        "GET",
        f"{ONE}/export-status",
        "getExportStatus",
        "How far an export is",
        read_export_status,
        FLOWS_READ,
        {200: ExportStatusAnswer},
        KNOWN,
        query=WHICH,
    ),
    Operation(
        "GET",
        f"{ONE}/export-download",
        "downloadExport",
        "To the file of an export, by a link that is valid for some minutes",
        download_export,
        FLOWS_READ,
        {302: None},
        KNOWN,
        query=WHICH,
    ),
    Operation(
        "GET",
        "/exports/{jobId}/file",
        "getExportFile",
        "The file of an export; the signature is the right to read it",
        read_export_file,
        None,
        {200: None},
        (404, 500, 503),
        query={"expires": {"type": "integer"}, "signature": {"type": "string"}},
        signed=True,
    ),
)
