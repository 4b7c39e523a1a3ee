"""What a request becomes, before anything is stored."""

import pytest

from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind, first_item, first_job, keywords_text, link_item
from tests.app.internal_api.support import KEYWORDS, LINKED

CLONE = {**KEYWORDS, "mode": "clone", "personaContext": "Born in Leith.", "description": "A poet"}


@pytest.mark.parametrize(
    ("body", "real"), [(KEYWORDS, False), (CLONE, True), ({**CLONE, "isRealPerson": False}, False)]
)
def test_a_clone_is_a_real_person_unless_it_is_said(body: dict[str, object], real: bool) -> None:
    assert draft_mind(CreateMind.model_validate(body), "owner", 0).is_real_person is real


def test_the_profile_is_fed_by_what_the_owner_said_and_not_by_the_default_description() -> None:
    said = draft_mind(CreateMind.model_validate(CLONE), "owner", 0)
    unsaid = draft_mind(CreateMind.model_validate(KEYWORDS), "owner", 0)

    assert (said.context, unsaid.context) == ("Born in Leith.\n\nA poet", "")


def test_the_same_keywords_make_the_same_text() -> None:
    mind = draft_mind(CreateMind.model_validate({**KEYWORDS, "description": "Likes leaves."}), "owner", 0)

    assert keywords_text(mind, ("oolong",)) == "Ada's field is Tea.\n\nLikes leaves.\n\nAda knows about oolong."


def test_each_mode_has_its_first_knowledge() -> None:
    kinds = {}
    for body in (KEYWORDS, CLONE, LINKED, {**KEYWORDS, "mode": "manual"}):
        asked = CreateMind.model_validate(body)
        first = first_item(asked, draft_mind(asked, "owner", 0), 0)
        kinds[asked.mode] = None if first is None else (first[0].source_type, first[1] is not None)

    assert kinds == {
        "keywords": ("keywords", True), "clone": ("persona", True), "link": ("link", False), "manual": None,
    }  # fmt: skip


def test_a_link_is_called_by_its_host_until_it_is_read() -> None:
    item = link_item("mind", "https://tea.example.com/a", 0, description="", regenerate_prompt=True)

    assert (item.title, item.description) == ("tea.example.com", "https://tea.example.com/a")
    assert item.regenerate_prompt is True


def test_only_a_manual_mind_begins_with_a_failure() -> None:
    jobs = {}
    for body in (KEYWORDS, {**KEYWORDS, "mode": "manual"}):
        asked = CreateMind.model_validate(body)
        job = first_job(asked, draft_mind(asked, "owner", 0), 7)
        jobs[asked.mode] = (job.status, job.error_code, job.completed_at)

    assert jobs == {"keywords": ("queued", None, None), "manual": ("failed", "PROFILE_GEN_FAILED", 7)}
