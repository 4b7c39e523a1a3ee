"""One question from its claim to its end: so many personas at once, each answer stored, and a truthful end."""

import asyncio
from collections import deque

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.internal_api.panels.panel import Panel
from app.internal_api.panels.respondent import respond
from app.internal_api.panels.scribe import UNREACHABLE, Scribe
from app.internal_api.store.answers import end_pending, pending_minds
from app.internal_api.store.leases import LeaseLost, hold, kept_alive
from app.internal_api.store.studies import touch_study

log = structlog.get_logger()

INTERRUPTED = "INTERRUPTED"  # the process died again and again without a single answer


async def run(panel: Panel) -> None:
    """Work on a claimed question until it is completed, or no longer ours."""
    try:
        async with kept_alive(panel.means.engine, panel.lease, panel.means.clock):
            if panel.question.attempt <= panel.means.settings.panel_attempts:
                await _ask_everybody(panel)
            await _complete(panel)
    except* LeaseLost:
        log.warning("panel.lease_lost", question=panel.question.id)
    except* SQLAlchemyError as errors:
        # The lease runs out, and then the question goes on where it was.
        log.warning("panel.interrupted", question=panel.question.id, errors=len(errors.exceptions))
    except* Exception:
        # The boundary of a question: it is taken up again, and its fault must not stop the others.
        log.exception("panel.failed", question=panel.question.id)
    finally:
        panel.tell()


async def _ask_everybody(panel: Panel) -> None:
    at_once = panel.means.settings.panel_concurrency
    async with panel.read() as connection:
        waiting = deque(await pending_minds(connection, panel.question.id))
    scribe = Scribe(panel, 2 * at_once)
    async with asyncio.TaskGroup() as group:
        group.create_task(scribe.run())
        async with asyncio.TaskGroup() as respondents:
            for _ in range(min(at_once, len(waiting))):
                respondents.create_task(_one_after_another(panel, waiting, scribe))
        scribe.close()


async def _one_after_another(panel: Panel, waiting: deque[str], scribe: Scribe) -> None:
    drain = panel.means.drain
    while waiting:
        await drain.turn()
        with drain.asking():
            await scribe.take(await respond(panel, waiting.popleft()))


async def _complete(panel: Panel) -> None:
    """Also when nobody answered: the result shows that. Raises LeaseLost."""
    while True:
        try:
            await _complete_once(panel)
        except UNREACHABLE as error:
            log.warning("panel.database_unavailable", question=panel.question.id, error=type(error).__name__)
            await asyncio.sleep(panel.means.settings.poll_seconds)
        else:
            return


async def _complete_once(panel: Panel) -> None:
    now, question, means = panel.means.clock(), panel.question, panel.means
    ended = {"status": "completed", "completed_at": now, "lease_owner": None}
    async with means.engine.begin() as connection:
        # The study before the question, as who deletes the study does it, so that neither waits for the other.
        await touch_study(connection, question.study_id, now)
        await hold(connection, panel.lease, now, **ended, engine=means.persona_engine.name[:200])
        await end_pending(connection, question.id, INTERRUPTED, now)
