"""The vocabulary."""

import pytest

from mcp_server.audit.entries import CONTROL, WRITTEN_FIRST, Event


@pytest.mark.requirement("seed:gateway:audit-auth-attempt", "seed:gateway:utility-audit")
def test_the_words_of_the_seed_are_there() -> None:
    seed = ["authAttempt", "authFailure", "toolInvoke", "toolSuccess", "toolFailure", "rateLimitExceeded"]

    assert [*seed, "internalError"] == [str(event) for event in Event][:7]


def test_what_the_log_says_of_itself_keeps_no_answer_waiting() -> None:
    assert not CONTROL & WRITTEN_FIRST
    assert all(str(event).startswith("audit") for event in CONTROL)
