"""A creation is one persona, says the truth about its training, and gives no secret away."""

from typing import Any

import anyio
import httpx2
import orjson
import pytest
from mcp.shared.exceptions import MCPError

from mcp_server.caller import ANONYMOUS
from mcp_server.minds_api.credentials import OwnKey
from tests.mcp_server.toolsets.personas.world import (
    TOOLS,
    call,
    detail,
    failed,
    id_of,
    knowledge,
    refusal_of,
    refused,
    summary,
    training,
)
from tests.support import ADA, ERAS, Era, FakeApi, Reply, connect, serve, text_of

TOOL = "create_ai_persona_or_digital_twin"
KEYWORDS = {"name": "Ada", "mode": "keywords", "keywords": ["engines", "poetry"]}
SEEN = f"GET /minds/{id_of('Ada')}"
SEEN_TRAINING = f"{SEEN}/training"


def made(name: str = "Ada", **extras: Any) -> Reply:
    """What `POST /minds` answers, as documented."""
    return Reply({"data": {**summary(name), **extras}, "training": training("queued")}, 201)


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    api.answers["POST /minds"] = made()
    api.answers[SEEN_TRAINING] = Reply(training("queued"))
    return api


@pytest.mark.parametrize("era", ERAS)
async def test_a_creation_returns_at_once_with_what_is_true(api: FakeApi, era: Era) -> None:
    result = await call(api, TOOL, KEYWORDS, ADA, era)
    assert result.structured_content is not None
    assert {**result.structured_content, "message": ""} == {
        "untrusted": ["$.name"],
        "sparkId": id_of("Ada"),
        "name": "Ada",
        "status": "queued",
        "stage": "queued",
        "progress": 0,
        "progressEstimated": False,
        "readyToChat": False,
        "pollAfterMs": 3000,
        "message": "",
        "duplicate": False,
        "demo": None,
    }
    assert text_of(result).startswith('Created the AI persona "Ada". Training is queued and has not begun.')
    assert "check_ai_persona_training_progress" in text_of(result)
    assert id_of("Ada") in text_of(result)
    assert len(api.sent(SEEN_TRAINING)) == 1


@pytest.mark.requirement("seed:gateway:create-clone", "seed:gateway:create-keywords", "seed:gateway:create-link")
@pytest.mark.requirement("seed:gateway:tool-posts-json")
@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        (KEYWORDS, {"discipline": "engines", "keywords": ["engines", "poetry"]}),
        (
            {**KEYWORDS, "type": None, "demo": None, "discipline": None},
            {"discipline": "engines", "keywords": ["engines", "poetry"]},
        ),
        ({**KEYWORDS, "discipline": " Computing "}, {"discipline": "Computing", "keywords": ["engines", "poetry"]}),
        (
            {"name": "Ada", "mode": "clone", "personaContext": "A countess.\nA mathematician."},
            {"discipline": "Ada", "personaContext": "A countess.\nA mathematician."},
        ),
        (
            {"name": "Ada", "mode": "link", "contextLink": "https://example.com/ada"},
            {"discipline": "Ada", "contextLink": "https://example.com/ada"},
        ),
        ({"name": "  Ada ", "mode": "manual", "description": "Later"}, {"discipline": "Ada", "description": "Later"}),
    ],
)
async def test_each_mode_sends_the_documented_fields(
    api: FakeApi, arguments: dict[str, Any], body: dict[str, Any]
) -> None:
    await call(api, TOOL, arguments)
    assert api.sent_json("POST /minds") == [{"name": "Ada", "mode": arguments["mode"], "type": "expert", **body}]


async def test_ten_equal_calls_at_once_make_one_persona(api: FakeApi) -> None:
    arrived, go = anyio.Event(), anyio.Event()

    async def slow(_request: httpx2.Request) -> Reply:
        arrived.set()
        await go.wait()
        return made()

    api.answers["POST /minds"] = slow
    results = []

    async with serve(api) as gateway, gateway.connect(ADA) as client:

        async def ask() -> None:
            results.append(await client.call_tool(TOOL, KEYWORDS))

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                for _ in range(10):
                    group.start_soon(ask)
                await arrived.wait()
                await anyio.wait_all_tasks_blocked()
                go.set()

    contents = [result.structured_content or {} for result in results]
    assert len(api.sent("POST /minds")) == 1
    assert {content["sparkId"] for content in contents} == {id_of("Ada")}
    assert sorted(content["duplicate"] for content in contents) == [False] + [True] * 9


