"""Knowledge in all its forms: taken with 202, indexed beside the mind's work, refused with a reason."""

from typing import Any

import pytest
from dirty_equals import IsUUID

from app.internal_api.knowledge.documents import SourceRefused
from tests.app.internal_api.support import KEYWORDS, LINK, World, stored_chunks

TEXT = {"text": "Matcha is ground.\n\nIt is whisked.", "description": "On matcha"}


async def test_text_is_taken_and_answered_with_its_item(world: World) -> None:
    mind_id = await world.trained()

    added = await world.add(mind_id, json=TEXT)

    assert added.status_code == 202
    item_id = added.json()["data"]["id"]
    assert added.json() == {
        "success": True,
        "data": {
            "id": IsUUID,
            "description": "On matcha",
            "link": None,
            "filePath": None,
            "sourceType": "text",
            "isWatched": False,
            "processing": {
                "status": "queued",
                "regeneratePrompt": False,
                "error": None,
                "errorCode": None,
                "promptRegenerated": False,
            },
            "statusUrl": f"/api/v1/minds/{mind_id}/knowledge/{item_id}/status",
            "createdAt": "2023-11-14T22:13:20.000Z",
            "updatedAt": "2023-11-14T22:13:20.000Z",
        },
    }


async def test_a_ready_mind_stays_ready_while_it_learns(world: World) -> None:
    mind_id = await world.trained()
    item = (await world.add(mind_id, json=TEXT)).json()["data"]

    meanwhile = (await world.client().get(f"/minds/{mind_id}/training")).json()
    waiting = await world.item_status(item)
    await world.train()

    assert (meanwhile["status"], meanwhile["readyToChat"]) == ("completed", True)
    assert (waiting["status"], waiting["chunkCount"], waiting["readyForRetrieval"]) == ("queued", 0, False)
    learnt = await world.item_status(item)
    assert (learnt["status"], learnt["chunkCount"], learnt["readyForRetrieval"]) == ("completed", 2, True)
    assert learnt["promptRegenerated"] is False
    assert "Matcha is ground." in await stored_chunks(world.engine, mind_id)


async def test_the_prompt_is_written_anew_when_that_is_asked_for(world: World) -> None:
    mind_id = await world.trained()

    item = (await world.add(mind_id, json={**TEXT, "regeneratePrompt": True})).json()["data"]
    await world.train()

    detail = (await world.client().get(f"/minds/{mind_id}")).json()["data"]
    assert detail["systemPrompt"] == "You are Ada. You know: oolong, sencha, On matcha."
    assert (await world.item_status(item))["promptRegenerated"] is True


async def test_a_link_is_fetched_and_a_dead_one_says_so_without_harm(world: World) -> None:
    mind_id = await world.trained()

    live = (await world.add(mind_id, json={"link": LINK})).json()["data"]
    dead = (await world.add(mind_id, json={"link": "https://example.com/gone"})).json()["data"]
    await world.train()

    assert (await world.item_status(live))["chunkCount"] == 3
    failed = await world.item_status(dead)
    assert (failed["status"], failed["error"]) == ("failed", "The page's server answered 404.")
    assert (await world.client().get(f"/minds/{mind_id}")).json()["data"]["readyToChat"] is True


async def test_keywords_are_knowledge_and_renew_the_prompt(world: World) -> None:
    mind_id = await world.trained()

    added = await world.add(mind_id, json={"keywords": ["matcha"]})
    await world.train()

    item = added.json()["data"]
    assert item["processing"]["regeneratePrompt"] is True
    assert (await world.item_status(item))["promptRegenerated"] is True
    assert "Ada knows about matcha." in await stored_chunks(world.engine, mind_id)


async def test_an_unknown_item_is_not_found(world: World) -> None:
    mind_id = await world.mind()

    answer = await world.client().get(f"/minds/{mind_id}/knowledge/{mind_id}/status")

    assert answer.status_code == 404


async def test_a_mind_holds_a_bounded_number_of_items(world: World) -> None:
    world.settings = world.settings.model_copy(update={"max_items_per_mind": 1})
    mind_id = await world.mind()

    refused = await world.add(mind_id, json=TEXT)

    assert (refused.status_code, refused.json()["data"]["code"]) == (403, "PLAN_LIMIT")


