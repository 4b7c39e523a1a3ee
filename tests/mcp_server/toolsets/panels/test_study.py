"""The words that everything else is made from have safe defaults: nothing is known until it is told."""

from mcp_server.toolsets.panels._study import AskedQuestion, Reply, Study


def test_a_reply_claims_nothing_that_was_not_told() -> None:
    reply = Reply(persona="Mia", group="Owners")

    assert (reply.persona_id, reply.value, reply.sentiment, reply.origin, reply.sources) == (None, None, None, None, ())


def test_a_question_has_no_scale_and_no_options_until_they_are_known() -> None:
    question = AskedQuestion(id="1", text="Why?", type="qualitative")

    assert (question.scale, question.options, question.replies, question.notes) == (None, (), (), ())


def test_equal_panels_are_equal() -> None:
    assert Study("1", "Pricing") == Study("1", "Pricing")
