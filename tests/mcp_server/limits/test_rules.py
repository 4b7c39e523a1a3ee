"""The grammar of limits, which windows a request is charged to, and who hears of a refusal."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.decisions import Rule
from mcp_server.limits.rules import (
    TOOL_LIMITS,
    Cost,
    Limits,
    RateLimitKey,
    RateRules,
    limit_words,
    read_limit,
    read_tools,
    tool_words,
)
from mcp_server.limits.windows import InMemorySlidingWindow


@dataclass(frozen=True)
class OfTool:
    limit: str = ""
    units: int = 1
    window: str = ""


AUTHENTICATED = Rule("authenticated", 1000, 60)


def rules_of(words: str = TOOL_LIMITS, **own: OfTool) -> RateRules:
    return RateRules("100/minute", "1000/minute", words, own)


def charged(tool: str | None, *, words: str = TOOL_LIMITS, **own: OfTool) -> tuple[Rule | None, int]:
    rules, cost = rules_of(words, **own).of(signed_in=True, tool=tool, is_call=True)
    assert rules[0] == AUTHENTICATED
    return (rules[1] if len(rules) > 1 else None), cost


@pytest.mark.parametrize(
    ("text", "amount", "seconds"),
    [
        ("100/minute", 100, 60),
        ("60/10minutes", 60, 600),
        (" 5 per 2 hours ", 5, 7200),
        ("1000000000/minute", 10**9, 60),
        ("1/day", 1, 86400),
    ],
)
def test_limits_are_read_in_the_grammar_of_the_library(text: str, amount: int, seconds: int) -> None:
    assert read_limit(text, "x") == Rule("x", amount, seconds)
    assert limit_words(text) == text


NO_LIMITS = ["", "100", "0/minute", "-1/minute", "1/second;2/minute", "9/fortnight", "x/minute"]
NO_LISTS = ["talk", "talk=", "=1/minute", "a=1/minute,a=2/minute", "a b=1/minute", "a=1/minute@", "a=5/minute@6"]


@pytest.mark.parametrize(
    ("read", "text"), [(limit_words, each) for each in NO_LIMITS] + [(tool_words, each) for each in NO_LISTS]
)
def test_what_is_no_limit_and_a_list_that_means_nothing_are_refused(read: Callable[[str], str], text: str) -> None:
    with pytest.raises(ValueError):
        read(text)


def test_a_call_may_cost_several_units() -> None:
    assert read_tools("ask=100/minute@5, *=10/second") == {
        "ask": Cost(Rule("ask", 100, 60), 5),
        "*": Cost(Rule("tools/call", 10, 1)),
    }


@pytest.mark.requirement("seed:gateway:limit-create", "seed:gateway:limit-talk", "seed:gateway:limit-tools-call")
@pytest.mark.parametrize(
    ("tool", "rule"),
    [
        ("create_ai_persona_or_digital_twin", Rule("create_ai_persona_or_digital_twin", 20, 60)),
        ("talk_to_ai_persona", Rule("talk_to_ai_persona", 60, 60)),
        ("list_my_ai_personas", Rule("tools/call", 100, 60)),
        ("no_such_tool", Rule("tools/call", 100, 60)),
        (None, Rule("tools/call", 100, 60)),
    ],
)
def test_calls_are_charged_by_the_published_table(tool: str | None, rule: Rule) -> None:
    assert charged(tool, list_my_ai_personas=OfTool()) == (rule, 1)


@pytest.mark.requirement("seed:gateway:limit-unauthenticated", "seed:gateway:limit-authenticated")
def test_what_is_no_call_is_charged_to_who_asks_alone() -> None:
    rules = rules_of()

    assert rules.of(signed_in=False) == ((Rule("anonymous", 100, 60),), 1)
    assert rules.of(signed_in=True) == ((AUTHENTICATED,), 1)


@pytest.mark.requirement("seed:gateway:new-tool-limit", "seed:gateway:limit-new-tool")
def test_a_tool_has_a_limit_by_one_line_in_its_file_and_the_setting_wins() -> None:
    own = OfTool(limit="30/minute", units=2)

    assert charged("mine", mine=own) == (Rule("mine", 30, 60), 2)
    assert charged("mine", words="mine=7/hour,*=100/minute", mine=own) == (Rule("mine", 7, 3600), 1)
    assert charged("mine", words="*=1/minute", mine=own) == (Rule("mine", 30, 60), 2)


def test_a_tool_that_only_costs_more_pays_it_to_the_window_that_all_share_or_to_its_caller_only() -> None:
    assert charged("dear", dear=OfTool(units=4)) == (Rule("tools/call", 100, 60), 4)
    assert charged("free", words="talk=1/minute", free=OfTool()) == (None, 1)


def test_a_tool_whose_call_can_never_be_paid_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError):
        rules_of(mine=OfTool(limit="3/minute", units=4))


LIMITED = RateRules("2/minute", "5/minute", "*=3/minute", {})


@pytest.mark.parametrize(
    ("key", "calls", "rule"),
    [
        (RateLimitKey("subject:ada", signed_in=True), 3, "tools/call"),
        (RateLimitKey("address:192.0.2.1", signed_in=False), 2, "anonymous"),
    ],
)
async def test_a_call_is_charged_to_its_caller_and_its_tool_and_a_refusal_is_told(
    key: RateLimitKey, calls: int, rule: str
) -> None:
    seen: list[str] = []
    limits = Limits(InMemorySlidingWindow().hit, LIMITED, seen.append)

    for _ in range(calls):
        await limits.admit(key, "x")
    with pytest.raises(RateLimitExceeded):
        await limits.admit(key, "y")

    assert seen == [rule]


def test_tools_may_share_one_window() -> None:
    first, second = OfTool("2/minute", window="docs"), OfTool("2/minute", window="docs")

    assert charged("search", search=first, read=second) == charged("read", search=first, read=second)
    assert charged("search", search=first, read=second)[0] == Rule("docs", 2, 60)
