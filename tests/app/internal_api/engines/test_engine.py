"""The words of the persona engine."""

from app.internal_api.engines.engine import EngineUnavailable


def test_an_unavailable_engine_says_whether_and_when_to_try_again() -> None:
    busy = EngineUnavailable("busy", retryable=True, retry_after=7)
    broken = EngineUnavailable("broken", retryable=False)

    assert (str(busy), busy.retryable, busy.retry_after) == ("busy", True, 7)
    assert (broken.retryable, broken.retry_after) == (False, None)
