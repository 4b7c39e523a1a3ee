"""The table's part for audiences and their members."""

from collections.abc import Sequence

from app.internal_api.models.audiences import (
    AddMembers,
    AudienceAnswer,
    AudienceList,
    ChangeAudience,
    CreateAudience,
    MemberList,
)
from app.internal_api.routes.audiences import (
    change_audience,
    create_audience,
    join_audience,
    leave_audience,
    read_audience,
    read_audiences,
    read_members,
    remove_audience,
)
from app.internal_api.routes.operation import FLOWS_READ, FLOWS_WRITE, JSON, KNOWN, PAGE, Operation

COLLECTION = "/audiences"
ONE = "/audiences/{audienceId}"
MEMBERS = f"{ONE}/members"

OPERATIONS: Sequence[Operation] = (
    Operation(
        "GET",
        COLLECTION,
        "listAudiences",
        "The caller's audiences",
        read_audiences,
        FLOWS_READ,
        {200: AudienceList},
        (400, 401, 403, 500, 503),
        query=PAGE,
    ),
    Operation(
        "POST",
        COLLECTION,
        "createAudience",
        "Create an audience of minds",
        create_audience,
        FLOWS_WRITE,
        {201: AudienceAnswer, 200: AudienceAnswer},
        (*KNOWN, 409, 413, 415),
        bodies={JSON: (CreateAudience,)},
        headers={
            "x-minds-idempotency-key": "a repeat within a day answers 200 with the same audience; another body, 409"
        },
    ),
    Operation("GET", ONE, "getAudience", "One audience", read_audience, FLOWS_READ, {200: AudienceAnswer}, KNOWN),
    Operation(
        "PUT",
        ONE,
        "updateAudience",
        "Rename an audience, or share it by link",
        change_audience,
        FLOWS_WRITE,
        {200: AudienceAnswer},
        (*KNOWN, 413, 415),
        bodies={JSON: (ChangeAudience,)},
    ),
    Operation(
        "DELETE",
        ONE,
        "deleteAudience",
        "Delete an audience; its minds and past answers stay",
        remove_audience,
        FLOWS_WRITE,
        {204: None},
        KNOWN,
    ),
    Operation(
        "GET",
        MEMBERS,
        "listAudienceMembers",
        "The minds of an audience",
        read_members,
        FLOWS_READ,
        {200: MemberList},
        KNOWN,
        query=PAGE,
    ),
    Operation(
        "POST",
        MEMBERS,
        "addAudienceMembers",
        "Add minds to an audience",
        join_audience,
        FLOWS_WRITE,
        {200: AudienceAnswer},
        (*KNOWN, 413, 415),
        bodies={JSON: (AddMembers,)},
    ),
    Operation(
        "DELETE",
        f"{MEMBERS}/{{mindId}}",
        "removeAudienceMember",
        "Take a mind out of an audience",
        leave_audience,
        FLOWS_WRITE,
        {204: None},
        KNOWN,
    ),
)
