"""Every answer of the running gateway on the way of a person and a client: how it may be read, kept and framed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2
import pytest

from tests.journeys.clients import PATIENCE
from tests.journeys.hosted import Hosted
from tests.journeys.house import DESK, House, new_account
from tests.journeys.person import Person, answer_of

CALLBACK = "http://127.0.0.1:33420/callback"
KEPT_BY_NOBODY = ("/oauth/", "/account")
STYLE = "/oauth/style.css"


@dataclass(frozen=True)
class Watched(House):
    """A house whose every answer is noted."""

    seen: list[httpx2.Response] = field(default_factory=list)

    async def note(self, response: httpx2.Response) -> None:
        await response.aread()
        self.seen.append(response)

    def client(self, **more: object) -> httpx2.AsyncClient:
        hooks = {"response": [self.note]}
        return httpx2.AsyncClient(trust_env=False, timeout=PATIENCE, event_hooks=hooks, **more)  # type: ignore[arg-type]  # options of the client

    @asynccontextmanager
    async def somebody(self) -> AsyncIterator[Person]:
        async with self.client() as browser:
            yield Person(browser, await new_account(self.host))

    def web(self, **headers: str) -> httpx2.AsyncClient:
        return self.client(base_url=self.origin, headers={k.replace("_", "-"): v for k, v in headers.items()})


async def everything_asked(house: Watched) -> None:
    """The way from a bare address to a call and out again, with wrong turnings; each page that there is."""
    app = Hosted(house, CALLBACK, "desk/1", client_id=DESK)
    async with house.somebody() as person, house.web() as web:
        assert (await app.rpc("tools/list", "not.a.token")).status_code == 401
        await app.discover(f"{house.origin}/.well-known/oauth-protected-resource/mcp")
        address, state, verifier = app.begin("sparks:read")
        await person.open(f"{house.origin}/oauth/authorize?client_id=nobody")  # told here
        await person.open(address.replace("S256", "plain"))  # told to the client
        page = await person.asked(address)
        await person.press(page, "allow", **{name: "wrong" for name in page.form.fields if "csrf" in name})
        await app.finish(answer_of(await person.press(await person.open(address), "allow")), state, verifier)
        await app.structured("list_my_ai_personas")
        await app.refresh()
        for path in ("/account", "/connect", "/oauth/device", "/oauth/login", "/oauth/consent", "/nope", STYLE):
            await person.open(f"{house.origin}{path}")
        await app.redeem(grant_type="authorization_code", code="nothing", redirect_uri=CALLBACK, code_verifier="x" * 43)
        for body in ({"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}, {}):
            await web.post("/oauth/register", json=body)
        await web.post("/oauth/device_authorization", data={"client_id": DESK})
        await app.revoke()
        await web.post("/oauth/revoke", data={"client_id": "nobody", "token": "x"})
        await app.rpc("tools/list", app.tokens["access_token"])


@pytest.mark.security("HD-01", "HD-03", "HD-04", "HD-05", "RG-39")
async def test_no_answer_on_the_way_may_be_sniffed_framed_or_kept_and_none_names_its_software(house: House) -> None:
    watched = Watched(house.host, house.shelf)

    await everything_asked(watched)

    pages = [answer for answer in watched.seen if answer.headers.get("content-type", "").startswith("text/html")]
    private = [
        answer
        for answer in watched.seen
        if (answer.url.path.startswith(KEPT_BY_NOBODY) and answer.url.path != STYLE)
        or answer.status_code == httpx2.codes.UNAUTHORIZED
    ]
    shown = {answer.url.path for answer in pages if answer.status_code == 200}
    assert shown >= {"/account", "/connect", "/oauth/login", "/oauth/consent", "/oauth/device"}
    assert {200, 201, 303, 400, 401, 404} <= {answer.status_code for answer in watched.seen}
    assert {answer.url.path for answer in private if answer.is_error} >= {
        "/mcp", "/oauth/authorize", "/oauth/token", "/oauth/register", "/oauth/revoke",
    }  # fmt: skip
    for answer in watched.seen:
        assert answer.headers["x-content-type-options"] == "nosniff", answer
        assert answer.headers["referrer-policy"] in {"no-referrer", "same-origin"}, answer  # nothing to other sites
        assert not {"server", "x-powered-by"} & set(answer.headers), answer
    for answer in pages:
        policy = answer.headers["content-security-policy"]
        assert answer.headers["x-frame-options"] == "DENY", answer
        assert "default-src 'none'" in policy, answer
        assert "frame-ancestors 'none'" in policy, answer
        assert not any(source in policy for source in ("script-src", "unsafe", "http:", "https:", "*")), answer
    assert [
        (answer.request.method, answer.url.path)
        for answer in private
        if "no-store" not in answer.headers.get("cache-control", "")
    ] == []
