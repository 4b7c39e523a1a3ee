"""Every operation of the embedded API, in one table: routes and OpenAPI are both made from it."""

from collections.abc import Sequence

from app.internal_api.models.completion import Completion, CompletionRequest
from app.internal_api.models.knowledge import (
    AddedKnowledge,
    ItemStatusAnswer,
    KeywordsKnowledge,
    KnowledgeList,
    LinkKnowledge,
    RemoteFileKnowledge,
    TextKnowledge,
)
from app.internal_api.models.minds import CreatedMind, CreateMind, Me, MindAnswer, MindList
from app.internal_api.models.training import RegenerateAnswer, TrainingStatus
from app.internal_api.routes.completion import complete
from app.internal_api.routes.creation import create_mind
from app.internal_api.routes.identity import read_me
from app.internal_api.routes.knowledge import add_knowledge, read_item_status, read_knowledge
from app.internal_api.routes.minds import read_mind, read_minds, remove_mind
from app.internal_api.routes.operation import CHAT, READ, WRITE, Operation
from app.internal_api.routes.training import read_training, regenerate_prompt, retrain

COLLECTION = "/minds"
ONE = "/minds/{mindId}"
JSON = "application/json"
KNOWN = (400, 401, 403, 404, 500, 503)
SEARCH = {
    "search": {"type": "string", "maxLength": 500},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 100},
    "offset": {"type": "integer", "minimum": 0, "default": 0},
}


def operations() -> Sequence[Operation]:
    """In the order of the contract."""
    return (*_identity(), *_minds(), *_training(), *_knowledge(), *_completion())


def _identity() -> Sequence[Operation]:
    me = "Who the credential belongs to"
    return (Operation("GET", "/auth/me", "getMe", me, read_me, None, {200: Me}, (401, 500)),)


def _minds() -> Sequence[Operation]:
    return (
        Operation(
            "GET",
            COLLECTION,
            "listMinds",
            "The caller's minds",
            read_minds,
            READ,
            {200: MindList},
            (400, 401, 403, 500, 503),
            query=SEARCH,
        ),
        Operation(
            "POST",
            COLLECTION,
            "createMind",
            "Create a mind and start its training",
            create_mind,
            WRITE,
            {201: CreatedMind, 200: CreatedMind},
            (400, 401, 403, 413, 415, 500, 503),
            bodies={JSON: (CreateMind,)},
            headers={"x-minds-idempotency-key": "a repeat within a day answers 200 with the same mind"},
        ),
        *_one_mind(),
    )


def _one_mind() -> Sequence[Operation]:
    delete = "Delete a mind with all it knows"
    return (
        Operation("GET", ONE, "getMind", "One mind", read_mind, READ, {200: MindAnswer}, KNOWN, for_visitors=True),
        Operation("DELETE", ONE, "deleteMind", delete, remove_mind, WRITE, {204: None}, KNOWN),
    )


def _training() -> Sequence[Operation]:
    return (
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
    )


def _knowledge() -> Sequence[Operation]:
    return (
        Operation(
            "GET",
            f"{ONE}/knowledge",
            "listKnowledge",
            "What a mind was given to know",
            read_knowledge,
            READ,
            {200: KnowledgeList},
            KNOWN,
        ),
        Operation(
            "POST",
            f"{ONE}/knowledge",
            "addKnowledge",
            "Add a link, a file, text or keywords",
            add_knowledge,
            WRITE,
            {202: AddedKnowledge},
            (*KNOWN, 413, 415, 422),
            bodies={
                JSON: (LinkKnowledge, RemoteFileKnowledge, TextKnowledge, KeywordsKnowledge),
                "multipart/form-data": (),
            },
        ),
        Operation(
            "GET",
            f"{ONE}/knowledge/{{itemId}}/status",
            "getKnowledgeStatus",
            "How far one item is",
            read_item_status,
            READ,
            {200: ItemStatusAnswer},
            KNOWN,
        ),
    )


def _completion() -> Sequence[Operation]:
    return (
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
