"""The page shows this very server, and checks it only for who is signed in."""

import re

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.doctor.examination import ClientReport, Report
from app.doctor.findings import Finding, Status
from app.doctor.profiles import Profile
from mcp_server.audit.entries import Entry, Event
from tests.app.account.house import NOW, SITE, house

REPORT = Report(
    f"{SITE}/mcp",
    (
        ClientReport("cursor", "Cursor", (Finding("reach", Status.OK, "200"),)),
        ClientReport(
            "claude", "Claude", (Finding("cors", Status.FAILED, "there is no header `X-<b>`", "Send `X: 1`."),)
        ),
        ClientReport("chatgpt", "ChatGPT", (Finding("reach", Status.UNDECIDED, "it is far away.", "Publish it."),)),
    ),
)


async def report(_url: str, profiles: tuple[Profile, ...]) -> Report:
    names = {profile.name for profile in profiles}
    return Report(REPORT.url, tuple(client for client in REPORT.clients if client.name in names))


async def test_everybody_sees_the_steps_for_this_server_and_clients_on_the_web_first(engine: AsyncEngine) -> None:
    async with house(engine, examine=report) as home:
        page = await home.http.get("/connect")

    assert page.status_code == 200
    assert f"{SITE}/mcp" in page.text
    assert "claude mcp add" in page.text
    names = re.findall(r"<h2>(.+?)</h2>", page.text)
    assert names[:3] == ["ChatGPT", "Claude", "Claude Code"]
    assert len(re.findall(r"<details[^>]* open>", page.text)) == 1
    assert all(f"?check={each}" in page.text for each in ("all", "chatgpt", "gemini", "other"))


async def test_every_block_has_its_own_button_that_copies_it(engine: AsyncEngine) -> None:
    async with house(engine, examine=report) as home:
        page = (await home.http.get("/connect")).text

    blocks = re.findall(r'<pre id="([^"]+)"', page)
    assert len(blocks) > 10
    assert re.findall(r'data-copy="([^"]+)" hidden', page) == blocks


async def test_the_check_of_one_client_is_for_who_is_signed_in_and_plays_that_client_alone(engine: AsyncEngine) -> None:
    played: list[tuple[str, ...]] = []

    async def noting(url: str, profiles: tuple[Profile, ...]) -> Report:
        played.append(tuple(profile.name for profile in profiles))
        return await report(url, profiles)

    async with house(engine, examine=noting) as home:
        stranger = await home.http.get("/connect?check=claude")
        browser = await home.browser(await home.account("ada@example.com"))
        page = (await browser.get("/connect?check=claude")).text
        unknown = await browser.get("/connect?check=nothing")

    assert stranger.status_code == 303
    assert unknown.status_code == 200
    assert played == [("claude",)]
    assert page.count("cannot connect</span>") == 1
    assert "There is no header <code>X-&lt;b&gt;</code>." in page
    assert "Send <code>X: 1</code>." in page
    assert page.index('id="claude"') > page.index(" open>") > page.index('id="chatgpt"')


async def test_the_check_of_all_clients_calls_far_ones_neither_right_nor_wrong(engine: AsyncEngine) -> None:
    async def all_of_them(url: str, profiles: tuple[Profile, ...]) -> Report:
        known = {client.name: client for client in REPORT.clients}
        return Report(url, tuple(known.get(each.name, ClientReport(each.name, each.title, ())) for each in profiles))

    async with house(engine, examine=all_of_them) as home:
        page = (await (await home.browser(await home.account("ada@example.com"))).get("/connect?check=all")).text

    verdicts = dict(re.findall(r'<h2>(.+?)</h2>\s+<span[^>]+>[^<]+</span>\s+<span class="badge (\w+)">', page))
    assert verdicts["ChatGPT"] == "warn"
    assert verdicts["Claude"] == "bad"
    assert {verdicts[name] for name in ("Cursor", "VS Code", "Gemini CLI")} == {"good"}
    assert "It is far away." in page
    assert "Publish it." in page


UNTRIED = Finding("authorize", Status.UNDECIDED, "nobody can see that", "Run the doctor without --no-register.")
SKIPPED = Finding("sign-in", Status.SKIPPED, "nobody signed in", "Run the doctor with --login to see this step.")
FAR = Finding("reach", Status.UNDECIDED, "it is far away.", "Publish it.")
BROKEN = Finding("cors", Status.FAILED, "no header.", "Send it.")


@pytest.mark.parametrize(
    ("findings", "shown", "remarked"),
    [
        ((UNTRIED, SKIPPED), "ready", True),
        ((FAR, UNTRIED), "not decided", True),
        ((BROKEN, UNTRIED), "cannot connect", False),
        ((), "ready", False),
    ],
)
async def test_a_sign_in_that_the_check_does_not_try_is_a_remark_and_no_doubt(
    engine: AsyncEngine, findings: tuple[Finding, ...], shown: str, *, remarked: bool
) -> None:
    async def untried(_url: str, _profiles: tuple[Profile, ...]) -> Report:
        return Report(f"{SITE}/mcp", (ClientReport("cursor", "Cursor", findings),))

    async with house(engine, examine=untried) as home:
        page = await (await home.browser(await home.account("ada@example.com"))).get("/connect?check=cursor")

    assert f"{shown}</span>" in page.text
    assert ("Not tried, because" in page.text) is remarked
    assert "Run the doctor" not in page.text
    assert ("It is far away." in page.text) is (FAR in findings)
    assert ("Send it." in page.text) is (BROKEN in findings)


async def test_the_last_call_that_arrived_proves_a_connection(engine: AsyncEngine) -> None:
    async with house(engine, examine=report) as home:
        ada = await home.account("ada@example.com")
        called = Entry(Event.TOOL_SUCCESS, subject=ada.id, client="client", tool="list_panels", time=NOW.timestamp())
        home.recorder.record(called)
        page = await (await home.browser(ada)).get("/connect")

    assert 'list_panels, <time datetime="2026-11-20T09:00Z" data-moment>20 November 2026, 09:00 UTC</time>' in page.text


async def test_towards_a_real_api_the_page_says_where_keys_come_from(engine: AsyncEngine) -> None:
    async with house(engine, real_api="https://api.minds.example") as home:
        page = (await home.http.get("/connect")).text
    async with house(engine) as home:
        embedded = (await home.http.get("/connect")).text

    assert page.count("made by the Minds API at https://api.minds.example") == 2
    assert "api.minds.example" not in embedded
    assert "made on your account page" in embedded


async def test_where_calls_are_not_kept_the_page_claims_nothing_about_them(engine: AsyncEngine) -> None:
    async with house(engine, is_kept=False) as home:
        page = await (await home.browser(await home.account("ada@example.com"))).get("/connect")

    assert "Calls are not kept here" in page.text
    assert "The last call" not in page.text
