"""Arguments of panels are taken as people write them, and refused with words that say what is allowed."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from mcp_server.toolsets.panels._arguments import GroupConfig, ScaleArgument

config = TypeAdapter(GroupConfig)
scale = TypeAdapter[Any](ScaleArgument)


def test_a_group_takes_ids_and_names() -> None:
    group = config.validate_python({"name": " Owners ", "sparkIds": ["1"], "sparkNames": ["Mia"]})

    assert (group.name, group.personas) == ("Owners", ("1", "Mia"))
    assert config.validate_python({"mindIds": ["1"]}).personas == ("1",)


@pytest.mark.parametrize("given", [{"sparkIds": "1"}, {"members": ["1"]}, {"sparkNames": [""]}, 7])
def test_what_is_no_group_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        config.validate_python(given)


@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 10), (-5, 5), (0, 100)])
def test_a_scale_ascends(low: int, high: int) -> None:
    assert scale.validate_python([low, high]) == scale.validate_python({"min": low, "max": high})


@pytest.mark.parametrize(
    "given", [[1], [1, 5, 10], [10, 1], "1 to 10", 10, {"min": 5, "max": 5}, [0, 101], ["a", 5], [1, 5.5]]
)
def test_a_scale_that_makes_no_sense_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        scale.validate_python(given)
