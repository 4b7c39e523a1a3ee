"""Rows as the words of the wire. Pure."""

from collections.abc import Mapping
from typing import Any

from app.internal_api.dialect import Dialect
from app.internal_api.models.knowledge import KnowledgeItem
from app.internal_api.models.minds import MindDetail, MindSummary
from app.internal_api.models.training import FailedTrainingStatus, TrainingStatus
from app.internal_api.models.wire import iso
from app.internal_api.store.jobs import Job
from app.internal_api.store.knowledge import Item
from app.internal_api.store.minds import Mind

PREFIX = "/api/v1"


def summary_fields(mind: Mind) -> Mapping[str, Any]:
    return {
        "id": mind.id,
        "name": mind.name,
        "description": mind.description,
        "type": mind.type,
        "discipline": mind.discipline,
        "source_policy": mind.source_policy,
        "tags": list(mind.tags),
        "profile_image_url": mind.profile_image_url,
        "created_at": iso(mind.created_at),
        "updated_at": iso(mind.updated_at),
    }


def mind_summary(mind: Mind) -> MindSummary:
    return MindSummary(**summary_fields(mind))


def mind_detail(mind: Mind, training: Job, item_count: int) -> MindDetail:
    return MindDetail(
        **summary_fields(mind),
        is_public=False,
        is_link_sharing_enabled=mind.is_link_sharing_enabled,
        public_share_id=mind.public_share_id,
        phone_number=None,
        cloned_voice_status=None,
        profit_split_opt_in=False,
        knowledge_item_count=item_count,
        training_status=training_status(training, ready=mind.ready).status,
        ready_to_chat=mind.ready,
        system_prompt=mind.system_prompt,
    )


def training_status(job: Job, *, ready: bool) -> TrainingStatus:
    """`ready` is the mind's: one that is trained anew stays ready meanwhile."""
    fields: dict[str, Any] = {
        "status": job.status,
        "ready_to_chat": ready,
        "message": job.message,
        "started_at": None if job.started_at is None else iso(job.started_at),
        "completed_at": None if job.completed_at is None else iso(job.completed_at),
        "progress": job.progress,
        "stage": job.stage,
    }
    if job.error_code is None:
        return TrainingStatus(**fields)
    error = {"code": job.error_code, "retryable": bool(job.retryable), "reason": job.error_reason}
    return FailedTrainingStatus(**fields, error=error)


def knowledge_item(item: Item, dialect: Dialect) -> KnowledgeItem:
    status_url = f"{PREFIX}/{dialect.value}/{item.mind_id}/knowledge/{item.id}/status"
    return KnowledgeItem(
        id=item.id,
        description=item.description,
        link=item.link,
        file_path=item.file_path,
        source_type=item.source_type,
        is_watched=False,
        processing={
            "status": processing_status(item),
            "regenerate_prompt": item.regenerate_prompt,
            "error": item.error,
            "error_code": item.error_code,
            "prompt_regenerated": item.prompt_regenerated,
        },
        status_url=status_url,
        created_at=iso(item.created_at),
        updated_at=iso(item.updated_at),
    )


def processing_status(item: Item) -> Any:
    """What was collected and waits to be indexed is still running, seen from outside."""
    return "running" if item.status == "collected" else item.status
