"""A failed training is told by stable words only, and each known word has advice of its own."""

import pytest

from mcp_server.minds_api.refusals import UNREADABLE
from mcp_server.toolsets.personas._causes import ADVICE, CAUSES, read_failure

PLAIN = CAUSES["COLLECTION_FAILED"]


@pytest.mark.parametrize("reason", UNREADABLE)
def test_each_known_reason_has_its_explanation_and_advice(reason: str) -> None:
    told = read_failure({"code": "COLLECTION_FAILED", "retryable": True, "reason": reason})

    assert (told.explanation, told.what_to_do) == (UNREADABLE[reason], ADVICE[reason])


@pytest.mark.parametrize("reason", [None, "odd", "<b>private_address</b>", 7])
def test_a_reason_that_is_not_known_leaves_the_general_words(reason: object) -> None:
    told = read_failure({"code": "COLLECTION_FAILED", "retryable": True, "reason": reason})

    assert (told.explanation, told.what_to_do) == PLAIN


def test_a_reason_speaks_for_the_sources_only() -> None:
    told = read_failure({"code": "TIMEOUT", "retryable": True, "reason": "private_address"})

    assert (told.explanation, told.what_to_do) == CAUSES["TIMEOUT"]
