"""What a request to create becomes: a mind, its first knowledge, its first job. Pure, apart from ids."""

from dataclasses import replace
from urllib.parse import urlsplit
from uuid import uuid4

from app.internal_api.models.minds import CreateMind
from app.internal_api.store.jobs import TRAINING, Job, new_job
from app.internal_api.store.knowledge import Item, new_item
from app.internal_api.store.minds import Mind, search_text

MANUAL_HINT = "Add knowledge, then regenerate the prompt"
NO_DESCRIPTION = "Created via API"


def draft_mind(asked: CreateMind, owner_id: str, now: int, *, key: str | None = None) -> Mind:
    """A mind that nothing has been done for yet."""
    described = asked.description if asked.description != NO_DESCRIPTION else ""
    return Mind(
        id=str(uuid4()),
        owner_id=owner_id,
        name=asked.name,
        description=asked.description,
        discipline=asked.discipline,
        type=asked.type,
        mode=asked.mode,
        source_policy=asked.source_policy,
        tags=list(asked.tags),
        keywords=list(asked.keywords),
        context="\n\n".join(part for part in (asked.persona_context, described) if part),
        locale=asked.locale,
        is_real_person=asked.mode == "clone" if asked.is_real_person is None else asked.is_real_person,
        is_link_sharing_enabled=asked.is_link_sharing_enabled,
        public_share_id=str(uuid4()) if asked.is_link_sharing_enabled else None,
        profile_image_url=asked.profile_image_url,
        profile=None,
        system_prompt=None,
        search_text=search_text(asked.name, asked.description, asked.discipline),
        idempotency_key=key,
        demo_token_hash=None,
        demo_expires_at=None,
        created_at=now,
        updated_at=now,
    )


def first_item(asked: CreateMind, mind: Mind, now: int) -> tuple[Item, str | None] | None:
    """What the mode gives a mind to know at once, with its text unless it has to be fetched."""
    about = f"About {mind.name}"
    match asked.mode:
        case "link" if asked.context_link is not None:
            return link_item(mind.id, asked.context_link, now), None
        case "clone":
            text = asked.persona_context
            return new_item(mind.id, "persona", now, title=about, source=about, description=about), text
        case "keywords":
            text = keywords_text(mind, asked.keywords)
            return new_item(mind.id, "keywords", now, title=about, source=about, description=about), text
        case _:
            return None


def link_item(mind_id: str, link: str, now: int, *, description: str = "", regenerate_prompt: bool = False) -> Item:
    """A page to read; until it is read, its host stands for its title."""
    host = urlsplit(link).hostname or link
    return new_item(
        mind_id,
        "link",
        now,
        title=host,
        source=host,
        description=description or link,
        link=link,
        regenerate_prompt=regenerate_prompt,
    )


def keywords_text(mind: Mind, keywords: tuple[str, ...]) -> str:
    """What the owner's words say, as sentences: the same words always make the same text."""
    sentences = [f"{mind.name}'s field is {mind.discipline}."]
    if mind.context:
        sentences.append(mind.context)
    sentences += [f"{mind.name} knows about {keyword}." for keyword in keywords]
    return "\n\n".join(sentences)


def first_job(asked: CreateMind, mind: Mind, now: int) -> Job:
    """Waiting for a worker; in the manual mode, for the owner, who has to give knowledge first."""
    job = new_job(mind.id, TRAINING, now)
    if asked.mode != "manual":
        return job
    failed = replace(job, status="failed", stage="failed", completed_at=now, message=MANUAL_HINT)
    return replace(failed, error_code="PROFILE_GEN_FAILED", retryable=True)
