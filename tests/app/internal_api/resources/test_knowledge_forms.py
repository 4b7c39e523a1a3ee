"""The forms of knowledge: each taken, or refused with a reason and nothing half made."""

from typing import Any

import pytest

from app.internal_api.knowledge.documents import SourceRefused
from tests.app.internal_api.support import LINK, World

TEXT = {"text": "Matcha is ground.\n\nIt is whisked.", "description": "On matcha"}


async def test_a_file_is_uploaded_with_its_description(world: World) -> None:
    mind_id = await world.trained()
    upload = {"file": ("../../notes.txt", b"Gyokuro is shaded.", "text/plain")}

    added = await world.add(mind_id, files=upload, data={"description": "Notes"})
    await world.train()

    item = added.json()["data"]
    assert (added.status_code, item["filePath"], item["description"]) == (202, "notes.txt", "Notes")
    assert item["sourceType"] == "document"
    assert (await world.item_status(item))["chunkCount"] == 1


async def test_a_remote_file_is_fetched(world: World) -> None:
    mind_id = await world.trained()

    added = await world.add(mind_id, json={"file": {"name": "tea.html", "url": LINK}})
    await world.train()

    item = added.json()["data"]
    assert (item["filePath"], item["link"], item["sourceType"]) == ("tea.html", LINK, "document")
    assert (await world.item_status(item))["readyForRetrieval"] is True


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": LINK},
        {"link": LINK, "text": "both"},
        {"link": "ftp://example.com/"},
        {"link": "http://"},
        {"link": "https://example.com/" + "x" * 2048},
        {"text": "   "},
        {"text": "nul \u0000"},
        {"keywords": []},
        {"keywords": [str(number) for number in range(16)]},
        {"file": {"name": "a\nb", "url": LINK}},
        {"file": {"name": "a"}},
        {"file": "a"},
    ],
)
async def test_what_is_not_knowledge_is_refused_and_not_stored(world: World, body: dict[str, Any]) -> None:
    mind_id = await world.mind()

    refused = await world.add(mind_id, json=body)

    assert refused.status_code == 400
    assert (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["total"] == 1


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [(b"%PDF-1.7 broken", 422, "unreadable_pdf"), (b"\0\1\2", 415, "not_text"), (b"x" * 2000, 413, None)],
)
async def test_a_bad_file_is_refused_and_nothing_half_made_remains(
    world: World, data: bytes, status: int, code: str | None
) -> None:
    world.settings = world.settings.model_copy(update={"max_upload_bytes": 1000})
    mind_id = await world.mind()

    refused = await world.add(mind_id, files={"file": ("a.pdf", data)})

    assert (refused.status_code, refused.json().get("data", {}).get("code")) == (status, code)
    assert (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["total"] == 1


async def test_a_huge_upload_is_refused_before_it_is_read_whole(world: World) -> None:
    world.settings = world.settings.model_copy(update={"max_upload_bytes": 1000})
    mind_id = await world.mind()

    refused = await world.add(mind_id, files={"file": ("a.txt", b"x" * 200_000)})

    assert refused.status_code == 413


@pytest.mark.parametrize(
    "request_parts",
    [
        {"data": {"description": "no file"}, "files": {"other": ("a.txt", b"x")}},
        {"content": b"not multipart", "headers": {"content-type": "multipart/form-data; boundary=x"}},
        {"content": b"", "headers": {"content-type": "multipart/form-data"}},
        {"files": {"file": ("a.txt", b"x")}, "data": {"regeneratePrompt": "perhaps"}},
    ],
)
async def test_a_form_without_one_good_file_is_refused(world: World, request_parts: dict[str, Any]) -> None:
    mind_id = await world.mind()

    refused = await world.add(mind_id, **request_parts)

    assert refused.status_code == 400


async def test_an_address_that_may_not_be_reached_is_refused_before_it_is_stored(world: World) -> None:
    world.refused_links["http://127.0.0.1/"] = SourceRefused("private_address", "Not a public address.")
    mind_id = await world.mind()

    refused = [
        await world.add(mind_id, json={"link": "http://127.0.0.1/"}),
        await world.add(mind_id, json={"file": {"name": "a", "url": "http://127.0.0.1/"}}),
    ]

    assert [answer.status_code for answer in refused] == [400, 400]
    assert refused[0].json()["data"]["code"] == "private_address"