async def test_a_manual_mind_becomes_ready_by_knowledge_and_a_prompt(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "mode": "manual"})
    await world.add(mind_id, json=TEXT)
    await world.train()
    before = (await world.client().get(f"/minds/{mind_id}/training")).json()

    answer = await world.client().post(f"/minds/{mind_id}/regenerate-prompt")
    await world.train()

    after = (await world.client().get(f"/minds/{mind_id}/training")).json()
    assert (before["status"], before["readyToChat"]) == ("failed", False)
    assert (answer.status_code, answer.json()["success"], answer.json()["data"]["status"]) == (200, True, "queued")
    assert (after["status"], after["readyToChat"]) == ("completed", True)
    assert len(await stored_chunks(world.engine, mind_id)) == 2


async def test_a_manual_mind_fails_without_knowledge_until_some_comes_that_asks_for_a_prompt(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "mode": "manual"})

    await world.client().post(f"/minds/{mind_id}/regenerate-prompt")
    await world.train()
    before = (await world.client().get(f"/minds/{mind_id}/training")).json()
    await world.add(mind_id, json={**TEXT, "regeneratePrompt": True})
    await world.train()

    after = (await world.client().get(f"/minds/{mind_id}/training")).json()
    assert before["error"] == {"code": "PROFILE_GEN_FAILED", "retryable": True, "reason": None}
    assert (after["status"], after["readyToChat"]) == ("completed", True)


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
    "sent",
    [
        {"json": {}},
        {"json": {"url": LINK}},
        {"json": {"link": LINK, "text": "both"}},
        {"json": {"link": "ftp://example.com/"}},
        {"json": {"link": "http://"}},
        {"json": {"link": "https://example.com/" + "x" * 2048}},
        {"json": {"text": "   "}},
        {"json": {"text": "nul \u0000"}},
        {"json": {"keywords": []}},
        {"json": {"keywords": [str(number) for number in range(16)]}},
        {"json": {"file": {"name": "a\nb", "url": LINK}}},
        {"json": {"file": {"name": "a"}}},
        {"json": {"file": "a"}},
        {"data": {"description": "no file"}, "files": {"other": ("a.txt", b"x")}},
        {"content": b"not multipart", "headers": {"content-type": "multipart/form-data; boundary=x"}},
        {"content": b"", "headers": {"content-type": "multipart/form-data"}},
        {"files": {"file": ("a.txt", b"x")}, "data": {"regeneratePrompt": "perhaps"}},
    ],
)
async def test_what_is_not_knowledge_or_not_one_good_file_is_refused_and_not_stored(
    world: World, sent: dict[str, Any]
) -> None:
    mind_id = await world.mind()

    refused = await world.add(mind_id, **sent)

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


async def test_an_address_that_may_not_be_reached_is_refused_before_it_is_stored(world: World) -> None:
    world.refused_links["http://127.0.0.1/"] = SourceRefused("private_address", "Not a public address.")
    mind_id = await world.mind()

    refused = [
        await world.add(mind_id, json={"link": "http://127.0.0.1/"}),
        await world.add(mind_id, json={"file": {"name": "a", "url": "http://127.0.0.1/"}}),
    ]

    assert [answer.status_code for answer in refused] == [400, 400]
    assert refused[0].json()["data"]["code"] == "private_address"


async def test_a_mind_whose_last_item_is_removed_is_not_ready_until_it_learns_something(world: World) -> None:
    mind_id = await world.trained()
    client = world.client()
    for item in (await client.get(f"/minds/{mind_id}/knowledge")).json()["data"]["items"]:
        assert (await client.delete(f"/minds/{mind_id}/knowledge/{item['id']}")).status_code == 204

    emptied = (await client.get(f"/minds/{mind_id}")).json()["data"]
    await world.add(mind_id, json={**TEXT, "regeneratePrompt": True})
    await world.train()
    again = (await client.get(f"/minds/{mind_id}")).json()["data"]

    assert (emptied["readyToChat"], emptied["knowledgeItemCount"]) == (False, 0)
    assert (again["readyToChat"], again["knowledgeItemCount"]) == (True, 1)
