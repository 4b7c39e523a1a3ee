"""Optional fields of the contract are left out where there is nothing to say, and never null."""

import pytest

from app.internal_api.models.outputs import Classification, absent


@pytest.mark.parametrize(("value", "left_out"), [(None, True), ([], False), ("", False), (0, False)])
def test_only_what_is_not_known_is_left_out(value: object, left_out: bool) -> None:
    assert absent(value) is left_out


def test_a_field_that_is_left_out_is_not_in_the_json_and_not_required_in_its_schema() -> None:
    assert Classification(type="qualitative").model_dump(mode="json", by_alias=True) == {"type": "qualitative"}
    assert Classification.model_json_schema(mode="serialization")["required"] == ["type"]
