"""The operation of asking."""

from collections.abc import Sequence

from app.internal_api.models.asking import AskStudy, QueuedAsk
from app.internal_api.routes.ask import ask
from app.internal_api.routes.operation import FLOWS_WRITE, JSON, KNOWN, Operation

OPERATIONS: Sequence[Operation] = (
    Operation(
        "POST",
        "/studies/{studyId}/ask",
        "askStudy",
        "Put a question to everybody in a study, as an event stream or queued",
        ask,
        FLOWS_WRITE,
        {200: QueuedAsk},
        (*KNOWN, 409, 413, 415),
        bodies={JSON: (AskStudy,)},
    ),
)