@pytest.mark.requirement("seed:gateway:cache-create")
async def test_an_equal_call_soon_after_is_the_same_persona_and_says_so(api: FakeApi) -> None:
    async with serve(api) as gateway, gateway.connect(ADA) as client:
        await client.call_tool(TOOL, KEYWORDS)
        again = await client.call_tool(TOOL, {**KEYWORDS, "name": " Ada "})

    assert again.structured_content is not None
    assert again.structured_content["duplicate"] is True
    assert text_of(again).startswith('An earlier, equal call created the AI persona "Ada".')
    assert len(api.sent("POST /minds")) == 1


@pytest.mark.parametrize(
    "difference",
    [
        {"keywords": ["engines"]},
        {"keywords": ["poetry", "engines"]},
        {"type": "creative"},
        {"description": "Another"},
        {"discipline": "Maths"},
        {"name": "Adah"},
        {"personaContext": "x"},
        {"contextLink": "https://example.com"},
        {"mode": "manual", "keywords": None},
    ],
)
async def test_calls_that_differ_in_anything_are_two_personas(api: FakeApi, difference: dict[str, Any]) -> None:
    async with serve(api) as gateway, gateway.connect(ADA) as client:
        await client.call_tool(TOOL, KEYWORDS)
        other = await client.call_tool(TOOL, {**KEYWORDS, **difference})

    assert other.structured_content is not None
    assert other.structured_content["duplicate"] is False
    keys = [asked.headers["x-minds-idempotency-key"] for asked in api.sent("POST /minds")]
    assert len(set(keys)) == 2


@pytest.mark.requirement("seed:gateway:create-demo", "seed:gateway:public-create", "seed:gateway:public-tools")
@pytest.mark.parametrize("era", ERAS)
async def test_a_visitor_gets_a_demo_persona_whose_token_only_the_widget_sees(api: FakeApi, era: Era) -> None:
    terms = {"token": "demo-secret-token", "expiresAt": "2026-11-21T09:00:00.000Z"}
    api.answers["POST /minds"] = made(demo=terms)

    result = await call(api, TOOL, KEYWORDS, ANONYMOUS, era)
    assert result.structured_content is not None
    assert result.structured_content["demo"] == {"temporary": True, "expiresAt": terms["expiresAt"]}
    assert result.meta is not None
    assert result.meta["minds/demoToken"] == "demo-secret-token"
    shown = orjson.dumps(result.structured_content).decode() + text_of(result)
    assert "demo-secret-token" not in shown
    assert "until 2026-11-21" in text_of(result)
    assert "Sign in" in text_of(result)
    assert not any(tool in text_of(result) for tool in TOOLS)  # a visitor can use none of them on it
    assert api.sent(SEEN_TRAINING)[0].headers["x-minds-demo-token"] == "demo-secret-token"


async def test_no_demo_token_is_sent_where_none_was_given(api: FakeApi) -> None:
    result = await call(api, TOOL, KEYWORDS)
    assert "x-minds-demo-token" not in api.sent(SEEN_TRAINING)[0].headers
    assert "minds/demoToken" not in (result.meta or {})


async def test_visitors_with_equal_wishes_share_neither_a_result_nor_a_flight(api: FakeApi) -> None:
    def one_more(_request: httpx2.Request) -> Reply:
        number = len(api.sent("POST /minds"))
        api.answers[f"GET /minds/{id_of(f'Ada {number}')}/training"] = Reply(training("queued"))
        return made(f"Ada {number}", demo={"token": f"token-{number}"})

    api.answers["POST /minds"] = one_more
    results = []

    async with serve(api) as gateway, gateway.connect() as first, gateway.connect() as second:

        async def ask(client: Any) -> None:
            results.append(await client.call_tool(TOOL, KEYWORDS))

        async with anyio.create_task_group() as group:
            for client in (first, second, first, second):
                group.start_soon(ask, client)

    assert {result.meta["minds/demoToken"] for result in results} == {"token-1", "token-2", "token-3", "token-4"}
    assert len({asked.headers["x-minds-idempotency-key"] for asked in api.sent("POST /minds")}) == 4


