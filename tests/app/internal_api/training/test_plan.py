"""Which stages are left, and how far they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.training.plan import STAGES, progress, remaining


@pytest.mark.parametrize("kind", list(STAGES))
def test_a_new_job_has_all_its_stages_to_do(kind: str) -> None:
    assert remaining(kind, "queued") == STAGES[kind]


def test_a_job_that_was_cut_off_begins_with_the_stage_it_was_in() -> None:
    assert remaining("training", "index") == ("index", "prompt")
    assert remaining("knowledge", "collect") == ("collect", "index", "prompt")


@given(st.data())
def test_progress_rises_with_the_work_and_is_never_complete(data: st.DataObject) -> None:
    total = data.draw(st.integers(0, 50))
    steps = [progress(stage, done, total) for stage in STAGES["training"] for done in range(total + 1)]

    assert steps == sorted(steps)
    assert steps[0] > 0
    assert steps[-1] < 100
