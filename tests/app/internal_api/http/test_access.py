"""Who may reach a mind, in every combination."""

from dataclasses import replace

import pytest

from app.internal_api.http.access import digest, may_reach
from app.internal_api.models.minds import CreateMind
from app.internal_api.principals import Principal
from app.internal_api.resources.minds import draft_mind
from tests.app.internal_api.support import ADA, BOB, DEMO, KEYWORDS

LASTING = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)
FLEETING = replace(LASTING, owner_id=DEMO.user_id, demo_token_hash=digest("token"), demo_expires_at=100)


@pytest.mark.parametrize(
    ("principal", "token", "now", "reached"),
    [
        (DEMO, "token", 99, True),
        (DEMO, "token", 100, False),
        (DEMO, "TOKEN", 99, False),
        (DEMO, "", 99, False),
        (DEMO, None, 99, False),
        (replace(DEMO, demo=False), "token", 99, False),
        (ADA, "token", 99, False),
    ],
)
def test_a_demo_mind_is_reached_by_a_visitor_with_its_token_in_time(
    principal: Principal, token: str | None, now: int, reached: bool
) -> None:
    assert may_reach(principal, token, FLEETING, now) is reached


@pytest.mark.parametrize(
    ("principal", "reached"), [(ADA, True), (BOB, False), (DEMO, False), (replace(ADA, demo=True), False)]
)
def test_a_lasting_mind_is_reached_by_its_owner_only(principal: Principal, reached: bool) -> None:
    assert may_reach(principal, "token", LASTING, 0) is reached
