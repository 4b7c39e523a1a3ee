"""What a status means."""

import pytest

from app.internal_api.engines.chat.failures import LONGEST_WAIT, refusal


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (301, False),
        (400, False),
        (401, False),
        (403, False),
        (404, False),
        (408, True),
        (429, True),
        (500, True),
        (503, True),
    ],
)
def test_only_what_passes_by_itself_is_worth_another_try(status: int, retryable: bool) -> None:
    assert refusal(status, None).retryable is retryable


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("999999", LONGEST_WAIT),
        ("9" * 5000, None),
        ("-1", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_the_wait_is_taken_when_it_is_a_number_of_seconds(header: str | None, seconds: int | None) -> None:
    assert refusal(429, header).retry_after == seconds
