"""The persona endpoints of the internal API, each answer read into what this toolset works with."""

from collections.abc import Sequence

import mcp_server.toolsets.personas._wire as wire
from mcp_server.errors import GatewayError, ToolFailure
from mcp_server.toolsets.personas._answers import read_reply
from mcp_server.toolsets.personas._creation import Wish
from mcp_server.toolsets.personas._training import Training, read_training
from mcp_server.toolsets.personas._wire import Made
from mcp_server.toolsets.personas.models import PersonaReply, PersonaRow
from mcp_server.upstream import Api, Operation

PAGE = 100
"""The largest page that the internal API serves."""

MAX_PAGES = 50
"""5,000 personas; a listing beyond that costs more than it tells."""

DEMO_TOKEN = "x-minds-demo-token"  # noqa: S105  the name of a header
IDEMPOTENCY_KEY = "x-minds-idempotency-key"


class Minds:
    """`/minds`, as the caller of the current request sees it."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def everything(self, search: str | None = None) -> list[PersonaRow]:
        """Every persona that is listed for `search`, page after page."""
        rows: dict[str, PersonaRow] = {}
        for number in range(MAX_PAGES):
            params: dict[str, str | int] = {"limit": PAGE, "offset": number * PAGE}
            if search:
                params["search"] = search
            page = wire.page(await self._api.call("GET", "minds", params=params))
            known = len(rows)
            rows.update((row.id, row) for row in page.rows)
            complete = page.total is not None and (number + 1) * PAGE >= page.total
            # The last condition ends a listing that ignores `offset` and would go round for ever.
            if complete or page.received < PAGE or len(rows) == known:
                break
        return list(rows.values())

    async def detail(self, spark_id: str) -> PersonaRow:
        return wire.detail(await self._api.call("GET", "minds", spark_id, operation=Operation.POLLING))

    async def create(self, wish: Wish, idempotency: str) -> Made:
        """A new persona; the same `idempotency` key makes no second one."""
        body = await self._api.call(
            "POST", "minds", operation=Operation.CREATE, json=wish.body(), headers={IDEMPOTENCY_KEY: idempotency}
        )
        return wire.made(body)

    async def training(self, spark_id: str, *, demo_token: str | None = None) -> dict[str, object]:
        """The training status as it was told."""
        headers = {DEMO_TOKEN: demo_token} if demo_token is not None else None
        told = await self._api.call("GET", "minds", spark_id, "training", operation=Operation.POLLING, headers=headers)
        return dict(wire.mapping(told))

    async def training_or(self, last: Training, spark_id: str, *, demo_token: str | None = None) -> Training:
        """The training as it is now or, where that cannot be told, as it was `last`."""
        try:
            return read_training(await self.training(spark_id, demo_token=demo_token))
        except (GatewayError, ToolFailure):
            return last

    async def sources(self, spark_id: str) -> list[str] | None:
        """The states of the persona's sources; None where they cannot be told, which callers can do without."""
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
