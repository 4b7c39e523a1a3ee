"""The routes: both dialects, the open document, one boundary around all."""

from tests.app.internal_api.support import KEYWORDS, World


async def test_the_document_needs_no_credential(world: World) -> None:
    answer = await world.client(None).get("/openapi.json")

    assert answer.status_code == 200
    assert answer.json()["openapi"] == "3.1.0"
    assert {"/api/v1/minds", "/api/v1/sparks"} <= set(answer.json()["paths"])


async def test_the_old_words_lead_to_the_same_minds(world: World) -> None:
    client = world.client()

    created = await client.post("/sparks", json=KEYWORDS)
    mind_id = created.json()["data"]["id"]
    refused = await client.post(f"/sparks/{mind_id}/completion")
    await world.train()

    assert created.status_code == 201
    assert "training" not in created.json()
    processing = created.json()["processing"]
    assert (processing["queued"], processing["status"]) == (True, "queued")
    assert refused.json()["data"] == {"code": "SPARK_NOT_READY", "sparkId": mind_id, "trainingStatus": "queued"}
    assert refused.json()["url"] == f"/api/v1/sparks/{mind_id}/completion"
    for collection in ("minds", "sparks"):
        assert (await client.get(f"/{collection}")).json()["pagination"]["total"] == 1
        assert (await client.get(f"/{collection}/{mind_id}/training")).json()["status"] == "completed"
    items = (await client.get(f"/sparks/{mind_id}/knowledge")).json()["data"]["items"]
    assert items[0]["statusUrl"].startswith(f"/api/v1/sparks/{mind_id}/")


async def test_a_bad_id_in_the_old_words_is_refused_alike(world: World) -> None:
    assert (await world.client().get("/sparks/1")).status_code == 400
