"""The table's part for what minds know."""

from collections.abc import Sequence

from app.internal_api.models.knowledge import (
    AddedKnowledge,
    ItemStatusAnswer,
    KeywordsKnowledge,
    KnowledgeList,
    LinkKnowledge,
    RemoteFileKnowledge,
    TextKnowledge,
)
from app.internal_api.routes.knowledge import add_knowledge, read_item_status, read_knowledge
from app.internal_api.routes.operation import JSON, KNOWN, READ, WRITE, Operation

COLLECTION = "/minds/{mindId}/knowledge"

OPERATIONS: Sequence[Operation] = (
    Operation(
        "GET",
        COLLECTION,
        "listKnowledge",
        "What a mind was given to know",
        read_knowledge,
        READ,
        {200: KnowledgeList},
        KNOWN,
    ),
    Operation(
        "POST",
        COLLECTION,
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
        f"{COLLECTION}/{{itemId}}/status",
        "getKnowledgeStatus",
        "How far one item is",
        read_item_status,
        READ,
        {200: ItemStatusAnswer},
        KNOWN,
    ),
)
