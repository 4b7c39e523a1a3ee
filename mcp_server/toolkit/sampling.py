"""The client's own language model, asked for what the personas have none for (MCP, client feature Sampling)."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcp_server.toolkit.json_coercion import items, mapping, prose, text
from mcp_server.upstream.deadline import time_left

AT_ONCE = 4
MOST_TOKENS = 1_000  # of one reply
KEPT_BACK = 10.0  # seconds of the call's time that are left for what is done with the replies
LONGEST_REPLY, LONGEST_NAME = 20_000, 100  # characters of a reply, and of the name of a model

Prompt = Mapping[str, Any]
"""What the internal API would ask a model: `id`, and `messages` of a role and a content each."""


class InputRequired(Exception):
    """The 2026 era's way to ask a client: the call ends with these requests, and is repeated with the responses."""

    def __init__(self, requests: Mapping[str, types.CreateMessageRequest]) -> None:
        super().__init__("the client's model is asked")
        self.result = types.InputRequiredResult(input_requests=dict(requests))


class Sampling:
    """Asks the model of the client that made this call, at most `most` times; nobody where it offers none."""

    def __init__(self, ctx: ServerRequestContext[Any, Any], most: int) -> None:
        self._ctx, self._most = ctx, most
        self._is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def is_offered(self) -> bool:
        """Whether the settings allow it and the client declares it, in the 2026 era with each request."""
        if self._is_modern:
            declared = mapping(mapping(self._ctx.meta).get(types.CLIENT_CAPABILITIES_META_KEY))
            return self._most > 0 and "sampling" in declared
        session = self._ctx.session
        if self._most == 0 or not session.can_send_request or session.client_capabilities is None:
            return False
        return session.client_capabilities.sampling is not None

    async def replies(self, prompts: Sequence[Prompt]) -> dict[str, Any]:
        """The `model` and its `replies` by the ids of `prompts`, as `sampled`; one that says nothing was asked in vain.

        Raises InputRequired: the client has to be asked first, and then to call again.
        """
        asked = {str(text(one, "id")): _request(one) for one in prompts[: self._most]}
        if not asked:
            return {}
        given = await (self._returned(asked) if self._is_modern else self._requested(asked))
        # The client wrote it: one control character must not cost all the other replies.
        said = {key: prose(one.content.model_dump(), "text", LONGEST_REPLY) or "" for key, one in given.items()}
        model = next((one.model for one in given.values()), "")
        named = "".join(sign for sign in model if sign.isprintable()).strip()[:LONGEST_NAME].strip()
        return {"sampled": {"model": named or "unknown", "replies": dict.fromkeys(asked, "") | said}}

    async def _returned(self, asked: Mapping[str, types.CreateMessageRequest]) -> dict[str, types.CreateMessageResult]:
        """What the client sends along with the repeated call."""
        responses = mapping(mapping(self._ctx.params).get("inputResponses"))
        if not asked.keys() & responses.keys():
            raise InputRequired(asked)
        return {key: read for key in asked if (read := _read(responses.get(key))) is not None}

    async def _requested(self, asked: Mapping[str, types.CreateMessageRequest]) -> dict[str, types.CreateMessageResult]:
        """What the client answers while the call waits; a prompt that it refuses has no reply."""
        free, given = asyncio.Semaphore(AT_ONCE), dict[str, types.CreateMessageResult]()

        async def ask(key: str, request: types.CreateMessageRequest) -> None:
            async with free:
                try:
                    given[key] = await self._ctx.session.send_request(request, types.CreateMessageResult)
                except (MCPError, ValidationError):
                    return

        try:
            async with asyncio.timeout(max(0.0, time_left() - KEPT_BACK)), asyncio.TaskGroup() as tasks:
                for key, request in asked.items():
                    tasks.create_task(ask(key, request))
        except TimeoutError:
            pass  # what is there by now is used
        return given


def _request(prompt: Prompt) -> types.CreateMessageRequest:
    told = [mapping(one) for one in items(prompt, "messages")]
    system = [str(one.get("content")) for one in told if one.get("role") == "system"]
    messages = [
        {"role": one.get("role"), "content": {"type": "text", "text": one.get("content")}}
        for one in told
        if one.get("role") != "system"
    ]
    asked = {"messages": messages, "systemPrompt": "\n\n".join(system), "maxTokens": MOST_TOKENS}
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams.model_validate(asked))


def _read(response: Any) -> types.CreateMessageResult | None:
    try:
        return types.CreateMessageResult.model_validate(response)
    except ValidationError:
        return None
