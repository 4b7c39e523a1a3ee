"""What a request to talk may say."""

from app.internal_api.models.completion import CompletionRequest, Message


def test_text_and_parts_are_the_same_words() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]

    assert Message.model_validate({"role": "user", "content": "one\ntwo"}).text == "one\ntwo"
    assert Message.model_validate({"role": "user", "content": parts}).text == "one\ntwo"


def test_plain_text_may_be_asked_for_by_name_and_nothing_means_a_greeting() -> None:
    asked = CompletionRequest.model_validate({"response_format": {"type": "text"}, "model": "any", "tools": None})

    assert (asked.messages, asked.response_mode, asked.citation_markers) == ((), "sync", "inline")
