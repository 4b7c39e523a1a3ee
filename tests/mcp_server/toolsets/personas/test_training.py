"""A training is read for what it is: never ready without a word, never further than told."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.minds_api.refusals import UNREADABLE
from mcp_server.toolkit.json_coercion import word
from mcp_server.toolsets.personas._wire import ADVICE, CAUSES, read_failure, read_training
from tests.mcp_server.toolsets.personas.world import failed, training

statuses = st.sampled_from(["idle", "queued", "running", "completed", "failed", "", "odd", None, 7])
states = st.lists(st.sampled_from(["queued", "running", "completed", "failed", "odd"]), max_size=9)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "status": statuses,
            "readyToChat": st.booleans() | st.none() | st.text(max_size=3),
            "progress": st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.none() | st.booleans(),
            "stage": st.text(max_size=8) | st.none(),
            "error": st.none() | st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
        },
    ),
    st.none() | states,
)
def test_whatever_is_told_stays_within_the_truth(told: dict[str, Any], items: list[str] | None) -> None:
    read = read_training(told, items)

    assert read.progress is None or 0 <= read.progress <= 100
    assert (read.progress == 100) == (read.status == "completed")
    assert not (read.ready_to_chat and told.get("status") not in {"queued", "running", "completed", "failed"})
    assert (read.failure is not None) == (read.status == "failed")
    assert (read.poll_after_ms is None) == (read.status in {"completed", "failed", "empty"} or not word(told, "status"))
    assert read.phrase().endswith(".")
    assert read.next_step()


@pytest.mark.parametrize(
    ("told", "ready"),
    [
        (training("completed"), True),
        (training("completed", ready=False), False),
        ({"status": "completed"}, True),
        ({"status": "running"}, False),
        (training("running", ready=True), True),
        ({**failed("TIMEOUT"), "readyToChat": True}, True),
        ({"status": "idle", "readyToChat": True}, False),
        ({"readyToChat": True}, False),
        ({}, False),
    ],
)
def test_ready_is_what_was_said_of_a_training_that_exists(told: dict[str, Any], ready: bool) -> None:
    assert read_training(told).ready_to_chat is ready


@pytest.mark.parametrize(
    ("told", "items", "progress", "estimated"),
    [
        (training("running", progress=43), ["completed"], 43, False),
        (training("running", progress=43.6), None, 44, False),
        (training("running", progress=100), None, 99, False),
        (training("running"), ["completed", "failed", "running", "queued"], 50, True),
        (training("running"), ["completed"], 99, True),
        (training("running"), [], 0, True),
        (training("running"), None, None, False),
        (training("queued"), ["completed"], 0, False),
        (training("completed"), None, 100, False),
        (training("completed", progress=7), None, 100, False),
        (failed("TIMEOUT"), ["completed", "running"], 50, True),
    ],
)
def test_progress_is_told_or_estimated_and_marked(
    told: dict[str, Any], items: list[str] | None, progress: int | None, estimated: bool
) -> None:
    read = read_training(told, items)

    assert (read.progress, read.progress_estimated) == (progress, estimated)


def test_a_stage_is_a_known_one_and_never_behind_the_status() -> None:
    assert read_training(training("running", stage="<b>")).stage is None
    assert read_training(training("completed", stage="prompt")).stage == "completed"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (training("completed"), "Talk to it with talk_to_ai_persona."),
        (training("running", ready=True), "Talk to it with talk_to_ai_persona."),
        (training("queued"), "again in 3 seconds"),
        ({"status": "paused"}, "again in 3 seconds"),
        ({}, "Try talk_to_ai_persona"),
        (failed("TIMEOUT"), "Create it again"),
        (training("completed", ready=False), "with more material"),
    ],
)
def test_the_next_step_fits_the_state(told: dict[str, Any], said: str) -> None:
    assert said in read_training(told).next_step()


@pytest.mark.parametrize("retryable", [True, False])
@pytest.mark.parametrize("reason", UNREADABLE)
def test_each_known_reason_has_its_explanation_and_one_advice(reason: str, retryable: bool) -> None:
    failure = read_failure({"code": "COLLECTION_FAILED", "retryable": retryable, "reason": reason})

    assert (failure.explanation, failure.what_to_do) == (UNREADABLE[reason], ADVICE[reason])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        *(("COLLECTION_FAILED", reason) for reason in (None, "odd", "<b>private_address</b>", 7)),
        ("TIMEOUT", "private_address"),  # a reason speaks for the sources only
    ],
)
def test_any_other_reason_leaves_the_words_of_the_code(code: str, reason: object) -> None:
    failure = read_failure({"code": code, "retryable": True, "reason": reason})

    assert {"explanation": failure.explanation, "advice": failure.what_to_do} == CAUSES[code]
