"""Why somebody gave no answer is told in plain words, and of nobody who did."""

import pytest

from mcp_server.toolsets.panels._aggregation.reasons import failure, why
from mcp_server.toolsets.panels._study import Reply


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        ("timeout", None, "too slow"),
        ("timeout", "engine_error", "too slow"),
        ("failed", "not_ready", "not trained yet"),
        ("failed", "ODD", "ODD"),
        ("failed", None, "error"),
    ],
)
def test_a_failure_has_its_reason(status: str, error: str | None, told: str) -> None:
    reply = Reply("Zoe", "Owners", status=status, error=error)  # type: ignore[arg-type]  # a known status

    assert why(reply) == failure(reply) == told


@pytest.mark.parametrize("status", ["answered", "pending"])
def test_who_answered_or_may_still_answer_has_not_failed(status: str) -> None:
    assert failure(Reply("Zoe", "Owners", status=status)) == ""  # type: ignore[arg-type]  # a known status
