"""The refusal says its code and what to do."""

from app.internal_api.panels.understanding.words import INVALID_SCALE, MakesNoSense


def test_a_refusal_carries_a_stable_code_and_words_for_people() -> None:
    refused = MakesNoSense(INVALID_SCALE, "Use 1 to 10.")

    assert (refused.code, refused.message, str(refused)) == ("INVALID_SCALE", "Use 1 to 10.", "Use 1 to 10.")
