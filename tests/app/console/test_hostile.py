"""An internal API that answers with whatever it likes: its words change nothing but text, its states are all shown."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.app.console.people import House, Person, house, shown
from tests.html_pages import HtmlPage
from tests.support import FakeApi, Reply

ID = "3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f"
ADDRESS = f"/personas/{ID}"
MARKUP = "</script></textarea><svg onload=alert(1)>\u202edetsurt 🧶 “\"'>&lt; {{ 7 * 7 }}"
TAGS = re.compile(r"<(svg|iframe|object|embed|base|form [^>]*action=\"http)", re.IGNORECASE)
DONE = {"status": "completed", "readyToChat": True}
FAILED = {"status": "failed", "error": {"code": "COLLECTION_FAILED", "reason": "not_text", "message": MARKUP}}


class Upstream(FakeApi):
    """One persona, of which everything is called `name`, and whose training stands as `training` says."""

    def __init__(self) -> None:
        super().__init__()
        self.tell("Ada", DONE)

    def tell(self, name: str, training: dict[str, Any]) -> None:
        about = {"id": ID, "name": name, "discipline": name, "description": name, "tags": [name, f"a: {name}"]}
        source = {"id": "s1", "description": name, "link": "javascript:alert(1)", "processing": {"status": "completed"}}
        cited = {"title": name, "snippet": name, "rawLink": "javascript:alert(1)"}
        self.answers = {
            "GET /minds": Reply({"data": [about], "total": 1}),
            "GET /studies": Reply({"data": [{"id": "x/../y?z", "name": name, "audiences": []}], "total": 1}),
            f"GET /minds/{ID}": Reply({"data": about}),
            f"GET /minds/{ID}/training": Reply(training),
            f"GET /minds/{ID}/knowledge": Reply({"data": {"items": [source]}}),
            f"POST /minds/{ID}/completion": Reply(
                {"content": f"{name} [[CITE:0]]\x07", "metadata": {"ragCitations": [cited]}}
            ),
        }


@pytest.fixture(scope="module")
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture(scope="module")
async def home(tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> AsyncIterator[House]:
    async with house(tmp_path_factory.mktemp("hostile"), upstream) as opened:
        yield opened


@pytest.mark.parametrize("name", [MARKUP, "W" * 10_000], ids=["markup", "10,000 characters"])
async def test_what_strangers_wrote_is_text_and_nothing_else(upstream: Upstream, ada: Person, name: str) -> None:
    upstream.tell(name, DONE)
    link = {"index": 1, "title": name, "link": "javascript:alert(1)", "snippet": name}
    said = [{"role": "user", "content": name}, {"role": "assistant", "content": name, "sources": [link]}]

    pages = [await ada.get(path) for path in ("/", "/personas", f"{ADDRESS}/knowledge", f"{ADDRESS}/settings")]
    talk = await ada.post(ADDRESS, {"message": name[:9_000], "turns": json.dumps(said)}, page=ADDRESS)
    more = await ada.post(
        ADDRESS, {"message": "And?", "turns": str(HtmlPage(talk.text).inputs["turns"]["value"])}, page=ADDRESS
    )

    for page in (*pages, talk, more):
        assert page.status_code == 200
        assert name[:50] in shown(page.text)
        assert not TAGS.search(page.text)
        assert page.text.count("<script") == page.text.count("</script>") == 1
        assert "49" not in re.sub(r"[0-9a-f]{32,}", "", shown(page.text))
        assert "unsafe" not in page.headers["content-security-policy"]
        links = HtmlPage(page.text).links
        assert not [to for to in links if not to.startswith(("/", "http://127.0.0.1:8000/"))]
    assert "/panels/x%2F..%2Fy%3Fz" in HtmlPage(pages[0].text).links


async def test_a_failed_training_says_why_and_leads_to_its_sources(upstream: Upstream, ada: Person) -> None:
    upstream.tell("Ada", FAILED)

    page = (await ada.get(ADDRESS)).text

    assert '<span class="badge bad">Failed</span>' in page
    assert "PDF and DOCX are read" in page
    assert f"{ADDRESS}/knowledge" in HtmlPage(page).links
    assert "message" not in HtmlPage(page).labels
    assert "<svg" not in page


STATES: list[tuple[dict[str, Any], str]] = [
    ({"status": "running", "stage": "index", "progress": 40}, "Training 40 %"),
    ({"status": "queued"}, "Training 0 %"),
    (DONE, "Trained"),
    ({"status": "something new"}, "Ada"),
]


@pytest.mark.parametrize(("training", "words"), STATES, ids=[words for _, words in STATES])
async def test_each_state_has_its_words(upstream: Upstream, ada: Person, training: dict[str, Any], words: str) -> None:
    upstream.tell("Ada", training)

    page = await ada.get(ADDRESS)

    assert page.status_code == 200
    assert words in page.text
    assert ("data-live" in page.text) is (training["status"] in {"running", "queued"})
    assert ("message" in HtmlPage(page.text).labels) is (training["status"] not in {"running", "queued"})


async def test_an_internal_api_that_fails_is_a_page_that_says_to_wait(upstream: Upstream, ada: Person) -> None:
    upstream.tell("Ada", DONE)
    upstream.answers[f"POST /minds/{ID}/completion"] = Reply({"message": MARKUP}, 500)

    page = await ada.post(ADDRESS, {"message": "Hello?", "turns": ""}, page=ADDRESS)

    assert page.status_code == 503
    assert "Hello?</textarea>" in page.text
    assert "<svg" not in page.text
