"""The table's part for studies."""

from collections.abc import Sequence

from app.internal_api.models.studies import CreatedStudy, CreateStudy, StudyAnswer, StudyList
from app.internal_api.routes.operation import FLOWS_READ, FLOWS_WRITE, JSON, KNOWN, PAGE, Operation
from app.internal_api.routes.studies import create_study, read_studies, read_study, remove_study

COLLECTION = "/studies"
ONE = "/studies/{studyId}"

OPERATIONS: Sequence[Operation] = (
    Operation(
        "GET",
        COLLECTION,
        "listStudies",
        "The caller's studies, the one that changed last first",
        read_studies,
        FLOWS_READ,
        {200: StudyList},
        (400, 401, 403, 500, 503),
        query=PAGE,
    ),
    Operation(
        "POST",
        COLLECTION,
        "createStudy",
        "Create a study with its audiences, all or nothing",
        create_study,
        FLOWS_WRITE,
        {201: CreatedStudy},
        (*KNOWN, 413, 415),
        bodies={JSON: (CreateStudy,)},
    ),
    Operation("GET", ONE, "getStudy", "One study with its messages", read_study, FLOWS_READ, {200: StudyAnswer}, KNOWN),
    Operation(
        "DELETE",
        ONE,
        "deleteStudy",
        "Delete a study with what was asked in it; its audiences stay",
        remove_study,
        FLOWS_WRITE,
        {204: None},
        KNOWN,
    ),
)
