"""What is attached to a question is read once, or refused by its place; and everybody has a row."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.reader import fetch_document
from app.internal_api.models.asking import AskStudy
from app.internal_api.panels.classifier import ResponseFormat
from app.internal_api.resources.asking import new_answers, new_question
from app.internal_api.resources.asking_sources import MAX_CONTEXT, context_of
from app.internal_api.store.questions import questions
from app.internal_api.store.rows import storable
from app.internal_api.store.studies import Membership
from tests.app.internal_api.panels.panels import SCALE, make_panel, queue, stored
from tests.app.internal_api.panels.stored import STUDY
from tests.app.internal_api.support import LINK, PAGE, World
from tests.loopback import reply, serving

GROUPS = {"Old": ["Ada", "Ben"]}
HUGE = "https://example.com/huge.pdf"


async def _context(world: World, **body: Any) -> str:
    panel = await make_panel(world.engine, GROUPS)
    question_id = await queue(world, panel, **body)
    return (await stored(world.engine, question_id))[0].context


async def _refused(world: World, **body: Any) -> httpx2.Response:
    """What is answered, and nothing stored."""
    panel = await make_panel(world.engine, GROUPS)
    refused = await world.client().post(panel.path, json={"question": SCALE, **body})
    async with world.engine.connect() as connection:
        assert (await connection.execute(select(questions.c.id))).all() == []
    return refused


async def test_attachments_links_and_keywords_are_read_once_and_given_to_everybody(world: World) -> None:
    world.web.pages |= {f"{LINK}/2": "Second.", f"{LINK}/3": "Third.", f"{LINK}/4": "Fourth."}
    body = {
        "attachments": [{"url": LINK, "name": "The page", "type": "text/html"}],
        "links": [f"{LINK}/2", {"label": "Three", "url": f"{LINK}/3", "id": 7}],
        "keywords": ["price", {"label": "taste"}, {"label": "Four", "url": f"{LINK}/4"}],
    }

    context = await _context(world, **body)
    await world.ask_all()

    assert context == (
        f"Keywords: price, taste\n\n[1] The page (example.com)\n{PAGE}\n\n[2] Tea (example.com)\nSecond.\n\n"
        "[3] Three (example.com)\nThird.\n\n[4] Four (example.com)\nFourth."
    )
    assert sorted(world.web.asked) == sorted([LINK, f"{LINK}/2", f"{LINK}/3", f"{LINK}/4"])
    given = [asked[1].context for what, asked in world.persona_engine.asked if what == "survey"]
    assert given == [context, context]


async def test_a_text_beyond_the_limit_is_cut_and_says_so(world: World) -> None:
    world.web.pages[LINK] = "a" * 50_000

    context = await _context(world, links=[LINK])

    assert context.endswith("[cut: only the first 20,000 of 50,000 characters are given]")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"attachments": [{"path": "/tmp/notes.txt"}]}, "path"),
        ({"attachments": [{"name": "notes.txt"}]}, "url"),
        ({"attachments": [{"url": "file:///etc/passwd"}]}, "attachments.0.url"),
        ({"attachments": [LINK]}, "attachments.0"),
        ({"attachments": [{"url": LINK}] * 6}, "attachments"),
        ({"links": [LINK] * 6}, "links"),
        ({"links": [{"label": "Tea"}]}, "links.0"),
        ({"links": ["tea"]}, "links.0.url"),
        ({"keywords": [{"id": "1"}]}, "keywords.0"),
        ({"keywords": ["tea"] * 6}, "keywords"),
    ],
)
async def test_what_is_no_source_is_refused_by_its_place(world: World, body: dict[str, Any], says: str) -> None:
    refused = await _refused(world, **body)

    assert refused.status_code == 400
    assert says in refused.json()["message"]
    assert world.web.asked == []


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (SourceRefused("unreachable", "The page's server cannot be reached."), 400),
        (SourceRefused("timeout", "The page was not read within 20 seconds."), 400),
        (SourceRefused("not_text", "The page is not of an accepted kind: text, PDF."), 400),
        (SourceRefused("too_large", "The page is larger than 10,485,760 bytes."), 413),
    ],
)
async def test_what_cannot_be_read_is_refused_by_its_code_with_nothing_stored(
    world: World, failure: SourceRefused, status: int
) -> None:
    world.web.pages[HUGE] = failure

    refused = await _refused(world, links=[LINK], attachments=[{"url": HUGE}])

    assert refused.status_code == status
    assert refused.json()["data"] == {"code": failure.code, "field": "attachments.0"}
    assert failure.message in refused.json()["message"]


async def test_an_address_that_may_not_be_reached_is_refused_before_anything_is_fetched(world: World) -> None:
    world.refused_links[f"{LINK}/2"] = SourceRefused("private_address", "The address is private.")

    refused = await _refused(world, links=[LINK, f"{LINK}/2"])

    assert (refused.status_code, refused.json()["data"]["code"]) == (400, "private_address")
    assert world.web.asked == []


async def test_a_picture_is_refused_with_the_kinds_that_are_taken(world: World) -> None:
    refused = await _refused(world, attachments=[{"url": LINK, "type": "image/PNG"}])

    assert (refused.status_code, refused.json()["data"]["code"]) == (400, "not_text")
    assert "PDF" in refused.json()["message"]
    assert world.web.asked == []


@pytest.mark.parametrize("declared", [True, False])
async def test_a_hundred_megabytes_are_refused_after_a_few(
    world: World, monkeypatch: pytest.MonkeyPatch, *, declared: bool
) -> None:
    sent = [0]
    length = b"Content-Length: 104857600\r\n" if declared else b""

    async def endless(writer: Any) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + length + b"\r\n")
        for _ in range(1600):
            writer.write(b"a" * 65536)
            await writer.drain()
            sent[0] += 65536

    async with serving({"/huge.txt": endless, "/tea": reply("200 OK", b"Tea.")}) as server, httpx2.AsyncClient() as web:

        async def fetch(url: str) -> Any:
            return await fetch_document(web, url, max_bytes=world.settings.max_fetch_bytes, deadline=20)

        monkeypatch.setattr(world.web, "fetch", fetch)
        refused = await _refused(world, attachments=[{"url": f"{server.origin}/huge.txt"}])

    assert (refused.status_code, refused.json()["data"]["code"]) == (413, "too_large")
    assert "10,485,760 bytes" in refused.json()["message"]
    assert sent[0] < 40_000_000


async def test_a_repeated_request_fetches_nothing_again(world: World) -> None:
    panel = await make_panel(world.engine, GROUPS)
    request_id = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"

    asked = [await queue(world, panel, links=[LINK], clientRequestId=request_id) for _ in range(2)]

    assert asked[0] == asked[1]
    assert world.web.asked == [LINK]


ASKED = AskStudy(question="How much?")
READY = Membership(
    audience_id="a1",
    audience_name="Old",
    mind_id="m1",
    mind_name="Ada",
    discipline="Tea",
    profile_image_url="https://example.com/ada.png",
    ready=True,
    training_status="completed",
)
UNTRAINED = replace(READY, audience_id="a2", mind_id="m2", mind_name="Ben", ready=False, training_status="running")


def test_everybody_has_a_row_and_who_is_not_ready_has_failed_at_once() -> None:
    question = new_question(STUDY, ASKED, ResponseFormat("multiselect", options=("a", "b"), most=1), "", 50)

    spoilt = replace(UNTRAINED, training_status="failed")
    ada, ben, cleo, dan = new_answers(question, [READY, UNTRAINED, spoilt, replace(spoilt, training_status="empty")])

    assert (ada.position, ada.mind_name, ada.audience_name, ada.discipline) == (0, "Ada", "Old", "Tea")
    assert (ada.status, ada.error_code, ada.answered_at) == ("pending", None, None)
    assert (ben.position, ben.mind_id, ben.audience_id) == (1, "m2", "a2")
    assert (ben.status, ben.error_code, ben.answered_at) == ("failed", "NOT_READY", 50)
    assert (cleo.status, cleo.error_code) == ("failed", "TRAINING_FAILED")
    assert (dan.status, dan.error_code) == ("failed", "EMPTY")
    assert {ada.question_id, ben.question_id} == {question.id}


def source(title: str, origin: str, text: str) -> Document:
    """A document that was read."""
    return Document(title, text, origin, None, "text/plain", None)


def test_each_source_is_named_and_given_whole_where_there_is_room() -> None:
    sources = [source("Prices", "example.com", "Tea is 3 EUR."), source("notes.txt", "notes.txt", "Nobody likes it.")]

    context = context_of(sources, ["price", "taste"])

    assert context == (
        "Keywords: price, taste\n\n[1] Prices (example.com)\nTea is 3 EUR.\n\n[2] notes.txt\nNobody likes it."
    )


@given(st.lists(st.text(max_size=30_000), max_size=3))
def test_the_text_of_all_sources_stays_within_the_limit(texts: list[str]) -> None:
    context = context_of([source("T", "T", text) for text in texts])

    assert len(context) <= MAX_CONTEXT + 100 * len(texts)


@given(st.text(alphabet=st.characters() | st.characters(categories=["Cs"]) | st.just("\0")))
def test_whatever_an_engine_says_can_be_stored(text: str) -> None:
    kept = storable(text)

    assert "\0" not in kept
    assert kept.encode().decode() == kept
    assert len(kept) == len(text)
