"""A panel is asked once for each question: what it says comes back in figures and words, whatever becomes of a call."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import RequestParamsMeta

from mcp_server.caller import ANONYMOUS
from mcp_server.toolset import discover
from mcp_server.toolsets.panels.service import PanelService
from mcp_server.upstream.deadline import BUDGET
from tests.mcp_server.toolsets.panels.tools.client import called, client_of
from tests.mcp_server.toolsets.panels.world import (
    answer,
    asked,
    audience,
    id_of,
    landed,
    listing,
    output,
    run,
    stream,
    study,
    summary,
    told,
)
from tests.mcp_server.toolsets.personas.world import refused
from tests.support import ADA, FakeApi, Reply, failure_of, serve, text_of

TOOL = "ask_panel"
QUESTION = "On a scale of 1 to 10, how likely are you to recommend it?"
PANEL = study("Pricing", audience("Owners", "Mia", "Ben"), audience("Guests", "Zoe"))
ID = id_of("Pricing")
ASK, READ = f"POST /studies/{ID}/ask", f"GET /studies/{ID}"
RESULT = output(
    QUESTION,
    {
        "Owners": [answer("Mia", "9", "It saves me an hour. I would tell anyone."), answer("Ben", "8")],
        "Guests": [answer("Zoe", "2", "The lock sticks. I would warn people.")],
    },
)
EVENTS = (landed("Mia", "Owners", "9"), landed("Ben", "Owners", "8"), landed("Zoe", "Guests", "2"))


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    api.answers["GET /studies"] = listing([summary("Pricing"), summary("Onboarding")])
    api.answers[READ] = Reply({"data": PANEL})
    api.answers[ASK] = run(RESULT, *EVENTS)
    return api


async def ask(api: FakeApi, **arguments: Any) -> Any:
    async with client_of(api) as client:
        return await client.call_tool(TOOL, {"panelId": ID, "question": QUESTION, **arguments})


@pytest.mark.requirement("seed:gateway:ask-panel")
async def test_the_answer_has_figures_for_each_group_and_reads_well(api: FakeApi) -> None:
    result = await called(api, TOOL, panelName="pricng", question=QUESTION)

    told = result.structured_content
    assert told is not None
    assert (told["status"], told["done"], told["total"], told["resumed"]) == ("completed", 3, 3, False)
    assert [(group["group"], group["n"], group["value"]) for group in told["result"]["groups"]] == [
        ("Owners", 2, "8.5"),
        ("Guests", 1, "2 (1 answer, no mean)"),
    ]
    assert told["result"]["groups"][0]["scale"]["mean"] == 8.5
    assert told["result"]["groups"][1]["scale"] is None
    assert "The lock sticks." in text_of(result)
    assert "█" in text_of(result)
    (body,) = api.sent_json(ASK)
    assert set(body) == {"question", "clientRequestId"}


async def test_the_chosen_groups_material_and_the_understanding_of_the_question_go_along(api: FakeApi) -> None:
    await ask(
        api,
        groupIds=["guests"],
        attachments=[{"url": "https://example.com/plan.pdf", "name": "Plan"}],
        links=["https://example.com/"],
        questionType="scale",
        scale={"min": 1, "max": 7},
    )

    (body,) = api.sent_json(ASK)
    assert body["audienceIds"] == [id_of("Guests")]
    assert body["attachments"] == [{"url": "https://example.com/plan.pdf", "name": "Plan"}]
    assert body["links"] == [{"url": "https://example.com/"}]
    assert body["classification"] == {"type": "scale", "scaleRange": [1, 7]}


def send_in_pieces(api: FakeApi, pieces: Callable[[], AsyncIterator[bytes]]) -> None:
    answering = api.handle_async_request

    class Pieces(httpx2.AsyncByteStream):
        def __aiter__(self) -> AsyncIterator[bytes]:
            return pieces()

    async def piece_by_piece(request: httpx2.Request) -> httpx2.Response:
        response = await answering(request)
        if request.url.path.endswith("/ask"):
            headers = {"content-type": "text/event-stream"}
            return httpx2.Response(200, stream=Pieces(), headers=headers, request=request)
        return response

    api.handle_async_request = piece_by_piece  # type: ignore[method-assign]  # the network's edge


async def test_progress_rises_with_every_notification(api: FakeApi) -> None:
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert message is None or total == 3
        seen.append(progress)

    async def paced() -> AsyncIterator[bytes]:
        for line in run(RESULT, *EVENTS).body.splitlines(keepends=True):
            yield line
            for _ in range(20):  # so that each event is noticed on its own
                await asyncio.sleep(0)

    send_in_pieces(api, paced)
    async with client_of(api) as client:
        await client.call_tool(TOOL, {"panelId": ID, "question": QUESTION}, progress_callback=note)

    assert len(seen) > 2
    assert all(earlier < later for earlier, later in pairwise(seen))


@pytest.mark.parametrize("meta", [None, {BUDGET: 1_500}], ids=["the tool's", "the client's"])
async def test_when_the_patience_ends_what_is_there_comes_back_and_asking_again_resumes(
    api: FakeApi, meta: RequestParamsMeta | None
) -> None:
    let_go = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        whole = run(RESULT, *EVENTS).body
        at = whole.index(b"Zoe") - 60
        yield whole[:at]
        await let_go.wait()
        yield whole[at:]

    send_in_pieces(api, slow)
    async with serve(api, discover(["panels"])) as gateway:
        if meta is None:
            gateway.runtime.services[PanelService]._calls._patience = 0.3
        async with gateway.connect(ADA) as client:
            first, so_far, second = [
                await client.call_tool(tool, {"panelId": ID, **arguments}, meta=meta)
                for tool, arguments in (
                    (TOOL, {"question": QUESTION}),
                    ("get_panel_results", {}),
                    (TOOL, {"question": f"  {QUESTION.upper()} "}),
                )
            ]
            let_go.set()

    told, again = first.structured_content or {}, second.structured_content or {}
    assert (told["status"], told["done"]) == ("processing", 2)
    assert not so_far.is_error
    assert (again["status"], again["resumed"], again["questionId"]) == ("processing", True, told["questionId"])
    assert len(api.sent_json(ASK)) == 1


async def test_an_older_question_of_the_same_wording_is_not_taken_for_the_answer(api: FakeApi) -> None:
    earlier = {**PANEL, "messages": [asked(QUESTION), told(QUESTION, RESULT)]}
    api.answers[ASK] = stream({"type": "start", "total": 3})
    api.answers[READ] = Reply({"data": earlier})

    async with client_of(api) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(TOOL, {"panelId": ID, "question": QUESTION})

    assert caught.value.error.data["code"] == "SERVICE_UNAVAILABLE"


async def test_a_question_that_somebody_else_began_is_waited_for_and_not_asked_again(api: FakeApi) -> None:
    unfinished = asked(QUESTION, status="running")
    api.answers[READ] = [
        Reply({"data": {**PANEL, "messages": [unfinished]}}),
        Reply({"data": {**PANEL, "messages": [unfinished, told(QUESTION, RESULT)]}}),
    ]

    result = await ask(api)

    assert (result.structured_content["status"], result.structured_content["resumed"]) == ("completed", True)
    assert not api.sent(ASK)


async def test_who_is_not_ready_is_named(api: FakeApi) -> None:
    waiting = [{"mindId": id_of("Mia"), "name": "Mia", "audienceId": id_of("Owners"), "trainingStatus": "running"}]
    data = {"code": "PANEL_MINDS_NOT_READY", "notReady": waiting}
    api.answers[ASK] = Reply({"statusCode": 409, "data": data}, 409)

    result = await ask(api)

    assert failure_of(result)["code"] == "not_ready"
    assert "Mia" in text_of(result)


async def test_nobody_is_asked_while_most_are_still_in_training(api: FakeApi) -> None:
    group = audience("Owners", "Mia", "Ben", "Zoe")
    for number in (0, 2):
        group["minds"][number]["trainingStatus"] = "running"
    api.answers[READ] = Reply(
        {"data": study("Pricing", group, {**audience("Guests", "Mia"), "minds": group["minds"][:1]})}
    )

    result = await ask(api)
    group["minds"][2]["trainingStatus"] = "completed"
    later = await ask(api)

    assert failure_of(result)["code"] == "not_ready"
    assert "2 of 3 personas are still in training" in text_of(result)
    assert len(api.sent(ASK)) == 1
    assert later.structured_content["status"] == "completed"


@pytest.mark.parametrize(
    ("status", "data", "code"),
    [
        (404, {}, "not_found"),
        (400, {"code": "INVALID_SCALE"}, "invalid_arguments"),
        (400, {}, "refused"),
        (413, {"code": "too_large"}, "invalid_arguments"),
        (403, {"code": "PLAN_LIMIT", "limitType": "responses"}, "plan_limit"),
    ],
)
async def test_a_refusal_says_what_to_do(api: FakeApi, status: int, data: dict[str, Any], code: str) -> None:
    api.answers[ASK] = Reply({"statusCode": status, "data": data, "message": "secret words"}, status)

    result = await ask(api)

    assert failure_of(result)["code"] == code
    assert "secret words" not in text_of(result)


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": ""},
        {"question": "x" * 10_001},
        {"groupIds": ["Nobody knows this group"]},
        {"groupIds": [id_of("Another group")]},
        {"scale": {"min": 5, "max": 5}},
        {"scale": {"min": 0, "max": 1_000}},
        {"questionType": "poem"},
        {"questionType": "qualitative", "scale": {"min": 1, "max": 5}},
        {"options": ["one"]},
        {"attachments": [{"url": "file:///etc/passwd"}]},
        {"links": ["https://user:secret@example.com"]},
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anybody_is(api: FakeApi, arguments: dict[str, Any]) -> None:
    result = await ask(api, **arguments)

    assert failure_of(result)["code"] in {"invalid_arguments", "not_found"}
    assert not api.sent(ASK)


async def test_a_failure_in_the_stream_keeps_what_had_landed(api: FakeApi) -> None:
    api.answers[ASK] = stream(
        {"type": "start", "total": 3},
        {"type": "classification", "classification": {"type": "scale", "scaleRange": [1, 10]}},
        *EVENTS[:2],
        {"type": "error", "status": 500, "message": "secret words"},
        {"type": "done"},
    )

    result = await ask(api)

    assert (result.structured_content["status"], result.structured_content["done"]) == ("failed", 2)
    assert result.structured_content["result"]["overall"]["n"] == 2
    assert "secret words" not in text_of(result)


@pytest.mark.requirement("seed:gateway:ask-panel-needs-auth", "seed:gateway:create-panel-needs-auth")
@pytest.mark.requirement("seed:gateway:export-panel-needs-auth")
async def test_a_panel_wants_a_caller(api: FakeApi) -> None:
    calls = {
        TOOL: {"panelId": ID, "question": QUESTION},
        "create_panel": {"name": "x"},
        "export_panel": {"panelId": ID},
    }
    async with client_of(api, ANONYMOUS) as client:
        for tool, arguments in calls.items():
            with pytest.raises(MCPError) as caught:
                await client.call_tool(tool, arguments)
            assert caught.value.error.data["code"] == "AUTHENTICATION_REQUIRED"

    assert api.asked == []


async def test_several_questions_are_asked_in_order_and_one_that_fails_loses_no_other(api: FakeApi) -> None:
    asked_so_far: list[str] = []

    def answers(request: httpx2.Request) -> Reply:
        body = json.loads(request.content)
        asked_so_far.append(body["question"])
        return refused(403, "PLAN_LIMIT") if body["question"] == "Second?" else run(RESULT, *EVENTS)

    api.answers[ASK] = answers
    told: list[float] = []

    async def follow(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    questions = [{"question": QUESTION}, {"question": "Second?"}, {"question": "Third?"}]
    async with client_of(api) as client:
        result = await client.call_tool(TOOL, {"panelId": ID, "questions": questions}, progress_callback=follow)
    content = result.structured_content

    assert asked_so_far == [QUESTION, "Second?", "Third?"]
    assert [one["status"] for one in (*content["earlier"], content["result"])] == ["completed", "failed", "completed"]
    assert (content["status"], content["done"], content["total"], content["waiting"]) == ("completed", 6, 9, [])
    assert all(one < other for one, other in pairwise(told))


async def test_a_study_that_broke_off_goes_on_where_it_was_and_once_completed_is_measured_anew(api: FakeApi) -> None:
    """Each call is one of a new process, which knows of those before only what the internal API keeps."""
    stored: dict[str, str] = {}
    broken = ["Third?"]

    def answers(request: httpx2.Request) -> Reply:
        body = json.loads(request.content)
        if body["question"] in broken:
            broken.clear()
            return refused(403, "PLAN_LIMIT")
        stored.setdefault(body["clientRequestId"], body["question"])
        return run(RESULT, *EVENTS)

    def panel(_request: httpx2.Request) -> Reply:
        messages = []
        for identity, question in stored.items():
            messages += [asked(question, clientRequestId=identity, questionBlockId=f"b-{identity}", status="completed")]
            messages += [told(question, RESULT, questionBlockId=f"b-{identity}")]
        return Reply({"data": {**PANEL, "messages": messages}})

    api.answers[ASK], api.answers[READ] = answers, panel
    study = {"panelId": ID, "questions": [{"question": QUESTION}, {"question": "Second?"}, {"question": "Third?"}]}
    alone = {"panelId": ID, "question": QUESTION}
    resumed = []
    for arguments in (alone, study, study, study):
        content = (await called(api, TOOL, **arguments)).structured_content
        resumed.append((content["status"], content["resumed"]))

    whole = [QUESTION, "Second?", "Third?"]
    assert list(stored.values()) == [QUESTION, *whole, *whole]
    assert resumed == [("completed", False), ("failed", False), ("completed", True), ("completed", False)]


async def test_an_estimate_asks_nobody(api: FakeApi) -> None:
    async with client_of(api) as client:
        result = await client.call_tool(TOOL, {"panelId": ID, "questions": [{"question": "A?"}], "estimateOnly": True})
    content = result.structured_content

    assert (content["status"], content["estimate"]["answers"], content["estimate"]["measured"]) == (
        "estimated",
        3,
        False,
    )
    assert "Nobody was asked" in text_of(result)
    assert api.sent(ASK) == []


@pytest.mark.parametrize(
    ("answered", "minds"),
    [
        ("1-4", ["Zoe"]),
        ("4-1", ["Zoe"]),
        ("8 to 9", ["Ben", "Mia"]),
        ("2", ["Zoe"]),
        ("2, 9", ["Mia", "Zoe"]),
        ("<=2", ["Zoe"]),
        ("≤ 8", ["Ben", "Zoe"]),
        ("<2; > 8", ["Mia"]),
        (">=8", ["Ben", "Mia"]),
        ([2, "9"], ["Mia", "Zoe"]),
    ],
)
async def test_a_follow_up_is_for_those_who_answered_so_and_names_its_question(
    api: FakeApi, answered: str | list[str | int], minds: list[str]
) -> None:
    again = f"POST /studies/{ID}/follow-up"
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked(QUESTION), told(QUESTION, RESULT)]}})
    api.answers[again] = run(RESULT, *EVENTS)
    earlier = str(told(QUESTION, RESULT)["id"])

    result = await ask(api, question="Why?", followUp={"questionId": earlier, "answered": answered})

    (body,) = api.sent_json(again)
    assert not result.is_error
    assert sorted(body["mindIds"]) == sorted(id_of(name) for name in minds)
    assert (body["historyMode"], QUESTION in body["question"]) == ("last5", True)
    assert "classification" not in body  # its own words say it
    assert api.sent(ASK) == []


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"answered": "7", "persona": "Mia"},
        {"answered": "7"},
        {"answered": "loud"},
        {"answered": ">1-4"},
        {"persona": "Nobody"},
    ],
)
async def test_a_follow_up_that_is_for_nobody_is_refused(api: FakeApi, wanted: dict[str, str]) -> None:
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked(QUESTION), told(QUESTION, RESULT)]}})
    earlier = str(told(QUESTION, RESULT)["id"])

    refusal = failure_of(await ask(api, question="Why?", followUp={"questionId": earlier, **wanted}))

    assert refusal["code"] == ("not_found" if wanted == {"persona": "Nobody"} else "invalid_arguments")
    assert api.sent(ASK) == []


CHOICES = {"Mia Berg": "Basic", "Mia Lund": "Pro, yearly", "Zoe": "Team"}


@pytest.mark.parametrize(
    ("wanted", "minds"),
    [
        ({"answered": "Basic; pro, yearly"}, ["Mia Berg", "Mia Lund"]),
        ({"answered": ["Team", "Pro, yearly"]}, ["Mia Lund", "Zoe"]),
        ({"answered": "pro, yearly"}, ["Mia Lund"]),
        ({"answered": "Basic, Team"}, ["Mia Berg", "Zoe"]),
        ({"answered": "Basic or Team"}, ["Mia Berg", "Zoe"]),
        ({"persona": "Lund"}, ["Mia Lund"]),
    ],
)
async def test_a_follow_up_may_name_several_options_and_a_part_of_a_name(
    api: FakeApi, wanted: dict[str, Any], minds: list[str]
) -> None:
    serve_choices(api)
    again = f"POST /studies/{ID}/follow-up"
    api.answers[again] = run(RESULT, *EVENTS)

    result = await ask(api, question="Why?", followUp={"questionId": id_of("told Which?"), **wanted})

    assert not result.is_error, text_of(result)
    assert sorted(api.sent_json(again)[0]["mindIds"]) == sorted(map(id_of, minds))


async def test_a_follow_up_may_be_for_who_said_what_was_not_read_or_chose_none(api: FakeApi) -> None:
    given = {"Owners": [answer("Mia", "Basic"), answer("Ben", "7 or 8, hm"), answer("Zoe", "None")]}
    result = output("Which?", given, type="multiselect", options=["Basic", "Pro"])
    panel = study("Pricing", audience("Owners", "Mia", "Ben", "Zoe"))
    api.answers[READ] = Reply({"data": {**panel, "messages": [asked("Which?"), told("Which?", result)]}})
    again = f"POST /studies/{ID}/follow-up"
    api.answers[again] = run(RESULT, *EVENTS)

    for wanted in ({"persona": "Ben"}, {"answered": "none chosen"}):
        followed = await ask(api, question="Why?", followUp={"questionId": id_of("told Which?"), **wanted})
        assert not followed.is_error, text_of(followed)

    assert [body["mindIds"] for body in api.sent_json(again)] == [[id_of("Ben")], [id_of("Zoe")]]


@pytest.mark.parametrize(
    ("wanted", "code", "named"),
    [({"answered": "Basic, Gold"}, "invalid_arguments", "Team"), ({"persona": "Mia"}, "not_found", "Mia Lund")],
)
async def test_what_a_follow_up_cannot_tell_is_answered_with_what_there_is(
    api: FakeApi, wanted: dict[str, Any], code: str, named: str
) -> None:
    serve_choices(api)

    refusal = failure_of(await ask(api, question="Why?", followUp={"questionId": id_of("told Which?"), **wanted}))

    assert refusal["code"] == code
    assert named in refusal["message"]


def serve_choices(api: FakeApi) -> None:
    """A panel that was asked to choose one of three options."""
    kind = {"type": "categorical", "options": list(CHOICES.values())}
    result = output("Which?", {"Owners": [answer(*each) for each in CHOICES.items()]}, **kind)
    panel = study("Pricing", audience("Owners", *CHOICES))
    api.answers[READ] = Reply({"data": {**panel, "messages": [asked("Which?"), told("Which?", result)]}})


async def test_an_api_that_cannot_ask_some_asks_nobody(api: FakeApi) -> None:
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked(QUESTION), told(QUESTION, RESULT)]}})
    api.answers[f"POST /studies/{ID}/follow-up"] = refused(404)
    earlier = str(told(QUESTION, RESULT)["id"])

    refusal = failure_of(await ask(api, question="Why?", followUp={"questionId": earlier, "answered": "9"}))

    assert "part of a panel" in refusal["message"]
    assert api.sent(ASK) == []


async def test_what_personas_are_reminded_of_and_may_use_is_passed_on(api: FakeApi) -> None:
    await ask(api, historyMode="followup_only", sourcePolicy="knowledge_only")

    (body,) = api.sent_json(ASK)
    assert (body["historyMode"], body["sourcePolicy"]) == ("followup_only", "knowledge_only")
