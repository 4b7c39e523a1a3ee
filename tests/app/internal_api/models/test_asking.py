"""What may be asked of a study, and in which forms."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.internal_api.models.asking import AskStudy, GivenClassification

LINK = "https://example.com/tea"


def _asked(**body: Any) -> AskStudy:
    return AskStudy.model_validate({"question": "Tea?", **body})


def test_links_and_keywords_may_be_plain_text() -> None:
    asked = _asked(links=[LINK, {"url": LINK, "label": "Tea"}], keywords=["price", {"label": "taste"}, {"url": LINK}])

    assert [(link.url, link.label) for link in asked.links] == [(LINK, ""), (LINK, "Tea")]
    assert [(word.url, word.label) for word in asked.keywords] == [(None, "price"), (None, "taste"), (LINK, "")]


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\ud800"])
def test_an_option_that_no_answer_could_be_stored_as_is_refused(sign: str) -> None:
    with pytest.raises(ValidationError):
        GivenClassification.model_validate({"options": [f"Green{sign}", "Black"]})
