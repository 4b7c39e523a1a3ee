"""Nothing that opens anything can be read in what the servers keep, write to their logs, or tell anybody else."""

import re
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest

from tests.journeys.looking import Secrets, digests_found, files_under, tables_of
from tests.journeys.person import Person
from tests.journeys.secret_story import INTROSPECTION, SEALING, Story, server
from tests.journeys.sign_in_site import CONFIDENTIAL, SECRET
from tests.oauth import oidc_provider

OWN = ("cookie", "field")
"""What the pages of a person hold for their own browser."""
OWN_PAGES = ["/connect", *(f"/account{tab}" for tab in ("", "/keys", "/activity", "/password")), "/oauth/device"]
"""The pages among those that are looked at that tell who is signed in."""


KINDS = {
    *("API key", "access_token", "refresh_token", "code", "state", "verifier", "device_code", "user_code", "password"),
    *("client_secret", "secret of the registered client", "introspection secret", "sealing key", "internal key"),
    *("cookie login", "cookie session", "field continue", "field csrf", "field request", "signature of a link"),
    *("provider's client secret", "provider's code", "provider's nonce", "provider's state"),
}
"""All that the story must have come to know."""


async def tell_embedded(story: Story, person: Person, control: str) -> str:
    """Everything that a server with its own accounts and its own Minds API does; a key of it."""
    await person.sign_in(await person.open(f"{story.site.origin}/account"))
    key = await story.make_keys(person)
    app = await story.registered()
    await story.connect(person, app, "sparks:read")
    known = story.secrets.note("client_secret", SECRET)
    await story.connect(person, await story.app(client_id=CONFIDENTIAL, client_secret=known), "sparks:read")
    await story.let_device_in(person)
    await story.be_a_machine()
    await story.export(key, control)
    await story.misuse(person, key)
    await app.revoke()
    async with story.site.web(x_request_id=control) as web:
        assert (await web.get("/connect")).status_code == 200
    return key


async def tell_linked(story: Story, provider: oidc_provider.Running, linked: str) -> None:
    """Sign in with a provider, link the key of the Minds API, and have an app use it."""
    async with story.somebody() as person:
        login = await person.open(f"{story.site.origin}/account")
        way = re.search(r'href="(/oauth/login/oidc[^"]*)"', login.text)
        assert way is not None
        leaving = (await person.open(story.site.origin + way[1])).left or ""
        answer = provider.visit(leaving)
        asked, brought = (dict(parse_qsl(urlsplit(address).query)) for address in (leaving, answer))
        for what, secret in (("nonce", asked["nonce"]), ("state", asked["state"]), ("code", brought["code"])):
            story.secrets.note(f"provider's {what}", secret)
        await person.open(answer)
        account = await person.open(f"{story.site.origin}/account/keys")
        await person.press(account, action="/account/minds-key", key=linked)
        await story.connect(person, await story.registered(), "sparks:read")


def signing_in_with(provider: oidc_provider.Running) -> dict[str, str]:
    return {
        "OIDC_ISSUER": provider.origin,
        "OIDC_CLIENT_ID": oidc_provider.CLIENT_ID,
        "OIDC_CLIENT_SECRET": oidc_provider.CLIENT_SECRET,
        "EMBEDDED_SIGN_IN": "true",
    }


@pytest.mark.security("AK-07", "AZ-33", "TK-34")
async def test_no_secret_can_be_read_anywhere_but_where_it_was_handed_over(tmp_path: Path) -> None:
    secrets, control = Secrets(), f"control-{uuid4().hex}"
    secrets.note("sealing key", SEALING)
    secrets.note("provider's client secret", oidc_provider.CLIENT_SECRET)
    secrets.note("provider's access token", "upstream-access-token")
    for name in ("provider", "minds", "front"):
        (tmp_path / name).mkdir()
    with oidc_provider.running(tmp_path / "provider") as provider:
        async with AsyncExitStack() as stack:
            minds = await stack.enter_async_context(
                server(tmp_path / "minds", secrets, INTROSPECTION_SECRET=INTROSPECTION)
            )
            towards = {"MINDSAI_API_URL": minds.site.origin, **signing_in_with(provider)}
            front = await stack.enter_async_context(server(tmp_path / "front", secrets, **towards))
            person = await stack.enter_async_context(minds.somebody())
            key = await tell_embedded(minds, person, control)
            await tell_linked(front, provider, key)
            page = await person.open(f"{minds.site.origin}/account")
            told = [await story.said_elsewhere(None) for story in (minds, front)]
            own = await minds.said_elsewhere(person)
            tables, others = (tables_of(tmp_path / name / "var" / "gateway.sqlite3") for name in ("minds", "front"))
            running = files_under(tmp_path / "minds", ["internal.key"])
    kept = files_under(tmp_path / "minds", ["internal.key"]) | {
        f"front/{name}": body for name, body in files_under(tmp_path / "front", ["internal.key"]).items()
    }

    assert [secrets.found_in(places) for places in (tables, others, running, kept, *told)] == [[]] * 6
    assert secrets.found_in(own, but=OWN) == []
    assert person.email in page.words  # the pages were those of somebody signed in
    assert_the_search_finds(control, tables, kept, own)
    assert_everything_was_there(secrets, tables)


def assert_the_search_finds(
    control: str, tables: dict[str, bytes], kept: dict[str, bytes], own: dict[str, bytes]
) -> None:
    """The control: what is no secret is found by the same search, in every kind of place."""
    known = Secrets({"control": control})
    places = [place for _, place in known.found_in(kept)]

    assert known.found_in(tables) != []
    for part in ("var/gateway.sqlite3", "server-", ".csv", ".json", ".md"):
        assert [place for place in places if part in place], part
    assert [path for path, body in own.items() if b"@example.com" in body] == OWN_PAGES


def assert_everything_was_there(secrets: Secrets, tables: dict[str, bytes]) -> None:
    """What is kept as a digest is in the tables as one, so the secrets themselves did get there."""
    kinds = {name.partition(" #")[0] for name in secrets.seen}

    assert kinds >= KINDS
    for kind in ("API key", "cookie session", "code", "refresh_token"):
        assert digests_found(secrets.of(kind), tables) >= 1, kind
