"""The persona and the passage that the tests vary."""

from app.internal_api.knowledge.documents import Passage
from app.internal_api.store.minds import Mind

ADA = Mind(
    id="0b0b5c1e-0000-4000-8000-000000000001",
    owner_id="0b0b5c1e-0000-4000-8000-000000000002",
    name="Ada Lovelace",
    description="",
    discipline="Coffee",
    type="expert",
    mode="manual",
    source_policy="auto",
    tags=(),
    keywords=(),
    context="",
    locale=None,
    is_real_person=False,
    is_link_sharing_enabled=False,
    public_share_id=None,
    profile_image_url=None,
    search_text="",
    created_at=0,
    updated_at=0,
)


def passage(text: str, title: str = "Notes", heading: str | None = None, similarity: float = 0.5) -> Passage:
    """A passage that says this."""
    return Passage(
        chunk_id=f"chunk of {title}",
        item_id=title,
        text=text,
        title=title,
        link=None,
        page=None,
        heading=heading,
        similarity=similarity,
    )
