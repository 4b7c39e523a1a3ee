"""Training: looked at, and asked for again."""

from sqlalchemy.exc import IntegrityError
from starlette.responses import Response

from app.internal_api.errors import Conflict
from app.internal_api.models.training import RegenerateAnswer, TrainingStatus
from app.internal_api.routes.access import reachable_mind
from app.internal_api.routes.call import Call
from app.internal_api.routes.shown import training_status
from app.internal_api.store.jobs import (
    PROMPT,
    TRAINING,
    UNFINISHED,
    insert_job,
    latest_training,
    new_job,
)
from app.internal_api.store.knowledge import requeue_items

BUSY = "This mind is already being trained"


async def read_training(call: Call) -> Response:
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        job = await latest_training(connection, mind.id)
    return call.answer(training_status(job, ready=mind.ready))


async def retrain(call: Call) -> Response:
    """Every source is read again; the mind keeps what it knew until the new is in."""
    status = await _queue(call, only_failed=False, whole=True)
    return call.answer(status)


async def regenerate_prompt(call: Call) -> Response:
    """A mind that is ready gets a new prompt; one that is not is trained from the knowledge it has."""
    status = await _queue(call, only_failed=True, whole=False)
    return call.answer(RegenerateAnswer(data=status))


async def _queue(call: Call, *, only_failed: bool, whole: bool) -> TrainingStatus:
    now = call.services.clock()
    try:
        async with call.services.engine.begin() as connection:
            mind = await reachable_mind(call, connection)
            latest = await latest_training(connection, mind.id)
            if latest.status in UNFINISHED:
                raise Conflict(BUSY)
            prompt_only = mind.ready and not whole
            job = new_job(mind.id, PROMPT if prompt_only else TRAINING, now)
            if not prompt_only:
                await requeue_items(connection, mind.id, now, only_failed=only_failed)
            await insert_job(connection, job)
    except IntegrityError:
        # Another request queued a training at the same moment.
        raise Conflict(BUSY) from None
    call.services.wake.set()
    return training_status(latest if prompt_only else job, ready=mind.ready)
