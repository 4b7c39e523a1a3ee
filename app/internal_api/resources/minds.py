"""Minds, and whose credential it is: listed, created at most once for each idempotency key, read, deleted."""

import secrets
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.snippets import one_line
from app.internal_api.errors import AnswerUnavailable, BadRequest, PlanLimit
from app.internal_api.http.access import HOUR, IDEMPOTENCY_HEADER, digest, keyed, made_before, reachable_mind
from app.internal_api.http.call import NO_STORE, Call, json_response, list_response
from app.internal_api.http.operation import READ, WRITE, operation
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.models import minds as models
from app.internal_api.models.studies import DraftAudience, DraftedAudience
from app.internal_api.models.wire import Data, Listed
from app.internal_api.resources.audiences import sharing
from app.internal_api.resources.training import training_status
from app.internal_api.store import minds as store
from app.internal_api.store.knowledge import Item, count_items, insert_item, list_states, new_item, retitle_items
from app.internal_api.store.minds import TRAINING, Job, latest_training
from app.internal_api.store.rows import delete_row, find_page, insert_row, update_row

CREATED = {201: models.CreatedMind, 200: models.CreatedMind}
MANUAL_HINT = "Add knowledge, then regenerate the prompt"
ABOUT = "About {}"
"""The title of what its owner says of a mind."""
REPEATED = {IDEMPOTENCY_HEADER: "a repeat within a day answers 200 with the same mind; another body, 409"}
COPIED = {
    "name", "description", "discipline", "type", "mode", "source_policy", "locale", "profile_image_url", "tags",
    "keywords",
}  # fmt: skip
"""Fields of a request that become those of the mind as they are."""


@operation("GET", "/auth/me", None, models.Me)
async def get_me(call: Call) -> Response:
    """Who the credential belongs to."""
    return json_response(models.Me(id=call.principal.user_id))


@operation("GET", "/minds", READ, Listed[models.MindSummary], query=models.Search)
async def list_minds(call: Call) -> Response:
    """The caller's minds. Demo visitors, who all share an account, find nothing in the list: it holds no demo minds."""
    asked = call.queried(models.Search)
    page = asked.model_dump(exclude={"search"})
    columns = store.minds.c
    lasting = [columns.owner_id == call.principal.user_id, columns.demo_token_hash.is_(None)]
    if asked.search:
        lasting.append(columns.search_text.contains(asked.search.casefold(), autoescape=True))
    async with call.services.read() as connection:
        found, total = await find_page(connection, store.Mind, *lasting, **page)
        states = await list_states(connection, [mind.id for mind in found])
    shown = [models.MindSummary.model_validate({**asdict(mind), **states[mind.id]}) for mind in found]
    return list_response(shown, total, page)


@operation("GET", "/minds/{mindId}", READ, Data[models.MindDetail], for_visitors=True)
async def get_mind(call: Call) -> Response:
    """One mind."""
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        training = await latest_training(connection, mind.id)
        item_count = await count_items(connection, mind.id)
    more = {"knowledge_item_count": item_count, "training_status": training.status, "ready_to_chat": mind.ready}
    return json_response(Data(data=models.MindDetail.model_validate({**asdict(mind), **more})))


@operation("PUT", "/minds/{mindId}", WRITE, Data[models.MindSummary], body=models.ChangeMind)
async def update_mind(call: Call) -> Response:
    """Change what is said of a mind; what it knows stays as it is."""
    asked = await call.asked(models.ChangeMind)
    async with call.services.engine.begin() as connection:
        mind = await reachable_mind(call, connection)
        now = call.services.clock()
        changed = {**asked.model_dump(exclude_unset=True), "updated_at": now}
        if asked.name and asked.name != mind.name:
            changed = {**_called_anew(mind, asked.name), **changed}
            await retitle_items(connection, mind.id, ABOUT.format(mind.name), ABOUT.format(asked.name), now)
        mind = replace(mind, **changed)
        search_text = f"{mind.name}\n{mind.described}\n{mind.discipline}".casefold()
        await update_row(connection, store.Mind, mind.id, **changed, search_text=search_text)
    return json_response(Data(data=models.MindSummary.model_validate(mind)))


def _called_anew(mind: store.Mind, name: str) -> dict[str, Any]:
    """What else tells the name: a field that it stood in for, and the beginning of the prompt."""
    told = {"discipline": name} if mind.discipline == mind.name else {}
    if mind.system_prompt is None:
        return told
    begins, anew = (f"You are {one_line(each)}" for each in (mind.name, name))
    return {**told, "system_prompt": mind.system_prompt.replace(begins, anew, 1)}


@operation("POST", "/audience-drafts", WRITE, Data[DraftedAudience], body=DraftAudience)
async def draft_audience(call: Call) -> Response:
    """Draft people of an audience, to be looked at and created; an addition of this API."""
    asked = await call.asked(DraftAudience)
    try:
        people = await call.services.persona_engine.draft(asked.audience, asked.count)
    except EngineUnavailable as error:
        if error.kind == "no_model":
            raise BadRequest("There is no language model here", {"code": "NO_MODEL"}) from None
        raise AnswerUnavailable(error) from error
    return json_response(Data(data=DraftedAudience(people=people)))


@operation("DELETE", "/minds/{mindId}", WRITE, {204: None})
async def delete_mind(call: Call) -> Response:
    """Delete a mind with all it knows."""
    async with call.services.engine.begin() as connection:
        await delete_row(connection, store.Mind, (await reachable_mind(call, connection)).id)
    return Response(status_code=204, headers=NO_STORE)


