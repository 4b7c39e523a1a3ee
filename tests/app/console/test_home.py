"""The home page: to strangers what this is, to who is signed in what they have, and to programs one line."""

from pathlib import Path

from tests.app.console.people import HTML, House, Person, house
from tests.edge import SITE, Edge
from tests.html_pages import HtmlPage


async def test_a_stranger_is_told_what_this_is_and_where_to_go(home: House) -> None:
    page = await home.stranger.get("/", headers=HTML)

    assert page.status_code == 200
    assert f"<code>{SITE}/mcp</code>" in page.text
    assert {"/personas", "/connect", "/account", "/docs"} <= set(HtmlPage(page.text).links)


async def test_a_program_is_told_the_address_in_one_line(home: House) -> None:
    answer = await home.stranger.get("/", headers={"accept": "application/json, */*"})

    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert f"{SITE}/mcp" in answer.text


async def test_a_signed_in_person_sees_what_an_assistant_made_a_moment_ago(ada: Person) -> None:
    empty = (await ada.get("/")).text
    made = await ada.api("POST", "/minds", json={"name": "Blank", "discipline": "Looms", "mode": "manual"})
    group = await ada.api("POST", "/audiences", json={"name": "Weavers", "mindIds": [made["data"]["id"]]})
    await ada.api("POST", "/studies", json={"name": "Prices", "audienceIds": [group["data"]["id"]]})

    page = (await ada.get("/")).text

    assert "No persona yet" in empty
    assert "No panel yet" in empty
    assert f"/personas/{made['data']['id']}" in HtmlPage(page).links
    assert "Prices" in page


async def test_only_what_is_served_is_offered(edge: Edge) -> None:
    page = await edge.client.get("/", headers=HTML)

    assert page.status_code == 200
    assert "/personas" not in HtmlPage(page.text).links
    assert (await edge.client.get("/personas", headers=HTML)).status_code == 404


async def test_what_fails_is_said_in_its_place_and_the_page_stands(tmp_path: Path) -> None:
    async with house(tmp_path, rate_limit_tools="list_my_ai_personas=1/minute,*=100000/minute") as home:
        ada = await home.person()
        await ada.get("/")

        page = await ada.get("/")

    assert page.status_code == 200
    assert "too often" in page.text
    assert "No panel yet" in page.text


async def test_an_address_with_nothing_leads_somebody_who_is_signed_in_to_their_own_pages(ada: Person) -> None:
    page = await ada.get("/account/nope")

    assert page.status_code == 404
    assert "Signed in as" in page.text
    assert "This server lets AI assistants" not in page.text
