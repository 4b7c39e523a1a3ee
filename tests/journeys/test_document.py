"""A persona that is trained from a real document of several pages answers with citations into it, page by page."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.journeys.clients import ERAS, PythonClient
from tests.journeys.handbook import ANSWERED, PAGES, TITLE, UNANSWERED, handbook
from tests.journeys.host import Host, api, key_for, new_host, started, talking
from tests.journeys.story import trained
from tests.loopback import Loopback, reply
from tests.loopback import serving as serving_documents

PDF = "/papers/handbook.pdf"


@pytest.fixture(scope="module")
async def documents() -> AsyncIterator[Loopback]:
    async with serving_documents({PDF: reply("200 OK", handbook(), Content_Type="application/pdf")}) as here:
        yield here


@pytest.fixture(scope="module")
async def host(documents: Loopback, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Host]:
    host = new_host(tmp_path_factory.mktemp("reader"), FETCH_ALLOW_HOSTS=documents.netloc)
    async with started(host):
        yield host


@pytest.fixture(scope="module")
async def key(host: Host) -> str:
    return await key_for(host)


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


def test_the_document_is_one_of_several_pages_and_each_answer_stands_on_one_of_them_only() -> None:
    assert len(PAGES) >= 5
    for question in ANSWERED:
        assert [number for number, page in enumerate(PAGES, 1) if question.fact in page] == [question.page]


@pytest.mark.parametrize("era", ERAS)
async def test_a_persona_made_from_a_link_to_a_pdf_cites_its_pages(
    host: Host, key: str, documents: Loopback, era: str
) -> None:
    link = f"{documents.origin}{PDF}"

    async with talking(host, key, era) as client:
        wish = {"name": f"Deckhand {era}", "mode": "link", "contextLink": link}
        made = await client.call("create_ai_persona_or_digital_twin", wish)
        await trained(client, made["sparkId"])
        await assert_it_knows_the_handbook(client, made["sparkId"], link)


async def test_a_persona_that_was_given_the_pdf_as_a_file_cites_its_pages(host: Host, key: str) -> None:
    async with talking(host, key) as client, api(host, key) as web:
        made = await client.call("create_ai_persona_or_digital_twin", {"name": "Purser", "mode": "manual"})
        added = await web.post(
            f"/minds/{made['sparkId']}/knowledge",
            files={"file": ("handbook.pdf", handbook(), "application/pdf")},
            data={"regeneratePrompt": "true"},
        )

        assert added.status_code == 202, added.text
        await trained(client, made["sparkId"])
        await assert_it_knows_the_handbook(client, made["sparkId"], None)
