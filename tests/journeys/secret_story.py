"""The story in which every kind of secret is made and used, put to use and put where it does not belong."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from oauth.grants import DEVICE_CODE
from tests.journeys.clients import PATIENCE
from tests.journeys.host import new_host, started
from tests.journeys.hosted import Hosted, challenge_of
from tests.journeys.looking import Secrets
from tests.journeys.person import PASSWORD, Person
from tests.journeys.sign_in_site import (
    CLIENTS_SETTING,
    CONFIDENTIAL,
    MACHINE,
    SECRET,
    DocumentServer,
    SignInSite,
    new_account,
)

CALLBACK = "https://app.example/callback"
LOOPBACK = "http://127.0.0.1:33420/callback"
LIST_TOOL = "list_my_ai_personas"
PAUSE = 0.2
INTROSPECTION, SEALING = "introspection-" + token_hex(16), token_hex(32)
UNRELATED = (
    "/",
    "/nowhere",
    "/livez",
    "/readyz",
    "/metrics",
    "/connect",
    "/account",
    "/account/keys",
    "/account/activity",
    "/account/password",
    "/oauth/login",
    "/oauth/device",
    "/oauth/consent",
    "/oauth/authorize",
    "/oauth/token",
    "/.well-known/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource/mcp",
    "/api/v1/openapi.json",
    "/mcp",
)


@dataclass
class Story:
    """A server in whose story every secret is noted, and a person who is at it."""

    site: SignInSite
    secrets: Secrets

    @asynccontextmanager
    async def somebody(self) -> AsyncIterator[Person]:
        email = await new_account(self.site.host)
        async with self.site.web() as browser:
            browser.event_hooks = {"response": [self.secrets.watch]}
            yield Person(browser, email)

    async def app(self, redirect_uri: str = LOOPBACK, **known: Any) -> Hosted:
        """A client that has read the documents."""
        app = Hosted(self.site, redirect_uri, "app/1", **known)
        challenge = challenge_of((await app.call(LIST_TOOL)).headers["www-authenticate"])
        await app.discover(challenge["resource_metadata"])
        return app

    async def registered(self) -> Hosted:
        """A client that registered for a secret."""
        app = await self.app(CALLBACK)
        words = await app.register(redirect_uris=[CALLBACK], token_endpoint_auth_method="client_secret_post")
        app.client_secret = self.secrets.note("secret of the registered client", words["client_secret"])
        return app

    async def connect(self, person: Person, app: Hosted, scope: str) -> None:
        """From the address in the browser to the second pair of tokens."""
        address, state, verifier = app.begin(scope)
        answer = await person.allow(address)
        for what, secret in (("code", answer["code"]), ("verifier", verifier), ("state", state)):
            self.secrets.note(what, secret)
        await app.finish(answer, state, verifier)
        self.note_tokens(app.tokens)
        await app.refresh()
        self.note_tokens(app.tokens)
        await app.structured(LIST_TOOL)

    def note_tokens(self, tokens: dict[str, Any]) -> None:
        for name in {"access_token", "refresh_token"} & set(tokens):
            self.secrets.note(name, tokens[name])

    async def make_keys(self, person: Person) -> str:
        """Make a key on the account page and rotate it; the one that is left."""
        account = await person.open(f"{self.site.origin}/account/keys")
        made = await person.press(account, action="/account/keys", name="laptop")
        self.secrets.note("API key", made.code)
        account = await person.open(f"{self.site.origin}/account/keys")
        (rotate,) = [form.action for form in account.forms if form.action.endswith("/rotate")]
        return self.secrets.note("API key", (await person.press(account, action=rotate)).code)

    async def let_device_in(self, person: Person) -> None:
        async with self.site.web() as web:
            asked = {"client_id": "minds-stdio", "scope": "sparks:read"}
            begun = (await web.post("/oauth/device_authorization", data=asked)).json()
            await person.press(await person.open(begun["verification_uri_complete"]), "approve")
            form = {"grant_type": DEVICE_CODE, "client_id": "minds-stdio", "device_code": begun["device_code"]}
            self.note_tokens((await web.post("/oauth/token", data=form)).json())
        self.secrets.note("device_code", begun["device_code"])
        self.secrets.note("user_code", begun["user_code"])
        self.secrets.note("user_code", begun["user_code"].replace("-", ""))

    async def be_a_machine(self) -> None:
        async with self.site.web() as web:
            form = {"grant_type": "client_credentials", "scope": "sparks:read"}
            told = await web.post("/oauth/token", data=form, auth=(MACHINE, self.secrets.note("client_secret", SECRET)))
            self.note_tokens(told.json())
            token = told.json()["access_token"]
            key = self.secrets.note("introspection secret", INTROSPECTION)
            headers = {"authorization": f"Bearer {key}"}
            seen = await web.post("/oauth/introspect", data={"token": token}, headers=headers)
        assert seen.json()["active"] is True

    async def misuse(self, person: Person, key: str) -> None:
        """Put secrets where they do not belong: into addresses, headers, names and other people's fields."""
        places = self.secrets.of("API key", "access_token", "refresh_token")
        app = Hosted(self.site, LOOPBACK, "app/1", tokens={"access_token": key})
        for secret in places:
            await app.rpc("tools/call", key, name=secret[:120], arguments={})
            await app.rpc(secret, key)
            async with self.site.web(user_agent=secret, x_request_id=secret[:64], referer=secret) as web:
                await web.get(f"/nowhere/{secret}")
                await web.get(f"/exports/{secret}/file.csv")
                await web.get("/mcp", params={"access_token": secret})
                await web.post("/oauth/token", data={"grant_type": secret, "client_id": secret})
                await web.post("/oauth/token", json={"refresh_token": secret})
                await web.post("/oauth/revoke", data={"token": secret, "client_id": CONFIDENTIAL})
                await web.post("/mcp", content=secret, headers={"authorization": f"Bearer {secret}!"})
        login = await person.open(f"{self.site.origin}/oauth/login")
        await person.press(login, email=self.secrets.note("password", PASSWORD), password=person.email)
        await person.press(login, email=person.email, password=self.secrets.note("password", "almost " + PASSWORD))

    async def export(self, key: str, control: str) -> None:
        """Ask a panel, and have all of it written into files."""
        app = Hosted(self.site, LOOPBACK, "app/1", tokens={"access_token": key})
        wish = {"name": control, "mode": "keywords", "keywords": ["ferries", "harbours"]}
        made = await app.structured("create_ai_persona_or_digital_twin", **wish)
        await over(app, {"queued", "running"}, "check_ai_persona_training_progress", sparkId=made["sparkId"])
        groups = [{"name": "All", "sparkNames": [control]}]
        await app.structured("create_panel", name=f"Panel {control}", groupConfigs=groups)
        await over(app, {"processing"}, "ask_panel", panelName=f"Panel {control}", question="What matters most to you?")
        for kind in ("csv", "json", "md"):
            result = await app.result("export_panel", panelName=f"Panel {control}", format=kind)
            (link,) = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
            self.secrets.note("signature of a link", dict(parse_qsl(urlsplit(link).query))["signature"])
            async with self.site.web() as web:
                assert (await web.get(link)).status_code == 200

    async def said_elsewhere(self, person: Person | None) -> dict[str, bytes]:
        """Heads and bodies of pages that have nothing to do with any of it."""
        told = {}
        async with self.site.web() as web:
            for path in UNRELATED:
                cookies = "; ".join(f"{name}={value}" for name, value in (person.cookies if person else {}).items())
                response = await web.get(path, headers={"cookie": cookies} if cookies else {})
                head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
                told[path] = f"{head}\n\n{response.text}".encode()
        return told


async def over(app: Hosted, unfinished: Collection[str], tool: str, **arguments: str) -> None:
    """Call the tool until it tells of an end."""
    async with asyncio.timeout(PATIENCE):
        while (await app.structured(tool, **arguments))["status"] in unfinished:  # noqa: ASYNC110  another process works
            await asyncio.sleep(PAUSE)


@asynccontextmanager
async def server(folder: Path, secrets: Secrets, **settings: str) -> AsyncIterator[Story]:
    host = new_host(folder, SECRET_KEY=SEALING, OAUTH_CLIENTS=CLIENTS_SETTING, **settings)
    async with started(host):
        secrets.note("internal key", (folder / "var" / "internal.key").read_text().strip())
        yield Story(SignInSite(host, DocumentServer()), secrets)
