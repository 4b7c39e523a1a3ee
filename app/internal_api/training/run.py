"""One job from its claim to its end: heartbeats beside it, stages in order, and a truthful end."""

import asyncio
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.knowledge import fail_unfinished
from app.internal_api.store.leases import LeaseLost, kept_alive
from app.internal_api.store.training_claims import fail
from app.internal_api.training.collect import collect
from app.internal_api.training.desk import Desk, StageFailed
from app.internal_api.training.indexing import index
from app.internal_api.training.plan import remaining
from app.internal_api.training.profile import make_profile
from app.internal_api.training.prompt import finish
from app.internal_api.training.sources import Tools

log = structlog.get_logger()


async def run(desk: Desk, tools: Tools, settings: InternalApiSettings) -> None:
    """Work on a claimed job until it is completed, failed, or no longer ours."""
    try:
        async with kept_alive(desk.engine, desk.lease, desk.clock):
            await _train_or_fail(desk, tools, settings)
    except* LeaseLost:
        log.warning("training.lease_lost", job=desk.job.id)
    except* SQLAlchemyError as errors:
        # The lease runs out, and then the job goes on where it was.
        log.warning("training.interrupted", job=desk.job.id, errors=len(errors.exceptions))


async def _train_or_fail(desk: Desk, tools: Tools, settings: InternalApiSettings) -> None:
    if desk.job.attempt > settings.training_attempts:
        await _fail(desk, StageFailed("TIMEOUT", "Training was interrupted too often", retryable=True))
        return
    try:
        async with asyncio.timeout(settings.training_seconds):
            await _train(desk, tools)
    except StageFailed as failure:
        _tell(desk, failure)
        await _fail(desk, failure)
    except TimeoutError:
        await _fail(desk, StageFailed("TIMEOUT", "Training took too long", retryable=True))
    except (LeaseLost, SQLAlchemyError):
        raise
    except Exception:
        # The boundary of a job: a fault in one mind's training must not stop the others.
        log.exception("training.failed", job=desk.job.id)
        await _fail(desk, StageFailed("INTERNAL", "Training failed unexpectedly", retryable=True))


def _tell(desk: Desk, failure: StageFailed) -> None:
    # Words and the engine's status only: sentences may quote what strangers wrote.
    told: dict[str, Any] = {"code": failure.code, "reason": failure.reason}
    if isinstance(failure.__cause__, EngineUnavailable):
        told |= {"kind": failure.__cause__.kind, "status": failure.__cause__.status}
    log.warning("training.stage_failed", job=desk.job.id, **told)


async def _train(desk: Desk, tools: Tools) -> None:
    for stage in remaining(desk.job.kind, desk.job.stage):
        match stage:
            case "profile":
                await make_profile(desk, tools.persona_engine)
            case "collect":
                await collect(desk, tools.fetch)
            case "index":
                await index(desk, tools.chunk)
            case _:
                await finish(desk, tools.persona_engine)


async def _fail(desk: Desk, failure: StageFailed) -> None:
    now, job = desk.clock(), desk.job
    async with desk.engine.begin() as connection:
        await fail(
            connection,
            desk.lease,
            now,
            code=failure.code,
            message=failure.message,
            retryable=failure.retryable,
            reason=failure.reason,
        )
        await fail_unfinished(connection, job.mind_id, job.item_id, failure.message, now)
