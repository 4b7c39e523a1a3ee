"""The protocol's own part with a credential: open, list, and call one tool that only reads."""

from app.doctor import messages
from app.doctor.door import Door
from app.doctor.exchanges import Exchange
from app.doctor.messages import LEGACY
from app.doctor.observe import say
from app.doctor.observed import Called

LONGEST_SESSION = 512


class Caller:
    """Calls one gateway with one credential, which goes to the typed address and nowhere else."""

    def __init__(self, door: Door, url: str, credential: str) -> None:
        self._door = door
        self._url = url
        self._proof = {"authorization": f"Bearer {credential}"} if credential else {}

    async def call(self, era: str) -> Called:
        """Everything from the first message to a tool's answer; it stops where a client would."""
        first = messages.initialize() if era == LEGACY else messages.ask(era, "server/discover")
        start = await say(self._door, self._url, first, **self._proof)
        if messages.result(start.body, start.media_type) is None:
            return Called(era, start)
        session = _session(start)
        if era == LEGACY:
            await say(self._door, self._url, messages.initialized(session), **self._proof)
        listed = await self.list(era, session)
        tool = messages.harmless_tool(messages.result(listed.body, listed.media_type))
        if tool is None:
            return Called(era, start, listed)
        asked = messages.ask(era, "tools/call", {"name": tool, "arguments": {}}, session)
        return Called(era, start, listed, tool, await say(self._door, self._url, asked, **self._proof))

    async def list(self, era: str, session: str = "") -> Exchange:
        """`tools/list` alone, which shows whether a credential still counts."""
        return await say(self._door, self._url, messages.ask(era, "tools/list", session=session), **self._proof)


def _session(start: Exchange) -> str:
    """The session that a 2025-era server may open; a client has to repeat it."""
    told = start.header("mcp-session-id")
    return told if len(told) <= LONGEST_SESSION and told.isascii() and told.isprintable() else ""
