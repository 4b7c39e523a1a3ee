"""Each answer reads well without a user interface, and its schema is closed and complete."""

import pytest
from pydantic import BaseModel, SecretStr

from mcp_server.toolkit.answers import Answer
from mcp_server.toolsets.personas.models import (
    Citation,
    CreatedPersona,
    PersonaRow,
)


def row(name: str) -> PersonaRow:
    return PersonaRow(id="1", name=name, discipline=None, type=None, description=None, created_at=None, tags=[])


def created(token: SecretStr | None) -> CreatedPersona:
    return CreatedPersona(
        spark_id="1",
        name="Ada",
        message="Created.",
        duplicate=False,
        demo=None,
        demo_token=token,
        status="queued",
        stage=None,
        progress=None,
        progress_estimated=False,
        ready_to_chat=False,
        poll_after_ms=None,
    )


def models(root: type[BaseModel] = Answer) -> list[type[BaseModel]]:
    return [root, *(model for child in root.__subclasses__() for model in models(child))]


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_every_part_of_an_answer_is_closed_and_always_complete(model: type[BaseModel]) -> None:
    schema = model.model_json_schema(mode="serialization", by_alias=True)

    for part in [schema, *schema.get("$defs", {}).values()]:
        assert part["additionalProperties"] is False
        assert sorted(part.get("required", [])) == sorted(part.get("properties", {}))


def test_the_demo_token_is_in_no_schema_no_content_and_no_text() -> None:
    answer = created(SecretStr("very-secret"))

    assert "demo" in answer.model_dump(by_alias=True)
    assert "very-secret" not in answer.model_dump_json() + answer.as_text() + repr(answer)
    assert "demoToken" not in CreatedPersona.model_json_schema(mode="serialization")["properties"]
    assert answer.for_widget() == {"minds/demoToken": "very-secret"}


def test_a_discipline_that_is_only_the_name_again_is_not_shown() -> None:
    assert row("Ada").model_copy(update={"discipline": "Ada", "type": "user"}).line() == "- Ada (user) [id 1]"


def test_a_footnote_has_what_is_known_of_its_source() -> None:
    known = Citation(index=1, title="Notes", link="https://e.com", page=2, snippet="So it is.", similarity=0.5)
    unknown = Citation(index=2, title="Letters", link=None, page=None, snippet=None, similarity=None)

    assert known.line() == '[1] Notes, page 2 https://e.com\n    "So it is."'
    assert unknown.line() == "[2] Letters"
