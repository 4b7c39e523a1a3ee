"""Which windows a request is charged to: the grammar of the settings, what it means for a call, and charging one."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from limits.util import parse

from mcp_server.limits.decisions import Decision, Hit, Rule
from mcp_server.limits.headers import exceeded
from mcp_server.observability.telemetry import no_op

ANY_TOOL = "*"
TOOL_CALLS = "tools/call"
"""The name of the window that the calls of all tools without a limit of their own share."""

TOOL_LIMITS = "create_ai_persona_or_digital_twin=20/minute,talk_to_ai_persona=60/minute,*=100/minute"
"""The seed's table, as a setting is written."""
ANONYMOUS, AUTHENTICATED = "anonymous", "authenticated"

_LIMIT = re.compile(r"[1-9]\d{0,11}\s*(?:/|\s+per\s+)\s*(?:[1-9]\d{0,4}\s*)?[a-z]+", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}|\*")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call of a tool is charged: how many units, to which window."""

    rule: Rule
    cost: int = 1


class Limited(Protocol):
    """What a tool's own file may say about its limit."""

    @property
    def limit(self) -> str: ...

    @property
    def units(self) -> int: ...

    @property
    def window(self) -> str: ...


def limit_words(text: str) -> str:
    """`text`, if it is a limit. Raises ValueError, as the checks of settings do."""
    read_limit(text, ANONYMOUS)
    return text


def tool_words(text: str) -> str:
    """`text`, if it is a list of limits for tools. Raises ValueError."""
    read_tools(text)
    return text


def read_limit(text: str, name: str) -> Rule:
    """`100/minute`, `5 per 10 seconds`: one limit in the grammar of the library `limits`. Raises ValueError."""
    if not _LIMIT.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is not a limit; write it as 100/minute or 60/10minutes")
    item = parse(text)
    return Rule(name, item.amount, item.get_expiry())


def read_tools(text: str) -> dict[str, Cost]:
    """`talk=60/minute,ask=100/minute@5,*=100/minute`: a limit for each tool, and after `@` the units of one call.

    Raises `ValueError`: an entry is not of that form, there are two for one tool, or one call costs more than there is.
    """
    costs: dict[str, Cost] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        name, equals, rest = entry.partition("=")
        limit, at, cost = rest.partition("@")
        name = name.strip()
        if not equals or not _NAME.fullmatch(name) or name in costs or (at and not cost.strip().isdecimal()):
            raise ValueError(f"{entry!r} is not TOOL=LIMIT or TOOL=LIMIT@UNITS, once for each tool")
        costs[name] = checked_cost(read_limit(limit, TOOL_CALLS if name == ANY_TOOL else name), int(cost) if at else 1)
    return costs


def checked_cost(rule: Rule, cost: int) -> Cost:
    """Refuse what no call could ever pay. Raises ValueError: one call costs nothing, or more than the limit."""
    if not 1 <= cost <= rule.amount:
        raise ValueError(
            f"a call of {rule.name} costs {cost} units; between 1 and its limit, {rule.amount}, are possible"
        )
    return Cost(rule, cost)


class RateRules:
    """The rules of one process, as the settings word them.

    What the setting says of a tool wins over the tool's own file, and that over `*`.

    Raises `ValueError`: a setting or a tool's file has a limit that cannot be read.
    """

    def __init__(self, anonymous: str, authenticated: str, configured: str, tools: Mapping[str, Limited]) -> None:
        self.anonymous = read_limit(anonymous, ANONYMOUS)
        self._authenticated = read_limit(authenticated, AUTHENTICATED)
        costs = read_tools(configured)
        self._any = costs.pop(ANY_TOOL, None)
        self._costs = {**{name: _own(name, tool, self._any) for name, tool in tools.items()}, **costs}

    def of(self, *, signed_in: bool, tool: str | None = None, is_call: bool = False) -> tuple[tuple[Rule, ...], int]:
        """The windows of a request, that of who asks first, and what it costs.

        A tool that does not exist is charged like any: else its name would be a way to ask for free.
        """
        own = self._authenticated if signed_in else self.anonymous
        if not is_call:
            return (own,), 1
        found = self._costs.get(tool or ANY_TOOL, self._any)
        return ((own,), 1) if found is None else ((own, found.rule), min(found.cost, own.amount))


def _own(name: str, tool: Limited, shared: Cost | None) -> Cost | None:
    """A tool that only says what a call costs pays it to the window that all share."""
    if tool.limit:
        return checked_cost(read_limit(tool.limit, tool.window or name), tool.units)
    return None if shared is None else checked_cost(shared.rule, max(tool.units, shared.cost))


class RateLimitKey(NamedTuple):
    """Whose windows are charged.

    Attributes:
        identity: the account or, where nobody is signed in, the address. All that a hosted client's users share is
            its addresses, so nobody who is signed in is counted by address.

    """

    identity: str
    signed_in: bool


class Limits:
    """Charges requests by `rules` to the windows of `hit`; `refused` is called with the name of a rule that refuses."""

    def __init__(self, hit: Hit, rules: RateRules, refused: Callable[[str], None] = no_op) -> None:
        self.hit, self.rules, self._refused = hit, rules, refused

    async def admit(self, key: RateLimitKey, tool: str) -> Decision:
        """Charge a call of `tool`. Raises RateLimitExceeded: it was not let in."""
        charge = await self.hit(key.identity, *self.rules.of(signed_in=key.signed_in, tool=tool, is_call=True))
        if not charge.allowed:
            self._refused(charge.tightest.rule.name)
            raise exceeded(charge)
        return charge
