"""What identifies a persona, and what was said before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mcp_server.toolsets.personas._arguments import SparkId, Turn

spark_id = TypeAdapter[str](SparkId)


@given(st.uuids())
def test_every_uuid_passes_in_its_canonical_form(identity: object) -> None:
    assert spark_id.validate_python(str(identity).upper()) == str(identity)


@given(st.text(max_size=30))
def test_other_text_is_no_id(text: str) -> None:
    with pytest.raises(ValidationError):
        spark_id.validate_python(text)


def test_a_turn_takes_what_clients_add_and_leaves_it() -> None:
    turn = Turn.model_validate({"role": "user", "content": " Hi ", "timestamp": 1})

    assert turn.model_dump() == {"role": "user", "content": "Hi"}
