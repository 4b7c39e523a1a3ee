"""What may be asked of a study, and in which forms."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.internal_api.models.asking import AskedClassification, AskStudy, ErrorEvent, QueuedAsk, StartEvent

LINK = "https://example.com/tea"


def _asked(**body: Any) -> AskStudy:
    return AskStudy.model_validate({"question": "Tea?", **body})


def test_only_the_question_is_needed() -> None:
    asked = _asked()

    assert (asked.question, asked.audience_ids, asked.response_mode, asked.history_mode) == (
        "Tea?",
        None,
        "stream",
        "none",
    )
    assert (asked.response_form, asked.source_policy, asked.client_request_id) == ("standard", None, None)


def test_null_is_the_same_as_absent_and_what_is_unknown_is_ignored() -> None:
    body = {"audienceIds": None, "classification": None, "model": None, "provider": None, "colour": "green"}

    assert _asked(**body) == _asked()


def test_links_and_keywords_may_be_plain_text() -> None:
    asked = _asked(links=[LINK, {"url": LINK, "label": "Tea"}], keywords=["price", {"label": "taste"}, {"url": LINK}])

    assert [(link.url, link.label) for link in asked.links] == [(LINK, ""), (LINK, "Tea")]
    assert [(word.url, word.label) for word in asked.keywords] == [(None, "price"), (None, "taste"), (LINK, "")]


def test_a_model_and_its_provider_come_together() -> None:
    assert _asked(model="m", provider="openai").model == "m"
    for alone in ({"model": "m"}, {"provider": "openai"}):
        with pytest.raises(ValidationError):
            _asked(**alone)


def test_a_classification_is_taken_as_it_was_sent_and_looked_at_later() -> None:
    taken: Any = _asked(classification="nonsense").classification
    assert taken == "nonsense"
    given = AskedClassification.model_validate({"type": "scale", "scaleRange": [1, 7]})
    assert (given.type, given.scale_range, given.options, given.most) == ("scale", (1.0, 7.0), (), None)


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\ud800"])
def test_an_option_that_no_answer_could_be_stored_as_is_refused(sign: str) -> None:
    with pytest.raises(ValidationError):
        AskedClassification.model_validate({"options": [f"Green{sign}", "Black"]})


@pytest.mark.parametrize("count", [1, 10_000])
def test_a_question_has_at_most_ten_thousand_characters(count: int) -> None:
    assert len(_asked(question=f"\n{'a' * count} ").question) == count
    with pytest.raises(ValidationError):
        _asked(question="a" * 10_001)


def test_receipts_and_events_are_written_in_the_words_of_the_contract() -> None:
    receipt = QueuedAsk(job_id="j", count=2, question_block_id="q", question_audience_id="q", client_request_id=None)

    assert receipt.model_dump(by_alias=True) == {
        "status": "queued",
        "jobId": "j",
        "count": 2,
        "questionBlockId": "q",
        "questionAudienceId": "q",
        "clientRequestId": None,
        "queuedMessage": True,
    }
    start = StartEvent(total=2, question_block_id="q", client_request_id="r").model_dump(by_alias=True)
    assert start == {"type": "start", "total": 2, "questionBlockId": "q", "clientRequestId": "r"}
    error = ErrorEvent(status=503, message="Later").model_dump(by_alias=True)
    assert error == {"type": "error", "status": 503, "message": "Later"}
