"""A function is read once: what the model gives, what the runtime gives, and what both schemas say."""

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from mcp_server.errors import InvalidArguments
from mcp_server.toolkit.signature import PROVIDED, compact_schema, input_schema, output_schema, read_signature


class Service:
    """What the runtime provides."""


class Result(BaseModel):
    title: str
    count: int = 0


def even(value: int) -> int:
    if value % 2:
        message = "must be even"
        raise ValueError(message)
    return value


async def tool(
    service: Annotated[Service, PROVIDED],
    *,
    name: Annotated[str, Field(min_length=2, description="Who.")],
    kind: Literal["a", "b"] = "a",
    size: Annotated[int, AfterValidator(even)] = 2,
) -> Result:
    """Do it."""
    return Result(title=f"{service}{name}{kind}{size}")


SIGNATURE = read_signature(tool)


def test_the_input_schema_is_a_closed_object() -> None:
    assert input_schema(SIGNATURE) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2, "description": "Who."},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "size": {"type": "integer", "default": 2},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_tool_without_arguments_takes_an_empty_object_and_one_without_a_model_has_no_output_schema() -> None:
    async def bare() -> Any:
        return None

    assert output_schema(read_signature(bare)) is None
    assert input_schema(read_signature(bare)) == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("content", "valid"),
    [
        ({"title": "x", "count": 1}, True),
        ({"error": {"code": "not_found", "message": "…", "suggestions": ["a"]}}, True),
        ({"error": {"code": "not_found"}}, False),
        ({"count": 1}, False),
        ({}, False),
    ],
)
def test_the_output_schema_takes_the_result_or_a_failure(content: dict[str, Any], valid: bool) -> None:
    schema = output_schema(SIGNATURE)

    assert schema is not None
    assert Draft202012Validator(schema).is_valid(content) is valid


def test_generated_titles_go_and_properties_called_title_stay() -> None:
    schema = {"title": "T", "properties": {"title": {"title": "Title", "type": "string"}}, "anyOf": [{"title": "x"}]}

    assert compact_schema(schema) == {"properties": {"title": {"type": "string"}}, "anyOf": [{}]}


@pytest.mark.requirement("seed:gateway:utility-validation")
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (None, "name is required"),
        ({}, "name is required"),
        ({"name": "x"}, "name: string should have at least 2 characters"),
        ({"name": "xy", "kind": "c"}, "kind: input should be 'a' or 'b'"),
        ({"name": "xy", "size": 3}, "size: must be even"),
        ({"name": "xy", "other": 1}, "other is not an argument; known are name, kind, size"),
        ({"name": "xy", "service": 1}, "service is not an argument; known are name, kind, size"),
        ({"name": 1, "kind": 2}, "name: input should be a valid string; kind: input should be 'a' or 'b'"),
    ],
)
def test_each_fault_is_named_with_what_would_be_right(raw: dict[str, Any] | None, said: str) -> None:
    with pytest.raises(InvalidArguments) as failure:
        SIGNATURE.validate(raw)

    assert failure.value.message == said


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = ""
    ids: list[str] = Field(default_factory=list, alias="sparkIds")


async def nested(*, parts: list[Part] | None = None, part: Part | None = None) -> Result:
    return Result(title=str(parts or part))


def test_null_is_taken_for_what_may_be_left_out_and_not_advertised() -> None:
    signature = read_signature(nested)

    assert signature.validate({"parts": None}) == {"parts": None, "part": None}
    assert input_schema(signature)["properties"]["parts"] == {"type": "array", "items": {"$ref": "#/$defs/Part"}}
    assert SIGNATURE.validate({"name": "Ada", "kind": None, "size": None}) == {"name": "Ada", "kind": "a", "size": 2}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"parts": [{}, {"personas": 1}]}, "parts.1.personas is not an argument; known are name, sparkIds"),
        ({"part": {"x": 1}}, "part.x is not an argument; known are name, sparkIds"),
    ],
)
def test_an_unknown_argument_of_a_part_comes_with_the_names_of_that_part(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArguments) as failure:
        read_signature(nested).validate(raw)

    assert failure.value.message == said


def test_many_faults_are_cut_short_and_long_names_too() -> None:
    with pytest.raises(InvalidArguments) as failure:
        SIGNATURE.validate({f"{'x' * 500}{number}": 1 for number in range(50)})

    assert "and 46 more" in failure.value.message
    assert len(failure.value.message) < 1_000


def test_a_value_that_is_refused_is_not_repeated() -> None:
    with pytest.raises(InvalidArguments) as failure:
        SIGNATURE.validate({"name": "xy", "size": "sk-very-secret"})

    assert "sk-very-secret" not in failure.value.message


@given(st.dictionaries(st.sampled_from(["name", "kind", "size", "x"]), st.none() | st.text() | st.integers()))
def test_whatever_is_given_is_bound_or_refused(raw: dict[str, Any]) -> None:
    try:
        bound = SIGNATURE.validate(raw)
    except InvalidArguments:
        return

    assert set(bound) == {"name", "kind", "size"}


def test_a_parameter_and_a_result_without_a_type_are_refused_at_once() -> None:
    async def untyped(name) -> Result:  # type: ignore[no-untyped-def]  # noqa: ANN001  that it has none is the point
        return Result(title=name)

    async def endless():  # type: ignore[no-untyped-def]  # noqa: ANN202  that it has none is the point
        return 1

    for function in (untyped, endless):
        with pytest.raises(TypeError):
            read_signature(function)
