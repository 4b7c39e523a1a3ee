"""The pages of personas: what a signed-in person does there, what is refused, and what strangers wrote stays text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.app.console.people import HTML, House, Person, house, shown
from tests.html_pages import HtmlPage
from tests.journeys.handbook import ANSWERED, TITLE, handbook

NOBODYS = "/personas/3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f"
PDF = "application/pdf"


def turns(page: str) -> str:
    return str(HtmlPage(page).inputs["turns"]["value"])


@pytest.mark.parametrize(
    "path", ["/personas?q=Ada", "/personas/new", NOBODYS, f"{NOBODYS}/settings", f"{NOBODYS}/live"]
)
async def test_who_is_not_signed_in_is_led_to_the_sign_in(home: House, path: str) -> None:
    answer = await home.stranger.get(path, headers=HTML)

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/oauth/login?continue=")


async def test_without_a_session_or_the_forms_token_nothing_is_made(home: House, ada: Person) -> None:
    wish = {"name": "Nobody", "source": "text", "text": "Nothing."}

    unknown = await home.stranger.post("/personas/new", data=wish, headers={"origin": ada.headers["origin"]})
    forged = await ada.http.post("/personas/new", data={**wish, "csrf": "0" * 64}, headers=ada.headers)
    foreign = await ada.http.post(
        "/personas/new", data=wish, headers={**ada.headers, "origin": "https://elsewhere.example"}
    )

    assert [unknown.status_code, forged.status_code, foreign.status_code] == [403] * 3
    assert "No persona yet" in (await ada.get("/personas")).text


async def test_a_persona_made_from_a_document_is_followed_to_the_end_and_cites_its_pages(ada: Person) -> None:
    made = await ada.post(
        "/personas/new", {"name": "Deckhand", "source": "file"}, file=("hand book.pdf", handbook(), PDF)
    )
    address = made.headers["location"]
    events = await ada.trained(address)

    answer = await ada.post(address, {"message": ANSWERED[0].words, "turns": ""}, page=address)

    assert "Trained" in events
    assert events.endswith("event: done\ndata:\n\n")
    assert ANSWERED[0].fact in answer.text
    assert f"{TITLE}</bdi>, page {ANSWERED[0].page}" in answer.text
    assert "hand book.pdf" in (await ada.get(f"{address}/knowledge")).text


async def test_a_persona_without_knowledge_is_empty_until_it_is_given_some_and_then_followed(ada: Person) -> None:
    made = await ada.api("POST", "/minds", json={"name": "Blank", "discipline": "None", "mode": "manual"})
    address = f"/personas/{made['data']['id']}"
    await ada.trained(address)
    assert "Give it something to know" in (await ada.get(address)).text

    added = await ada.post(
        f"{address}/knowledge",
        {"source": "file"},
        page=f"{address}/knowledge",
        file=("a.md", b"# Damask\n\nWoven.", ""),
    )
    events = await ada.get(f"{address}/knowledge/live")

    assert added.status_code == 303
    assert "event: end" in events.text
    assert '<span class="badge good">Read</span>' in events.text
    assert "Your message" in (await ada.get(address)).text


async def test_a_conversation_is_carried_along_by_the_page_and_shown_again_without_another_answer(ada: Person) -> None:
    address = await ada.persona()

    first = await ada.post(address, {"message": "What does the loom weave?", "turns": ""}, page=address)
    second = await ada.post(address, {"message": "And when?", "turns": turns(first.text)}, page=address)
    again = await ada.post(address, {"message": "", "turns": turns(second.text)}, page=address)

    told = json.loads(turns(second.text))
    assert [turn["role"] for turn in told] == ["user", "assistant"] * 2
    assert turns(again.text) == turns(second.text)
    assert second.text.count('class="said"') == again.text.count('class="said"') == 4
    assert shown(first.text).count("The loom weaves damask at night.") >= 2  # said, and quoted as its source


BAD: list[tuple[dict[str, str], Any, str]] = [
    ({"name": "", "text": "x"}, None, "Name"),
    ({"name": "A", "text": "x"}, None, "Name"),
    ({"text": ""}, None, "Text"),
    ({"source": "link", "link": ""}, None, "Link"),
    ({"source": "link", "link": "javascript:alert(1)"}, None, "Link"),
    ({"source": "link", "link": "http://169.254.169.254/latest"}, None, "public"),
    ({"source": "file"}, None, "Document"),
    ({"source": "file"}, ("empty.txt", b"", "text/plain"), "Document"),
    ({"source": "file"}, ("large.txt", b"a" * 3_000_001, "text/plain"), "3 MB"),
    ({"text": "x", "attributes": "region North"}, None, "Attributes"),
    ({"text": "x", "attributes": f"region: {'N' * 201}"}, None, "Attributes"),
]


@pytest.mark.parametrize(("fields", "file", "about"), BAD, ids=lambda value: str(value)[:40])
async def test_bad_input_makes_nothing_keeps_what_was_filled_in_and_names_the_field(
    ada: Person, fields: dict[str, str], file: Any, about: str
) -> None:
    wish = {"name": "Ada", "source": "text", "discipline": "Looms", **fields}

    page = await ada.post("/personas/new", wish, file=file)

    assert page.status_code == 400
    alert = re.findall(r'role="alert"[^>]*>([^<]+)<', page.text)[0]
    assert about in alert
    assert not re.search(r"[a-z]+_[a-z]+|sparkId", alert), "names of tools and arguments are for models"
    form = HtmlPage(page.text).forms[0]
    assert (form.fields["name"], form.fields["discipline"]) == (wish["name"], "Looms")
    assert "No persona yet" in (await ada.get("/personas")).text


async def test_a_document_that_cannot_be_read_leaves_an_empty_persona_and_its_page_says_so(ada: Person) -> None:
    page = await ada.post("/personas/new", {"name": "Ada", "source": "file"}, file=("a.pdf", b"\x00\x01\x02", PDF))

    assert page.status_code == 400
    assert "The persona is there, and empty." in page.text
    assert "/knowledge" in next(form.action for form in HtmlPage(page.text).forms)


async def test_what_is_too_large_to_send_is_a_page_that_says_how_much_may_be_sent(ada: Person) -> None:
    page = await ada.post("/personas/new", {"source": "file"}, file=("huge.txt", b"a" * 5_000_000, "text/plain"))

    assert page.status_code == 413
    assert "4 MB" in page.text


async def test_somebody_elses_persona_is_not_there_on_any_page_and_no_form_reaches_it(home: House, ada: Person) -> None:
    address, bob = await ada.persona(), await home.person()
    forms = [
        ("", {"message": "Hello"}),
        ("/knowledge", {"source": "text", "text": "Lies."}),
        ("/knowledge/remove", {"item": "persona"}),
        ("/retrain", {}),
        ("/name", {"name": "Mine"}),
        ("/attributes", {"key": "owner", "value": "Bob"}),
        ("/delete", {"confirmed": "Ada"}),
    ]

    seen = [await bob.get(f"{address}{rest}") for rest in ("", "/knowledge", "/settings")]
    sent = [await bob.post(f"{address}{rest}", fields) for rest, fields in forms]
    live = await bob.get(f"{address}/live")

    assert [answer.status_code for answer in (*seen, *sent)] == [404] * 10
    assert not any("Ada" in answer.text for answer in (*seen, *sent, live))
    assert "<bdi>Ada</bdi>" in (await ada.get(address)).text
    assert (await bob.get("/personas/not-an-id")).status_code == 404


async def test_sources_are_added_removed_and_read_again(ada: Person) -> None:
    address = await ada.persona()
    page = f"{address}/knowledge"

    await ada.post(page, {"source": "text", "text": "Linen is bleached in May.", "title": "Bleaching"}, page=page)
    await ada.get(f"{page}/live")
    item = HtmlPage((await ada.get(page)).text).forms[1].fields["item"]
    removed = await ada.post(f"{page}/remove", {"item": item}, page=page)
    left = (await ada.get(page)).text
    again = await ada.post(f"{address}/retrain", {}, page=page)

    assert (removed.status_code, again.status_code) == (303, 303)
    assert left.count("Yes, remove") == 1
    assert "event: end" in (await ada.get(f"{page}/live")).text


async def test_a_persona_is_renamed_given_attributes_and_deleted_by_its_name_alone(ada: Person) -> None:
    address = await ada.persona(attributes="region: North")
    page = f"{address}/settings"

    await ada.post(f"{address}/name", {"name": "Ada of the looms"}, page=page)
    await ada.post(f"{address}/attributes", {"key": "role", "value": "Weaver"}, page=page)
    unlike = await ada.post(f"{address}/delete", {"confirmed": "Ada"}, page=page)
    settings = (await ada.get(page)).text
    deleted = await ada.post(f"{address}/delete", {"confirmed": " Ada of  the looms "}, page=page)

    assert unlike.status_code == 400
    assert "region: North" in settings
    assert "role: Weaver" in settings
    assert (deleted.status_code, deleted.headers["location"]) == (303, "/personas")
    assert (await ada.get(address)).status_code == 404
    assert "event: done" in (await ada.get(f"{address}/live")).text


async def test_a_long_list_has_pages_and_a_search(ada: Person) -> None:
    for number in range(26):
        await ada.api("POST", "/minds", json={"name": f"Weaver {number:02}", "discipline": "Looms", "mode": "manual"})

    first, second, wild = [(await ada.get(f"/personas?page={page}")).text for page in ("1", "2", "9" * 30)]
    found = (await ada.get("/personas?q=Weaver+07")).text
    none = (await ada.get("/personas?q=zebra")).text
    refused = await ada.get("/personas?q=%E2%80%AE")

    assert [page.count('class="card"') for page in (first, second, wild)] == [24, 2, 24]
    assert "Weaver 25" in first
    assert found.count('class="card"') == 1
    assert "Nothing is like" in none
    assert refused.status_code == 400


async def test_links_of_sources_open_apart_and_tell_nothing(ada: Person) -> None:
    address = await ada.persona()
    source = {"index": 1, "title": "A page", "link": "https://example.com/a?b=c"}
    said = [{"role": "assistant", "content": "So it is. [1]", "sources": [source]}]

    page = await ada.post(address, {"message": "", "turns": json.dumps(said)}, page=address)

    assert '<a href="https://example.com/a?b=c" target="_blank" rel="noopener noreferrer">' in page.text


async def test_a_limit_that_is_reached_is_told_beside_the_message_that_was_not_sent(tmp_path: Path) -> None:
    async with house(tmp_path, rate_limit_tools="talk_to_ai_persona=1/minute,*=100000/minute") as home:
        ada = await home.person()
        address = await ada.persona()
        first = await ada.post(address, {"message": "One?", "turns": ""}, page=address)

        second = await ada.post(address, {"message": "Two?", "turns": turns(first.text)}, page=address)

    assert second.status_code == 429
    assert "Two?</textarea>" in second.text
    assert turns(second.text) == turns(first.text)


async def test_the_calls_of_the_pages_are_told_on_the_account_page(ada: Person) -> None:
    await ada.get("/personas")

    assert "this website" in (await ada.get("/account/activity")).text


async def test_who_reloads_where_a_form_was_sent_to_is_led_back_to_its_page(ada: Person) -> None:
    page = await ada.get("/panels/00000000-0000-4000-8000-000000000001/questions")

    assert (page.status_code, page.headers["location"]) == (303, "/panels/00000000-0000-4000-8000-000000000001")
