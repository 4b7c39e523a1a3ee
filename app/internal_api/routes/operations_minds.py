"""The table's part for the caller and the minds: list, create, read, train, talk."""

from collections.abc import Sequence

from app.internal_api.models.completion import Completion, CompletionRequest
from app.internal_api.models.minds import CreatedMind, CreateMind, Me, MindAnswer, MindList
from app.internal_api.models.training import RegenerateAnswer, TrainingStatus
from app.internal_api.routes.completion import complete
from app.internal_api.routes.creation import create_mind
from app.internal_api.routes.identity import read_me
from app.internal_api.routes.minds import read_mind, read_minds, remove_mind
from app.internal_api.routes.operation import CHAT, JSON, KNOWN, PAGE, READ, WRITE, Operation
from app.internal_api.routes.training import read_training, regenerate_prompt, retrain

COLLECTION = "/minds"
ONE = "/minds/{mindId}"

OPERATIONS: Sequence[Operation] = (
    Operation("GET", "/auth/me", "getMe", "Who the credential belongs to", read_me, None, {200: Me}, (401, 500)),
    Operation(
        "GET",
        COLLECTION,
        "listMinds",
        "The caller's minds",
        read_minds,
        READ,
        {200: MindList},
        (400, 401, 403, 500, 503),
        query={"search": {"type": "string", "maxLength": 500}, **PAGE},
    ),
    Operation(
        "POST",
        COLLECTION,
        "createMind",
        "Create a mind and start its training",
        create_mind,
        WRITE,
        {201: CreatedMind, 200: CreatedMind},
        (400, 401, 403, 409, 413, 415, 500, 503),
        bodies={JSON: (CreateMind,)},
        headers={"x-minds-idempotency-key": "a repeat within a day answers 200 with the same mind; another body, 409"},
    ),
    Operation("GET", ONE, "getMind", "One mind", read_mind, READ, {200: MindAnswer}, KNOWN, for_visitors=True),
    Operation("DELETE", ONE, "deleteMind", "Delete a mind with all it knows", remove_mind, WRITE, {204: None}, KNOWN),
    Operation(
        "GET",
        f"{ONE}/training",
        "getTraining",
        "How far the training is",
        read_training,
        READ,
        {200: TrainingStatus},
        KNOWN,
        for_visitors=True,
    ),
    Operation(
        "POST",
        f"{ONE}/retrain",
        "retrainMind",
        "Read every source again",
        retrain,
        WRITE,
        {200: TrainingStatus},
        (*KNOWN, 409),
    ),
    Operation(
        "POST",
        f"{ONE}/regenerate-prompt",
        "regeneratePrompt",
        "Write the prompt anew from the knowledge there is",
        regenerate_prompt,
        WRITE,
        {200: RegenerateAnswer},
        (*KNOWN, 409),
    ),
    Operation(
        "POST",
        f"{ONE}/completion",
        "completeWithMind",
        "Talk to a mind",
        complete,
        CHAT,
        {200: Completion},
        (*KNOWN, 409, 413, 415),
        bodies={JSON: (CompletionRequest,)},
    ),
)
