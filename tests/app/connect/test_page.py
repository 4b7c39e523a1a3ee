"""The page shows this very server, and checks it only for who is signed in."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.doctor.examination import ClientReport, Report
from app.doctor.findings import Finding, Status
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


async def report(_url: str) -> Report:
    return REPORT


async def test_everybody_sees_the_steps_for_this_server(engine: AsyncEngine) -> None:
    async with house(engine, examine=report) as home:
        page = await home.http.get("/connect")

    assert page.status_code == 200
    assert f"{SITE}/mcp" in page.text
    assert "claude mcp add" in page.text


async def test_the_check_is_for_who_is_signed_in_and_calls_far_clients_neither_right_nor_wrong(
    engine: AsyncEngine,
) -> None:
    async with house(engine, examine=report) as home:
        stranger = await home.http.get("/connect?check=1")
        browser = await home.browser(await home.account("ada@example.com"))
        page = await browser.get("/connect?check=1")

    assert stranger.status_code == 303
    assert "✓ Cursor" in page.text
    assert "✗ Claude" in page.text
    assert ">There is no header <code>X-&lt;b&gt;</code>.</div>" in page.text
    assert ">Send <code>X: 1</code>.</div>" in page.text
    assert "\N{EN DASH} ChatGPT" in page.text
    assert ">It is far away.</div>" in page.text
    assert ">Publish it.</div>" in page.text


UNTRIED = Finding("authorize", Status.UNDECIDED, "nobody can see that", "Run the doctor without --no-register.")
FAR = Finding("reach", Status.UNDECIDED, "it is far away.", "Publish it.")
BROKEN = Finding("cors", Status.FAILED, "no header.", "Send it.")


@pytest.mark.parametrize(
    ("findings", "shown", "remarked"),
    [
        ((UNTRIED,), "✓ Cursor", True),
        ((FAR, UNTRIED), "\N{EN DASH} Cursor", True),
        ((BROKEN, UNTRIED), "✗ Cursor", False),
        ((), "✓ Cursor", False),
    ],
)
async def test_a_sign_in_that_the_check_does_not_try_is_a_remark_and_no_doubt(
    engine: AsyncEngine, findings: tuple[Finding, ...], shown: str, *, remarked: bool
) -> None:
    async def untried(_url: str) -> Report:
        return Report(f"{SITE}/mcp", (ClientReport("cursor", "Cursor", findings),))

    async with house(engine, examine=untried) as home:
        page = await (await home.browser(await home.account("ada@example.com"))).get("/connect?check=1")

    assert shown in page.text
    assert ("Signing in was not tried" in page.text) is remarked
    assert "--no-register" not in page.text
    assert (">It is far away.</div>" in page.text) is (FAR in findings)
    assert (">Send it.</div>" in page.text) is (BROKEN in findings)


async def test_the_last_call_that_arrived_proves_a_connection(engine: AsyncEngine) -> None:
    async with house(engine, examine=report) as home:
        ada = await home.account("ada@example.com")
        called = Entry(Event.TOOL_SUCCESS, subject=ada.id, client="client", tool="list_panels", time=NOW.timestamp())
        home.recorder.record(called)
        page = await (await home.browser(ada)).get("/connect")

    assert "list_panels, 20 November 2026, 09:00 UTC" in page.text


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
