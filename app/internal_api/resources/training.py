"""Training: looked at, and asked for again."""

from dataclasses import asdict

from sqlalchemy.exc import IntegrityError
from starlette.responses import Response

from app.internal_api.errors import Conflict
from app.internal_api.http.access import reachable_mind
from app.internal_api.http.call import Call, json_response
from app.internal_api.http.operation import READ, WRITE, operation
from app.internal_api.models.minds import TrainingStatus
from app.internal_api.models.wire import Success
from app.internal_api.store.knowledge import requeue_items
from app.internal_api.store.minds import PROMPT, TRAINING, UNFINISHED, Job, latest_training
from app.internal_api.store.rows import insert_row

BUSY = "This mind is already being trained"
ONE = "/minds/{mindId}"


def training_status(job: Job, *, ready: bool, llm_host: str | None = None) -> TrainingStatus:
    """`ready` is the mind's: one that is trained anew stays ready meanwhile. `llm_host` is the language model's."""
    error = {"code": job.error_code, "retryable": bool(job.retryable), "reason": job.error_reason}
    if (job.error_reason or "").startswith("llm_"):
        error["llm_host"] = llm_host
    more = {"ready_to_chat": ready, "error": error if job.error_code else None}
    return TrainingStatus.model_validate({**asdict(job), **more})


@operation("GET", f"{ONE}/training", READ, TrainingStatus, for_visitors=True)
async def get_training(call: Call) -> Response:
    """How far the training is."""
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        job = await latest_training(connection, mind.id)
    return json_response(training_status(job, ready=mind.ready, llm_host=call.services.persona_engine.host))


@operation("POST", f"{ONE}/retrain", WRITE, TrainingStatus, refusals=(409,))
async def retrain_mind(call: Call) -> Response:
    """Read every source again. The mind keeps what it knew until the new is in."""
    return json_response(await _queue(call, whole=True))


@operation("POST", f"{ONE}/regenerate-prompt", WRITE, Success[TrainingStatus], refusals=(409,))
async def regenerate_prompt(call: Call) -> Response:
    """Write the prompt anew from the knowledge there is.

    A mind that is ready gets a new prompt; one that is not is trained from the knowledge it has.
    """
    return json_response(Success(data=await _queue(call, whole=False)))


async def _queue(call: Call, *, whole: bool) -> TrainingStatus:
    now = call.services.clock()
    try:
        async with call.services.engine.begin() as connection:
            mind = await reachable_mind(call, connection)
            latest = await latest_training(connection, mind.id)
            if latest.status in UNFINISHED:
                raise Conflict(BUSY)
            prompt_only = mind.ready and not whole
            job = Job(mind_id=mind.id, kind=PROMPT if prompt_only else TRAINING, created_at=now)
            if not prompt_only:
                await requeue_items(connection, mind.id, now, only_failed=not whole)
            await insert_row(connection, job)
    except IntegrityError:
        # Another request queued a training at the same moment.
        raise Conflict(BUSY) from None
    call.services.wake_training.set()
    return training_status(latest if prompt_only else job, ready=mind.ready)
