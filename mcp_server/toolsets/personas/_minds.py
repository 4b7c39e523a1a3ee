"""The persona endpoints of the internal API, each answer read into what this toolset works with."""

from collections.abc import Sequence

import mcp_server.toolsets.personas._wire as wire
from mcp_server.errors import GatewayError, ToolFailure
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.pagination import everything
from mcp_server.minds_api.refusals import Missing
from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolsets.personas._answers import read_reply
from mcp_server.toolsets.personas._creation import NewPersona
from mcp_server.toolsets.personas._training import Training, read_training
from mcp_server.toolsets.personas._wire import Made
from mcp_server.toolsets.personas.models import PersonaReply, PersonaRow

DEMO_TOKEN = "x-minds-demo-token"  # noqa: S105  the name of a header
IDEMPOTENCY_KEY = "x-minds-idempotency-key"


class Minds:
    """`/minds`, as the caller of the current request sees it."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def everything(self, search: str | None = None) -> list[PersonaRow]:
        """Every persona that is listed for `search`, page after page."""
        return wire.rows(await everything(self._api, "minds", search=search))

    async def detail(self, spark_id: str) -> PersonaRow:
        return wire.detail(await self._api.call("GET", "minds", spark_id, operation=Operation.POLLING))

    async def create(self, wanted: NewPersona, idempotency: str) -> Made:
        """A new persona; the same `idempotency` key makes no second one."""
        body = await self._api.call(
            "POST", "minds", operation=Operation.CREATE, json=wanted.body(), headers={IDEMPOTENCY_KEY: idempotency}
        )
        return wire.made(body)

    async def training(self, spark_id: str, *, demo_token: str | None = None) -> dict[str, object]:
        """The training status: by itself or, on an older internal API, with the persona."""
        headers = {DEMO_TOKEN: demo_token} if demo_token is not None else None
        polling = Operation.POLLING
        try:
            body = await self._api.call("GET", "minds", spark_id, "training", operation=polling, headers=headers)
        except Missing:
            body = wire.training_of(await self._api.call("GET", "minds", spark_id, operation=polling, headers=headers))
        return dict(reading.mapping(body))

    async def training_or(self, last: Training, spark_id: str, *, demo_token: str | None = None) -> Training:
        """The training as it is now or, where that cannot be read, as it was `last`."""
        try:
            return read_training(await self.training(spark_id, demo_token=demo_token))
        except (GatewayError, ToolFailure):
            return last

    async def sources(self, spark_id: str) -> list[str] | None:
        """The states of the persona's sources; None where they cannot be read, which callers can do without."""
        try:
            body = await self._api.call("GET", "minds", spark_id, "knowledge", operation=Operation.POLLING)
        except (GatewayError, ToolFailure):
            return None
        return wire.knowledge_states(body)

    async def complete(self, persona: PersonaRow, messages: Sequence[dict[str, str]]) -> PersonaReply:
        """The answer to the last of `messages`."""
        body = await self._api.call(
            "POST", "minds", persona.id, "completion", operation=Operation.CHAT, json={"messages": list(messages)}
        )
        return read_reply(body, persona)
