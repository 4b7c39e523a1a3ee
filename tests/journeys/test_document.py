"""A persona that is trained from a real document of several pages answers with citations into it, page by page."""

from typing import Any

from tests.journeys.clients import PythonClient, python_over_http
from tests.journeys.gateway import Gateway
from tests.journeys.handbook import ANSWERED, TITLE, UNANSWERED
from tests.journeys.story import trained


async def ask(client: PythonClient, spark_id: str, words: str) -> dict[str, Any]:
    return await client.call("talk_to_ai_persona", {"sparkId": spark_id, "message": words})


async def assert_it_knows_the_handbook(client: PythonClient, spark_id: str, link: str | None) -> None:
    for question in ANSWERED:
        told = await ask(client, spark_id, question.words)
        proofs = [citation for citation in told["citations"] if question.fact in citation["snippet"]]

        assert question.fact in told["message"]
        assert [(proof["page"], proof["link"], proof["title"]) for proof in proofs] == [(question.page, link, TITLE)]
        assert told["provenance"]["unsupported"] is False

    told = await ask(client, spark_id, UNANSWERED)

    assert told["citations"] == []
    assert told["provenance"]["unsupported"] is True


async def test_a_persona_made_from_a_link_to_a_pdf_cites_its_pages(gateway: Gateway) -> None:
    link = gateway.document.replace("bakery.html", "handbook.pdf")

    async with python_over_http(gateway.url, gateway.alice, "auto") as client:
        wish = {"name": "Deckhand", "mode": "link", "contextLink": link}
        made = await client.call("create_ai_persona_or_digital_twin", wish)
        await trained(client, made["sparkId"])
        await assert_it_knows_the_handbook(client, made["sparkId"], link)
