"""Results are closed and in camel case, and a figure that is not there is null and not missing."""

import pytest
from pydantic import BaseModel

from mcp_server.toolsets.panels import _results
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._study import AskedQuestion

MODELS = [
    model
    for model in vars(_results).values()
    if isinstance(model, type) and issubclass(model, BaseModel) and model.__module__ == _results.__name__
]


@pytest.mark.parametrize("model", MODELS)
def test_every_part_is_closed_and_every_field_always_there(model: type[BaseModel]) -> None:
    schema = model.model_json_schema(mode="serialization", by_alias=True)

    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == set(schema["properties"])
    assert all("_" not in name for name in schema["properties"])


def test_without_an_answer_the_figures_are_null() -> None:
    result = aggregate(AskedQuestion(id="1", text="On a scale of 1 to 5?", type="scale", scale=(1, 5)))

    told = result.model_dump(mode="json", by_alias=True)
    assert (told["overall"]["n"], told["overall"]["value"], told["overall"]["scale"]) == (0, None, None)