@operation("POST", "/minds", WRITE, CREATED, body=models.CreateMind, headers=REPEATED, refusals=(409,))
async def create_mind(call: Call) -> Response:
    """Create a mind and start its training."""
    asked = await call.asked(models.CreateMind)
    for link in filter(None, (asked.context_link, asked.profile_image_url)):
        await admit(call, link)
    create = _create_demo if call.principal.demo else _create_once
    try:
        created = await create(call, asked)
    except IntegrityError:
        # The same key came twice at the same moment, and the other request was first.
        created = await create(call, asked)
    call.services.wake_training.set()
    return created


async def admit(call: Call, link: str) -> None:
    """Refuse an address that may not be reached, before anything is stored. Raises BadRequest."""
    try:
        await call.services.admit_link(link)
    except SourceRefused as refusal:
        raise BadRequest(refusal.message, {"code": refusal.code}) from None


async def _create_once(call: Call, asked: models.CreateMind) -> Response:
    mind = draft_mind(asked, call.principal.user_id, call.services.clock(), **keyed(call, asked))
    async with call.services.engine.begin() as connection:
        earlier = await made_before(call, connection, store.Mind, asked)
        if earlier is None:
            return await _insert(connection, asked, mind)
        status = training_status(await latest_training(connection, earlier.id), ready=earlier.ready)
    return json_response(models.CreatedMind(data=models.CreatedMindSummary.model_validate(earlier), training=status))


async def _create_demo(call: Call, asked: models.CreateMind) -> Response:
    # No idempotency here: all visitors share one account, and a key is easier to guess than a token.
    settings, now = call.services.settings, call.services.clock()
    token, expires_at = secrets.token_urlsafe(32), now + int(settings.demo_hours * HOUR)
    keyless = draft_mind(asked, call.principal.user_id, now)
    mind = replace(keyless, demo_token_hash=digest(token), demo_expires_at=expires_at)
    async with call.services.engine.begin() as connection:
        alive, limit = await store.count_live_demos(connection, now), settings.demo_quota
        if alive >= limit:
            message = "The demo is full at the moment; sign in to create a mind"
            raise PlanLimit(message, limit_type="sparks", plan="demo", limit=limit, current=alive)
        return await _insert(connection, asked, mind, models.Demo(token=token, expires_at=expires_at))


async def _insert(
    connection: AsyncConnection, asked: models.CreateMind, mind: store.Mind, demo: models.Demo | None = None
) -> Response:
    """The mind with its first knowledge and its first job, which in the manual mode waits for the owner's knowledge."""
    job = Job(mind_id=mind.id, kind=TRAINING, created_at=mind.created_at)
    items = first_items(asked, mind)
    if not items:
        failed = replace(job, status="failed", stage="failed", completed_at=mind.created_at, message=MANUAL_HINT)
        job = replace(failed, error_code="PROFILE_GEN_FAILED", retryable=True)
    await insert_row(connection, mind)
    for item in items:
        await insert_item(connection, *item)
    await insert_row(connection, job)
    data = models.CreatedMindSummary.model_validate(mind).model_copy(update={"demo": demo})
    return json_response(models.CreatedMind(data=data, training=training_status(job, ready=False)), 201)


def draft_mind(asked: models.CreateMind, owner_id: str, now: int, **key: Any) -> store.Mind:
    """A mind that nothing has been done for yet."""
    described = asked.description if asked.description != store.NO_DESCRIPTION else ""
    return store.Mind(
        owner_id=owner_id,
        **asked.model_dump(include=COPIED),
        **sharing(enabled=asked.is_link_sharing_enabled),
        context="\n\n".join(part for part in (asked.persona_context, described) if part),
        is_real_person=asked.mode == "clone" if asked.is_real_person is None else asked.is_real_person,
        search_text=f"{asked.name}\n{described}\n{asked.discipline}".casefold(),
        **key,
        created_at=now,
        updated_at=now,
    )


def first_items(asked: models.CreateMind, mind: store.Mind) -> list[tuple[Item, str | None]]:
    """What a mind is given to know at once, by any mode but manual, each with its text unless it has to be fetched."""
    items: list[tuple[Item, str | None]] = []
    if asked.mode == "manual":
        return items
    if text := keywords_text(mind, asked.keywords) if asked.keywords else asked.persona_context:
        kind = "persona" if asked.persona_context else "keywords"
        items.append((new_item(mind.id, kind, ABOUT.format(mind.name), mind.created_at), text))
    if asked.context_link is not None:
        items.append((link_item(mind.id, asked.context_link, mind.created_at), None))
    return items


def link_item(mind_id: str, link: str, now: int, *, description: str = "", **more: Any) -> Item:
    """A page to read; until it is read, its host stands for its title."""
    host = urlsplit(link).hostname or link
    return new_item(mind_id, "link", host, now, description=description or link, link=link, **more)


def keywords_text(mind: store.Mind, keywords: tuple[str, ...]) -> str:
    """What the owner's words say, as sentences: the same words always make the same text."""
    sentences = [f"{mind.name}'s field is {mind.discipline}."]
    if mind.context:
        sentences.append(mind.context)
    sentences += [f"{mind.name} knows about {keyword}." for keyword in keywords]
    return "\n\n".join(sentences)
