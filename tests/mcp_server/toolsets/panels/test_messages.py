"""What the internal API refuses is said in words that a model can act on, and never in the API's own."""

import pytest

from mcp_server.errors import InvalidArguments, NotReady
from mcp_server.minds_api.refusals import UNREADABLE, Conflict, Missing, refusal
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.texts import WORDS
from mcp_server.toolsets.panels._results import QuestionResult
from mcp_server.toolsets.panels._study import AskedQuestion, QuestionStatus, Reply
from mcp_server.toolsets.panels._text import after_answer, explained


@pytest.mark.parametrize("reason", sorted(WORDS["refused"]))
def test_each_known_refusal_has_its_sentence(reason: str) -> None:
    failure = explained(refusal(400, {"data": {"code": reason}, "message": "secret"}))

    assert isinstance(failure, InvalidArguments)
    assert failure.message == WORDS["refused"][reason]


@pytest.mark.parametrize("reason", sorted(UNREADABLE))
def test_an_attachment_that_cannot_be_read_is_explained(reason: str) -> None:
    data = {"code": reason, "field": "attachments.2"}
    failure = explained(refusal(413 if reason == "too_large" else 400, {"data": data, "message": "secret"}))

    assert isinstance(failure, InvalidArguments)
    assert failure.message.startswith(f"attachments.2: {UNREADABLE[reason]}")
    assert "Nothing was asked" in failure.message


def test_who_is_not_trained_is_named_with_the_reason() -> None:
    waiting = [{"name": "Mia", "mindId": "m", "trainingStatus": "running"}, {"mindName": "Ben"}, {"mindId": "x"}]

    failure = explained(Conflict({"code": "PANEL_MINDS_NOT_READY", "notReady": waiting}))

    assert isinstance(failure, NotReady)
    assert "Mia (still being trained, id m), Ben (not trained)" in failure.message


@pytest.mark.parametrize(
    ("states", "advice"),
    [(["empty", "empty"], "add_knowledge"), (["empty", "failed"], "retrain"), (["empty", "running"], "Follow")],
)
def test_who_cannot_answer_yet_is_helped_by_what_keeps_them(states: list[str], advice: str) -> None:
    waiting = [{"name": "Mia", "trainingStatus": state} for state in states]

    failure = explained(Conflict({"code": "PANEL_MINDS_NOT_READY", "notReady": waiting}))

    assert "Mia (knows nothing yet)" in str(failure)
    assert advice in str(failure)


def result(status: QuestionStatus, value: str | None) -> QuestionResult:
    reply = Reply("P", "Owners", "1", value=value, status="answered" if value else "failed")
    return aggregate(AskedQuestion("1", "Why?", "scale", (1, 5), groups=("Owners",), replies=(reply,), status=status))


@pytest.mark.parametrize(
    ("status", "value", "word"),
    [
        ("completed", "4", "export_panel"),
        ("completed", None, "other words"),
        ("processing", "4", "get_panel_results"),
        ("failed", "4", "again"),
    ],
)
def test_each_end_has_its_next_step(status: QuestionStatus, value: str | None, word: str) -> None:
    assert word in after_answer(result(status, value), 3, 12, None)


def test_a_panel_that_was_deleted_meanwhile_is_not_to_be_asked_again() -> None:
    told = after_answer(result("failed", "4"), 3, 12, Missing("x"))

    assert "list_panels" in told
    assert "Ask it again" not in told
