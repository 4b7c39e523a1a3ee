"""What a refusal says of its source."""

import pytest

from app.internal_api.knowledge.documents import SourceRefused


@pytest.mark.parametrize(
    ("code", "status", "passing"),
    [
        ("timeout", None, True),
        ("unreachable", None, True),
        ("private_address", None, False),
        ("http_status", None, False),
        ("http_status", 404, False),
        ("http_status", 403, False),
        ("http_status", 408, True),
        ("http_status", 429, True),
        ("http_status", 500, True),
        ("http_status", 503, True),
        ("http_status", 302, False),
    ],
)
def test_only_what_may_be_different_the_next_time_is_worth_another_try(
    code: str, status: int | None, passing: bool
) -> None:
    assert SourceRefused(code, "Not read.", status=status).is_passing is passing
