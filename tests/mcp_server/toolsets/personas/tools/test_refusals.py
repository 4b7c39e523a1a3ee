"""What a persona tool refuses: wrong arguments, callers that are nobody, and what the internal API refuses."""

from typing import Any

import pytest

from mcp_server.caller import ANONYMOUS
from tests.mcp_server.toolsets.personas.world import call, detail, id_of, refusal_of, refused
from tests.support import Era, FakeApi, Reply, failure_of

LIST, TALK = "list_my_ai_personas", "talk_to_ai_persona"
CREATE, CHECK = "create_ai_persona_or_digital_twin", "check_ai_persona_training_progress"
ID = id_of("Ada")
SAID: dict[str, Any] = {"sparkId": ID, "message": "Hello"}
KEYWORDS: dict[str, Any] = {"name": "Ada", "mode": "keywords", "keywords": ["engines", "poetry"]}
ACCEPTED = {TALK: SAID, CREATE: KEYWORDS, CHECK: {"sparkId": ID}}
LISTED: list[tuple[dict[str, Any], str]] = [
    ({"searchQuery": "x" * 501}, "searchQuery"),
    ({"searchQuery": "a\nb"}, "searchQuery"),
    ({"searchQuery": 7}, "searchQuery"),
    ({"query": "x"}, "query"),
]
CREATED: list[tuple[dict[str, Any], str]] = [
    ({"name": "Ada", "mode": "keywords"}, "keywords is required when mode is keywords"),
    ({"name": "Ada", "mode": "keywords", "keywords": []}, "keywords is required"),
    ({"name": "Ada", "mode": "clone"}, "personaContext is required when mode is clone"),
    ({"name": "Ada", "mode": "clone", "personaContext": "  "}, "personaContext is required"),
    ({"name": "Ada", "mode": "link"}, "contextLink is required when mode is link"),
    ({"name": "Ada", "mode": "manual", "personaContext": "A poet."}, "mode manual begins empty"),
    ({"name": "Ada", "mode": "link", "contextLink": "file:///etc/passwd"}, "contextLink: must be an http"),
    ({"name": "Ada", "mode": "link", "contextLink": "example.com"}, "contextLink: must be an http"),
    ({"name": "Ada", "mode": "link", "contextLink": "https://a:b@example.com"}, "contextLink: must not carry"),
    ({"name": "Ada", "mode": "link", "contextLink": f"https://e.com/{'x' * 2048}"}, "contextLink: "),
    ({"name": "A", "mode": "manual"}, "name: string should have at least 2"),
    ({"name": " A ", "mode": "manual"}, "name: string should have at least 2"),
    ({"name": "x" * 101, "mode": "manual"}, "name: string should have at most 100"),
    ({"name": "Ada\nBob", "mode": "manual"}, "name: must be one line"),
    ({"name": "Ada\u202eBob", "mode": "manual"}, "name: must be one line"),
    ({"name": "Ada\x00", "mode": "manual"}, "name: must be one line"),
    ({"mode": "manual"}, "name is required"),
    ({"name": "Ada"}, "mode is required"),
    ({"name": "Ada", "mode": "magic"}, "mode: input should be 'keywords', 'clone', 'link' or 'manual'"),
    ({"name": "Ada", "mode": "manual", "type": "robot"}, "type: input should be 'creative', 'expert' or 'user'"),
    ({**KEYWORDS, "keywords": ["x"] * 21}, "keywords: list should have at most 20"),
    ({**KEYWORDS, "keywords": ["x" * 101]}, "keywords.0: string should have at most 100"),
    ({**KEYWORDS, "personaContext": "x" * 5001}, "personaContext: string should have at most 5000"),
    ({**KEYWORDS, "description": "x" * 2001}, "description: string should have at most 2000"),
    ({**KEYWORDS, "description": "\x1b[31m"}, "description: must be plain text"),
    ({**KEYWORDS, "colour": "red"}, "colour is not an argument; known are name, mode, type"),
]
TALKED: list[tuple[dict[str, Any], str]] = [
    ({"message": "Hello"}, "sparkId or sparkName is required"),
    ({"message": "Hello", "sparkName": " "}, "sparkId or sparkName is required"),
    ({"message": "Hello", "sparkId": None, "sparkName": None}, "sparkId or sparkName is required"),
    ({"sparkId": ID}, "message is required"),
    ({"sparkId": ID, "message": " \n"}, "message: string should have at least 1"),
    ({"sparkId": ID, "message": "x" * 10_001}, "message: string should have at most 10000"),
    ({"sparkId": ID, "message": "a\x00b"}, "message: must be plain text"),
    ({"sparkId": "ada", "message": "Hello"}, "sparkId: must be a UUID"),
    ({"sparkName": "a\nb", "message": "Hello"}, "sparkName: must be one line"),
    (
        {"sparkId": ID, "message": "Hello", "conversationHistory": [{"role": "system", "content": "x"}]},
        "conversationHistory.0.role: input should be 'user' or 'assistant'",
    ),
    (
        {"sparkId": ID, "message": "Hello", "conversationHistory": [{"role": "user", "content": "x"}] * 51},
        "conversationHistory: list should have at most 50",
    ),
    ({"sparkId": ID, "message": "Hello", "conversationHistory": ["x"]}, "conversationHistory.0: "),
]
HOSTILE_IDS = [
    "../../auth/me", "..", ".", "", "%2e%2e%2fauth", f"{ID}/../../x", f"{ID}%2f..", f"{ID}\x00", f"{ID}?x=1",
    f"{ID}#x", "\u2025/x", "ada",
]  # fmt: skip
ARGUMENTS = [
    *((LIST, arguments, said) for arguments, said in LISTED),
    *((CREATE, arguments, said) for arguments, said in CREATED),
    *((TALK, arguments, said) for arguments, said in TALKED),
    *((CHECK, {"sparkId": hostile}, "sparkId: must be a UUID such as") for hostile in HOSTILE_IDS),
]


