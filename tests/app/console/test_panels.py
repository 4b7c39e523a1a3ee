"""The pages of panels by HTTP, on the real tools: who sees what, forms that keep what was filled in, shared links."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import orjson
import pytest

from app.composition import Composition, Parts
from app.console.calls import CallRefused
from app.console.live import BEGIN, Streams
from app.console.questions import PURPOSE
from app.factory import connect
from mcp_server.toolset import discover
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.scopes import ALL
from tests.browser.language_model import LanguageModel, answering
from tests.edge import Edge, Stage, lifespan, make_keys, settings_for
from tests.html_pages import HtmlPage
from tests.oauth.delegations import session_of

NAMES = ("Ann Abel", "Ben Abel", "Cora Abel", "Dan Abel", "Unclear Ulf", "Nobody Nora")
SCALE = "On a scale of 1 to 10, how likely are you to recommend the bicycle hire?"
OPEN = "What would make the bicycle hire better for you?"
PATIENCE = 60.0


@dataclass
class Browser:
    """A browser in which somebody is signed in, and the token of the forms that it is shown."""

    http: httpx2.AsyncClient
    headers: dict[str, str]
    token: str

    async def get(self, path: str) -> httpx2.Response:
        return await self.http.get(path, headers=self.headers)

    async def post(self, path: str, **fields: Any) -> httpx2.Response:
        return await self.http.post(path, data={csrf.FIELD: self.token, **fields}, headers=self.headers)


@dataclass
class House:
    """A gateway with personas of one account, in whose browser `ada` is signed in."""

    parts: Composition
    edge: Edge
    ada: Browser
    user: User
    model: LanguageModel
    ids: dict[str, str]

    async def browser(self, user: User) -> Browser:
        secret = await session_of(self.parts.oauth.stores.sessions, user, datetime.now(UTC))
        name = self.parts.oauth.signed_in.cookies.name("session")
        origin = self.parts.settings.site_url
        headers = {"cookie": f"{name}={secret}", "origin": origin}
        return Browser(self.edge.client, headers, csrf.token(secret, "console"))

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = (await self.edge.call(tool, arguments, key=self.edge.key)).json()["result"]
        assert not answer.get("isError"), answer
        content: dict[str, Any] = answer["structuredContent"]
        return content

    async def are_training(self) -> bool:
        return any(one["status"] != "completed" for one in (await self.call("list_my_ai_personas"))["personas"])

    async def panel(self, name: str) -> str:
        """The path of a new panel of two groups."""
        ids = list(self.ids.values())
        groups = [{"name": "Commuters", "sparkIds": ids[:3]}, {"name": "Students", "sparkIds": ids[3:]}]
        made = await self.call("create_panel", name=name, groupConfigs=groups)
        return f"/panels/{made['panelId']}"

    async def asked(self, name: str, question: str) -> str:
        """The path of a question that a new panel has answered."""
        panel = await self.panel(name)
        asked = await self.call("ask_panel", panelId=panel.rpartition("/")[2], question=question)
        assert asked["status"] == "completed"
        return f"{panel}/questions/{asked['questionId']}"


@asynccontextmanager
async def gateway(folder: Path, model: LanguageModel) -> AsyncIterator[House]:
    settings = settings_for(folder)
    key, narrow = await make_keys(settings, ALL)
    parts = Composition(settings, Parts(toolsets=discover(["personas", "panels"])))
    app = connect(parts)
    transport = httpx2.ASGITransport(app)
    client = httpx2.AsyncClient(transport=transport, base_url=settings.site_url, timeout=PATIENCE)
    async with lifespan(app), client:
        (user,) = await parts.oauth.stores.accounts.list_users()
        house = House(parts, Edge(app, client, Stage(), key, narrow), Browser(client, {}, ""), user, model, {})
        house.ada = await house.browser(user)
        yield house


@pytest.fixture(scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    with answering() as model, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LLM_BASE_URL", model.url)
        patch.setenv("LLM_MODEL", "test-model")
        async with gateway(tmp_path_factory.mktemp("panels"), model) as house:
            made = await house.call(
                "create_personas", rows=[{"name": one, "context": f"{one} rides to work."} for one in NAMES]
            )
            house.ids = {one["name"]: one["sparkId"] for one in made["created"]}
            async with asyncio.timeout(PATIENCE):
                while await house.are_training():
                    pass
            yield house


async def stranger(house: House) -> Browser:
    user = User(str(uuid4()), f"{uuid4().hex}@example.com", datetime.now(UTC))
    await house.parts.oauth.stores.accounts.add_user(user)
    return await house.browser(user)


@pytest.mark.parametrize("path", ["/panels", "/panels/new", "/panels/x", "/panels/x/questions/y"])
async def test_who_is_not_signed_in_goes_to_the_sign_in_page(house: House, path: str) -> None:
    response = await house.edge.client.get(path)

    assert response.status_code == 303
    assert response.headers["location"].startswith("/oauth/login?")


async def test_nobody_elses_panel_is_shown_asked_or_exported(house: House) -> None:
    question = await house.asked("Hers alone", SCALE)
    panel = question.partition("/questions")[0]
    bob = await stranger(house)

    seen = [await bob.get(path) for path in (panel, question, f"{question}/export", f"{question}?share=1")]
    asked = await bob.post(f"{panel}/questions", question=SCALE)

    assert [each.status_code for each in (*seen, asked)] == [404] * 5
    assert "Hers alone" not in "".join(each.text for each in seen)
    assert "Hers alone" not in (await bob.get("/panels")).text


async def test_a_form_without_its_token_does_nothing(house: House) -> None:
    panel = await house.panel("Guarded")

    response = await house.edge.client.post(f"{panel}/questions", data={"question": SCALE}, headers=house.ada.headers)

    assert response.status_code == 403
    assert "Nothing was asked yet" in (await house.ada.get(panel)).text


async def test_one_group_more_keeps_what_was_filled_in(house: House) -> None:
    given = {"name": "Riders", "group": ["0"], "name-0": "First", "members-0": [house.ids["Ann Abel"]], "do": "add"}

    response = await house.ada.post("/panels/new", **given)

    page = HtmlPage(response.text)
    form = page.forms[-1]
    assert (form.fields["name"], form.fields["name-0"], form.fields["name-1"]) == ("Riders", "First", "")
    assert form.fields["members-0"] == house.ids["Ann Abel"]


async def test_who_is_chosen_stays_chosen_while_others_are_looked_for(house: House) -> None:
    ann = house.ids["Ann Abel"]
    given = {"name": "Riders", "group": ["0"], "members-0": [ann], "find": "Nobody", "do": "find"}

    response = await house.ada.post("/panels/new", **given)

    assert f'<input type="hidden" name="members-0" value="{ann}">' in response.text
    assert "Nobody Nora" in response.text


async def test_a_panel_without_anybody_is_refused_beside_what_was_filled_in(house: House) -> None:
    response = await house.ada.post("/panels/new", name="Nobody in it", group=["0"])

    assert response.status_code == 400
    assert HtmlPage(response.text).forms[-1].fields["name"] == "Nobody in it"


async def test_what_cannot_be_asked_is_told_beside_it(house: House) -> None:
    panel = await house.panel("Refusing")
    given = {"question": "Which?", "kind": "scale", "low": "9", "high": "1"}

    response = await house.ada.post(f"{panel}/questions", **given)

    assert response.status_code == 400
    alert = re.findall(r'role="alert"[^>]*>([^<]+)<', response.text)[0]
    assert alert == "Scale: Lowest must be below Highest, and at most 100 apart."
    assert HtmlPage(response.text).inputs["low"]["value"] == "9"


async def test_the_form_does_not_wait_for_the_answers_and_the_stream_tells_of_them(house: House) -> None:
    panel = await house.panel("Slow")
    house.model.go.clear()

    response = await house.ada.post(f"{panel}/questions", question=SCALE)

    question = response.headers["location"]
    assert question.startswith(f"{panel}/questions/")
    assert "0 of 6" in (await house.ada.get(question)).text
    house.model.go.set()
    async with asyncio.timeout(PATIENCE):
        stream = await house.ada.get(f"{question}/live")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "6 of 6" in stream.text
    assert stream.text.endswith("event: done\ndata:\n\n")


async def test_the_list_names_who_cannot_answer_and_marks_no_other_panel(house: House) -> None:
    empty = await house.call("create_ai_persona_or_digital_twin", name="Empty Emma", mode="manual")
    groups = [{"name": "All", "sparkIds": [empty["sparkId"], house.ids["Ann Abel"]]}]
    await house.call("create_panel", name="Mixed pickle", groupConfigs=groups)
    await house.panel("Complete crew")

    marked, unmarked = [(await house.ada.get(f"/panels?q={name}")).text for name in ("Mixed pickle", "Complete crew")]

    assert "1 cannot answer now" in marked
    assert "Empty Emma (" in marked
    assert "Ann Abel" not in marked
    assert "cannot answer now" not in unmarked
    await house.call("delete_persona", sparkId=empty["sparkId"])


async def test_where_few_answered_that_comes_first(house: House) -> None:
    ids = [house.ids[one] for one in ("Ann Abel", "Unclear Ulf", "Nobody Nora")]
    made = await house.call("create_panel", name="Silent", groupConfigs=[{"name": "Three", "sparkIds": ids}])
    asked = await house.call("ask_panel", panelId=made["panelId"], question=SCALE)

    page = (await house.ada.get(f"/panels/{made['panelId']}/questions/{asked['questionId']}")).text

    assert page.index("Only 1 of 3") < page.index('class="headline"')


async def test_several_lines_are_a_study(house: House) -> None:
    panel = await house.panel("Study")

    response = await house.ada.post(f"{panel}/questions", question=f"{SCALE}\n\n{OPEN}\n")

    assert response.headers["location"] == panel
    async with asyncio.timeout(PATIENCE):
        page = ""
        while page.count("<h3><a") < 2 or "data-live" in page:
            page = (await house.ada.get(panel)).text


async def test_an_estimate_asks_nobody(house: House) -> None:
    panel = await house.panel("Estimated")

    response = await house.ada.post(f"{panel}/questions", question=SCALE, do="estimate")

    assert "6 answers" in response.text
    assert "Nothing was asked yet" in response.text


async def test_an_answer_is_coded_by_hand_and_that_is_taken_back(house: House) -> None:
    question = await house.asked("Coding", SCALE)
    ulf = {"persona": house.ids["Unclear Ulf"]}
    assert "n = 4" in (await house.ada.get(question)).text

    coded = await house.ada.post(f"{question}/answers", value="7", **ulf)
    assert (coded.status_code, coded.headers["location"]) == (303, question)
    assert "n = 5" in (await house.ada.get(question)).text

    await house.ada.post(f"{question}/answers", do="undo", **ulf)
    assert "n = 4" in (await house.ada.get(question)).text


async def test_a_value_that_is_none_is_refused_beside_the_result(house: House) -> None:
    question = await house.asked("Miscoding", SCALE)
    ulf = {"persona": house.ids["Unclear Ulf"]}

    for value in ("", "99"):
        response = await house.ada.post(f"{question}/answers", value=value, **ulf)
        assert response.status_code == 400
        assert "n = 4" in response.text


async def test_themes_are_renamed(house: House) -> None:
    question = await house.asked("Themes", OPEN)
    first = re.findall(r'name="themes" value="([^"]+)"', (await house.ada.get(question)).text)[0]

    response = await house.ada.post(f"{question}/themes", action="rename", themes=first, label="Wet and angry")

    assert response.status_code == 303
    assert "Wet and angry" in (await house.ada.get(question)).text


async def test_an_export_leads_to_the_file(house: House) -> None:
    question = await house.asked("Exported", SCALE)

    response = await house.ada.get(f"{question}/export?format=csv")

    assert response.status_code == 303
    assert "Ann Abel" in (await house.edge.client.get(response.headers["location"])).text


async def link_to(house: House, question: str) -> str:
    found = re.search(r'<code id="link">([^<]+)</code>', (await house.ada.get(f"{question}?share=1")).text)
    assert found is not None
    return found[1].removeprefix(house.parts.settings.site_url)


async def test_a_shared_link_shows_the_result_and_nothing_to_press(house: House) -> None:
    link = await link_to(house, await house.asked("Shared", SCALE))

    response = await house.edge.client.get(link)

    assert response.status_code == 200
    assert SCALE in response.text
    assert HtmlPage(response.text).forms == []
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "noindex" in response.headers["x-robots-tag"]
    assert "script-src" not in response.headers["content-security-policy"]


async def test_who_opens_a_shared_link_spends_the_allowance_of_their_address_and_not_of_its_owner(house: House) -> None:
    link = await link_to(house, await house.asked("Counted", SCALE))

    seen = [(await house.edge.client.get(link)).headers for _ in range(2)]
    first, second = (headers["x-ratelimit-remaining"] for headers in seen)
    policy = seen[0]["ratelimit-policy"]

    assert int(second) == int(first) - 1
    assert "anonymous" in policy


async def test_a_link_that_was_altered_is_too_old_or_of_something_else_does_not_work(house: House) -> None:
    question = await house.asked("Expired", SCALE)
    link = await link_to(house, question)
    data = orjson.dumps([house.user.id, *question.split("/")[2::2], 0])
    seal, before = house.parts.oauth.sealer.seal, datetime.now(UTC) - timedelta(days=7, seconds=1)
    links = [f"{link[:-4]}AAAA", f"/shared/{seal(PURPOSE, data, before)}", f"/shared/{seal('other', data, before)}"]

    seen = [await house.edge.client.get(one) for one in links]

    assert [each.status_code for each in seen] == [404, 404, 404]
    assert all(each.headers["referrer-policy"] == "no-referrer" for each in seen)


async def test_a_link_ends_with_the_account_that_shared(house: House) -> None:
    link = await link_to(house, await house.asked("Disabled", SCALE))
    accounts = house.parts.oauth.stores.accounts
    await accounts.set_disabled(house.user.id, datetime.now(UTC))
    try:
        assert (await house.edge.client.get(link)).status_code == 404
    finally:
        await accounts.set_disabled(house.user.id, None)
        house.ada = await house.browser(house.user)  # disabling ended the session


async def test_streams_end_with_the_process(house: House) -> None:
    streams = Streams()

    async def look() -> tuple[str, str]:
        streams.end()
        return "<p>half\nof it</p>", ""

    stream = streams.response(house.user.id, look)

    async with asyncio.timeout(PATIENCE):
        assert [event async for event in stream.body_iterator] == [BEGIN, b"data: <p>half\ndata: of it</p>\n\n"]


@pytest.mark.parametrize(("code", "end"), [("not_found", [b"event: done\ndata:\n\n"]), ("TIMEOUT", [])])
async def test_a_page_is_loaded_again_where_what_it_shows_is_gone_and_waits_where_that_passes(
    code: str, end: list[bytes]
) -> None:
    async def look() -> tuple[str, str]:
        raise CallRefused(code, "", {})

    stream = Streams().response("ada", look)

    assert [event async for event in stream.body_iterator] == [BEGIN, *end]