@pytest.mark.parametrize(("era", "code"), [("auto", 401), ("legacy", -32001)])
async def test_a_visitor_who_wants_no_demo_is_asked_to_sign_in(api: FakeApi, era: Era, code: int) -> None:
    refusal = await refusal_of(api, TOOL, {**KEYWORDS, "demo": False}, ANONYMOUS, era)

    assert refusal.code == code
    assert api.asked == []


async def test_a_visitor_is_asked_to_sign_in_where_the_internal_api_knows_no_visitors(api: FakeApi) -> None:
    async with serve(api, credentials=OwnKey()) as gateway, gateway.connect() as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, KEYWORDS)

    assert refusal.value.data["code"] == "AUTHENTICATION_REQUIRED"
    assert api.asked == []


async def test_demo_means_nothing_to_who_is_signed_in(api: FakeApi) -> None:
    result = await call(api, TOOL, {**KEYWORDS, "demo": True})
    assert (result.structured_content or {})["demo"] is None
    assert "demo" not in api.sent_json("POST /minds")[0]


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_wants_progress_is_told_each_stage(api: FakeApi, era: Era) -> None:
    api.answers[SEEN_TRAINING] = [
        Reply(training("queued", stage="queued", progress=0)),
        Reply(training("running", stage="collect", progress=40)),
        Reply(training("completed", stage="completed", progress=100)),
    ]
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with connect(api, ADA, era) as client:
        result = await client.call_tool(TOOL, KEYWORDS, progress_callback=hear)
    assert told == [
        (0.0, 100.0, "training is queued and has not begun."),
        (40.0, 100.0, "training is running (40%): its sources are being collected."),
        (100.0, 100.0, "training is completed."),
    ]
    assert (result.structured_content or {})["readyToChat"] is True
    assert "talk_to_ai_persona" in text_of(result)


@pytest.mark.parametrize("answer", [refused(500), refused(404), refused(429), httpx2.ConnectError("gone")])
async def test_a_persona_that_exists_is_reported_whatever_the_look_at_its_training_meets(
    api: FakeApi, answer: Reply | Exception
) -> None:
    api.answers |= {SEEN_TRAINING: answer, SEEN: answer}

    result = await call(api, TOOL, KEYWORDS)
    assert result.is_error is False
    assert (result.structured_content or {})["status"] == "queued"


async def test_an_answer_without_any_training_is_not_taken_for_ready(api: FakeApi) -> None:
    api.answers["POST /minds"] = Reply({"data": summary("Ada"), "processing": {"queued": True}}, 201)
    api.answers |= {SEEN_TRAINING: refused(404), SEEN: detail("Ada")}

    result = await call(api, TOOL, KEYWORDS)
    content = result.structured_content or {}
    assert (content["status"], content["readyToChat"], content["progress"]) == ("unknown", False, None)


@pytest.mark.parametrize(
    ("state", "said"), [(failed("PROFILE_GEN_FAILED"), "begins empty"), (training("completed"), "Talk to it")]
)
async def test_a_manual_persona_is_empty_or_ready_and_not_called_a_failure(
    api: FakeApi, state: dict[str, Any], said: str
) -> None:
    api.answers |= {SEEN_TRAINING: Reply(state), f"{SEEN}/knowledge": knowledge()}

    result = await call(api, TOOL, {"name": "Ada", "mode": "manual"})
    assert said in text_of(result)
    assert "failed" not in text_of(result)


async def test_a_manual_persona_of_nobody_who_is_signed_in_is_empty_and_says_what_can_be_done(api: FakeApi) -> None:
    api.answers |= {SEEN_TRAINING: Reply(failed("PROFILE_GEN_FAILED")), f"{SEEN}/knowledge": refused(401)}

    result = await call(api, TOOL, {"name": "Ada", "mode": "manual"}, ANONYMOUS)

    content = result.structured_content or {}
    assert (content["status"], content["stage"], content["pollAfterMs"]) == ("empty", None, None)
    assert "create it again with what it is to know" in text_of(result)
    assert "sign in" in text_of(result)
    assert "add_knowledge" not in text_of(result)