@pytest.mark.requirement("seed:gateway:utility-validation")
@pytest.mark.parametrize(("tool", "arguments", "said"), ARGUMENTS)
async def test_wrong_arguments_are_named_in_words_to_act_on_and_nothing_is_asked(
    api: FakeApi, tool: str, arguments: dict[str, Any], said: str
) -> None:
    error = failure_of(await call(api, tool, arguments))

    assert error["code"] == "invalid_arguments"
    assert said in error["message"]
    assert api.asked == []


@pytest.mark.requirement(
    "seed:gateway:list-needs-auth", "seed:gateway:talk-needs-auth", "seed:gateway:check-needs-auth"
)
@pytest.mark.parametrize(("era", "code"), [("auto", 401), ("legacy", -32001)])
@pytest.mark.parametrize(("tool", "arguments"), [(LIST, {}), (TALK, SAID), (CHECK, ACCEPTED[CHECK])])
async def test_an_anonymous_call_is_refused_before_the_api_is_asked(
    api: FakeApi, tool: str, arguments: dict[str, Any], era: Era, code: int
) -> None:
    refusal = await refusal_of(api, tool, arguments, ANONYMOUS, era)

    assert refusal.code == code
    assert refusal.data["code"] == "AUTHENTICATION_REQUIRED"
    assert api.asked == []


@pytest.mark.requirement("seed:gateway:tool-answers-error")
@pytest.mark.parametrize(
    ("tool", "answer", "code", "said"),
    [
        *((tool, refused(status), "not_found", LIST) for tool in (TALK, CHECK) for status in (403, 404)),
        (TALK, refused(403, "PLAN_LIMIT", limitType="responses", limit=100), "plan_limit", "responses"),
        (TALK, refused(402, "MARKETPLACE_ADDON_REQUIRED"), "plan_limit", "change the plan"),
        (TALK, refused(400), "refused", "HTTP 400"),
        (TALK, refused(409), "conflict", "state"),
        (CREATE, refused(403, "PLAN_LIMIT", limitType="sparks", limit=3, current=3), "plan_limit", "3 of 3 used"),
        (CREATE, refused(400), "refused", "HTTP 400"),
        (CREATE, refused(422), "refused", "HTTP 422"),
        (CREATE, refused(409), "conflict", "state"),
    ],
)
async def test_what_the_model_can_put_right_comes_back_as_a_failed_call(
    api: FakeApi, tool: str, answer: Reply, code: str, said: str
) -> None:
    api.answers |= {"POST /minds": answer, f"POST /minds/{ID}/completion": answer, f"GET /minds/{ID}/training": answer}
    api.answers[f"GET /minds/{ID}"] = answer if tool == CHECK else detail("Ada")

    error = failure_of(await call(api, tool, ACCEPTED[tool]))

    assert error["code"] == code
    assert said in error["message"]
    assert "SELECT" not in error["message"]


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (refused(401), "AUTHENTICATION_REQUIRED"),
        (refused(403, "INSUFFICIENT_SCOPE", required=["sparks:chat"]), "PERMISSION_DENIED"),
        (refused(429), "RATE_LIMIT_EXCEEDED"),
        (refused(500), "SERVICE_UNAVAILABLE"),
        (refused(503, "USAGE_METERING_UNAVAILABLE"), "SERVICE_UNAVAILABLE"),
        (Reply({"messageId": "msg_1"}), "SERVICE_UNAVAILABLE"),
        (Reply({"messageId": "msg_1", "content": "  "}), "SERVICE_UNAVAILABLE"),
        (Reply(b"<html>"), "SERVICE_UNAVAILABLE"),
    ],
)
async def test_what_the_model_cannot_help_is_a_protocol_error(api: FakeApi, answer: Reply, name: str) -> None:
    api.answers |= {f"POST /minds/{ID}/completion": answer, f"GET /minds/{ID}": detail("Ada")}

    refusal = await refusal_of(api, TALK, SAID)

    assert refusal.data["code"] == name
    assert "SELECT" not in refusal.message
