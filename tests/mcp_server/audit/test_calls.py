"""Who did what, and what came of it: one line a call, without the arguments."""

import pytest
from structlog.testing import capture_logs

from tests.edge import ERAS, Edge


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "event", "outcome", "reason"),
    [
        ("private", "tool_success", "success", None),
        ("fail", "tool_failure", "failure", "not_found"),
        ("hurry", "tool_failure", "refused", "TIMEOUT"),
        ("crash", "tool_failure", "error", "INTERNAL_ERROR"),
    ],
)
async def test_a_call_is_one_line(
    edge: Edge, tool: str, event: str, outcome: str, reason: str | None, era: str
) -> None:
    with capture_logs() as lines:
        await edge.call(tool, era=era, key=edge.key)

    (line,) = [line for line in lines if line["event"] in {"tool_success", "tool_failure"}]
    assert (line["event"], line["tool"], line["outcome"], line["reason"]) == (event, tool, outcome, reason)
    assert line["subject"]
    assert line["client"].startswith("c")
    assert line["protocol"] == era


async def test_arguments_are_a_digest_that_tells_two_calls_apart(edge: Edge) -> None:
    with capture_logs() as lines:
        for text in ("a secret wish", "a secret wish", "another"):
            await edge.call("say", {"text": text})

    digests = [line["arguments"] for line in lines if line["event"] == "tool_success"]
    assert digests[0] == digests[1] != digests[2]
    assert "secret wish" not in str(lines)
    assert {line["subject"] for line in lines if line["event"] == "tool_success"} == {None}, "a visitor is nobody"
