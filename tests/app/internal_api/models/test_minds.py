"""What a request to create a mind may say."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.internal_api.models.minds import CreateMind

BODY = {"name": "Ada", "discipline": "Tea", "keywords": ["oolong"]}


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "manual", "keywords": []},
        {"mode": "clone", "personaContext": "Born in Leith."},
        {"mode": "link", "contextLink": "https://example.com"},
        {"mode": "link", "link": "https://example.com"},
        {"name": "Ad"},
        {"name": "A" * 100},
        {"tags": [f"t{number}" for number in range(20)]},
        {"locale": "de"},
        {"locale": "pt-BR"},
    ],
)
def test_what_the_contract_allows_is_taken(change: dict[str, Any]) -> None:
    CreateMind.model_validate({**BODY, **change})


@pytest.mark.parametrize("change", [{"locale": "german"}, {"tags": [""]}, {"keywords": ["\n"]}, {"name": "  A  "}])
def test_what_it_does_not_allow_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CreateMind.model_validate({**BODY, **change})
