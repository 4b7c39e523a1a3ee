"""A study of audiences as it is asked for."""

from uuid import uuid4

import pytest
from pydantic import ValidationError

from app.internal_api.models.studies import AudienceConfig, CreateStudy, apart

MIND = str(uuid4())


def _config(name: str) -> AudienceConfig:
    return AudienceConfig(name=name, mind_ids=(MIND,))


@pytest.mark.parametrize("names", [("a", "a"), ("a", "b", "A"), ("Straße", "STRASSE")])
def test_names_that_differ_in_case_only_are_the_same(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="named"):
        apart(tuple(_config(name) for name in names))


def test_names_that_differ_are_kept_in_their_order() -> None:
    configs = (_config("b"), _config("a"))

    assert apart(configs) == configs


def test_a_study_names_each_audience_once() -> None:
    audience_id = str(uuid4())

    asked = CreateStudy.model_validate({"name": "Tea", "audienceIds": [audience_id, audience_id.upper()]})

    assert (asked.audience_ids, asked.audience_configs) == ((audience_id,), ())


def test_an_audience_of_nobody_is_refused() -> None:
    with pytest.raises(ValidationError, match="at least one mind"):
        CreateStudy.model_validate({"name": "Tea", "audienceConfigs": [{"name": "a", "mindIds": []}]})
