"""What a client's own model replies, whatever is in it."""

from typing import Any, cast

import mcp_types as types
import pytest
from mcp.server.context import ServerRequestContext

from mcp_server.protocol.direct import SILENT
from mcp_server.toolkit.sampling import InputRequired, Sampling

PROMPTS = [{"id": name, "messages": [{"role": "user", "content": "When?"}]} for name in ("a", "b", "c")]
MODERN: dict[str, Any] = {types.CLIENT_CAPABILITIES_META_KEY: {"sampling": {}}}


def sampling(responses: Any, *, most: int = 24, meta: Any = MODERN, version: str = "2026-07-28") -> Sampling:
    context = ServerRequestContext(
        session=SILENT,
        lifespan_context=None,
        protocol_version=version,
        method="tools/call",
        params={"inputResponses": responses},
        request_id=1,
        meta=cast("types.RequestParamsMeta", meta),
        request=None,
    )
    return Sampling(context, most)


def reply(said: str, model: str = "m", kind: str = "text") -> dict[str, Any]:
    content = (
        {"type": "text", "text": said} if kind == "text" else {"type": kind, "data": "AA==", "mimeType": "image/png"}
    )
    return {"role": "assistant", "model": model, "content": content}


async def test_a_control_character_costs_no_reply_and_no_other_one() -> None:
    told = await sampling({"a": reply("at\x00four"), "b": reply("at\nfive")}).replies(PROMPTS)

    assert told == {"sampled": {"model": "m", "replies": {"a": "at four", "b": "at\nfive", "c": ""}}}


@pytest.mark.parametrize(
    ("model", "shown"), [("", "unknown"), (" \n", "unknown"), ("\u202ea\nb", "ab"), ("m" * 300, "m" * 100)]
)
async def test_the_name_of_the_model_is_one_line(model: str, shown: str) -> None:
    told = await sampling({"a": reply("yes", model)}).replies(PROMPTS)

    assert told["sampled"]["model"] == shown


async def test_a_prompt_without_a_text_for_an_answer_is_told_as_asked_and_no_other_one_is() -> None:
    responses = {"a": reply("", kind="image"), "b": reply("  "), "c": "nonsense", "other": reply("x")}

    told = await sampling(responses).replies(PROMPTS)

    assert told == {"sampled": {"model": "m", "replies": {"a": "", "b": "", "c": ""}}}


async def test_where_there_is_nothing_to_ask_nothing_is_told() -> None:
    assert await sampling({}).replies([]) == {}


async def test_a_client_is_asked_for_the_first_prompts_only() -> None:
    with pytest.raises(InputRequired) as asked:
        await sampling({"other": reply("x")}, most=2).replies(PROMPTS)

    assert [*(asked.value.result.input_requests or {})] == ["a", "b"]


@pytest.mark.parametrize(
    ("most", "meta", "version"),
    [(0, MODERN, "2026-07-28"), (24, {}, "2026-07-28"), (24, None, "2026-07-28"), (24, MODERN, "2025-11-25")],
)
def test_nobody_is_asked_who_does_not_offer_it(most: int, meta: Any, version: str) -> None:
    assert sampling({}, most=most, meta=meta, version=version).is_offered is False
