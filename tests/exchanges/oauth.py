"""What OAuth clients and a person's browser send: discovery, registration, every grant, and the typical refusals."""

import base64
from collections.abc import Mapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2

from tests.edge import SITE
from tests.exchanges.player import Player
from tests.html_pages import HtmlPage

REDIRECT = "https://app.example/cb"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
PASSWORD = "correct horse battery staple"
INTROSPECTION = "only-for-the-recordings-0123456789abcdef"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
WELL_KNOWN = (
    "oauth-protected-resource",
    "oauth-protected-resource/mcp",
    "oauth-authorization-server",
    "oauth-authorization-server/mcp",
    "openid-configuration",
    "openid-configuration/mcp",
    "jwks.json",
    "security.txt",
    "no-such-document",
)


class Browser:
    """Keeps cookies as a browser does, and shows them in the recording."""

    def __init__(self, play: Player) -> None:
        self._play = play
        self._cookies: dict[str, str] = {}

    async def __call__(self, name: str, method: str, path: str, **more: Any) -> httpx2.Response:
        headers = {"accept": "text/html", **more.pop("headers", {})}
        if method == "POST":
            headers = {"origin": SITE, **headers}
        if self._cookies:
            headers["cookie"] = "; ".join(f"{each}={value}" for each, value in self._cookies.items())
        response = await self._play(name, method, path, headers=headers, **more)
        for line in response.headers.get_list("set-cookie"):
            self._cookies |= {each: morsel.value for each, morsel in SimpleCookie(line).items()}
        self._cookies = {each: value for each, value in self._cookies.items() if value}
        return response

    async def submit(self, name: str, page: httpx2.Response, **filled: str) -> httpx2.Response:
        """Send the only form of `page`."""
        form = HtmlPage(page.text).form
        return await self(name, "POST", form.action, form={**form.fields, **filled})

    async def follow(self, name: str, redirect: httpx2.Response) -> httpx2.Response:
        return await self(name, "GET", redirect.headers["location"].removeprefix(SITE))

    async def sign_in(self, page: httpx2.Response) -> httpx2.Response:
        """Fill in the login page; the address is that of the group's account."""
        return await self.submit("sign in", page, email=self._play.account, password=PASSWORD)


async def oauth(play: Player) -> None:
    for document in WELL_KNOWN:
        await play(f"/.well-known/{document}", "GET", f"/.well-known/{document}")
    await play(
        "metadata for a browser",
        "GET",
        "/.well-known/oauth-authorization-server",
        headers={"origin": "https://x.example"},
    )
    client = await _register(play)
    browser = Browser(play)
    await _authorize_refused(play, client)
    code = await _authorize(play, browser, client)
    await _tokens(play, client, code)
    await _devices(play, browser, client)
    await _account(browser)


async def _register(play: Player) -> str:
    good = {
        "client_name": "Recorder",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token", DEVICE_GRANT],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    registered = await play("register", "POST", "/oauth/register", json_body=good)
    await play(
        "register with a secret",
        "POST",
        "/oauth/register",
        json_body={**good, "token_endpoint_auth_method": "client_secret_basic"},
    )
    refused: Mapping[str, Mapping[str, object]] = {
        "no redirect": {"redirect_uris": []},
        "a redirect over plain HTTP": {"redirect_uris": ["http://app.example/cb"]},
        "a redirect with a fragment": {"redirect_uris": ["https://app.example/cb#x"]},
        "an unknown grant": {"grant_types": ["password"]},
        "an unknown method": {"token_endpoint_auth_method": "tls_client_auth"},
        "an unknown scope": {"scope": "everything"},
    }
    for name, changes in refused.items():
        await play(f"register: {name}", "POST", "/oauth/register", json_body={**good, **changes})
    await play(
        "register: no JSON", "POST", "/oauth/register", headers={"content-type": "application/json"}, content=b"{"
    )
    await play("register: a form", "POST", "/oauth/register", form={"client_name": "x"})
    await play("register: GET", "GET", "/oauth/register")
    client: str = registered.json()["client_id"]
    play.masks.learn("client", client)
    return client


def _request(client: str, **changes: str | None) -> str:
    asked: dict[str, str | None] = {
        "response_type": "code",
        "client_id": client,
        "redirect_uri": REDIRECT,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "state": "s t",
        "scope": "sparks:read sparks:chat",
        "resource": f"{SITE}/mcp",
        **changes,
    }
    return "/oauth/authorize?" + urlencode({name: value for name, value in asked.items() if value is not None})


async def _authorize_refused(play: Player, client: str) -> None:
    refused: dict[str, Mapping[str, str | None]] = {
        "an unknown client": {"client_id": "nobody"},
        "no client": {"client_id": None},
        "another redirect": {"redirect_uri": "https://evil.example/cb"},
        "no redirect": {"redirect_uri": None},
        "no challenge": {"code_challenge": None},
        "a plain challenge": {"code_challenge_method": "plain"},
        "another response type": {"response_type": "token"},
        "an unknown scope": {"scope": "everything"},
        "another resource": {"resource": "https://evil.example/mcp"},
        "no prompt": {"prompt": "none"},
    }
    for name, changes in refused.items():
        await play(f"authorize: {name}", "GET", _request(client, **changes), headers={"accept": "text/html"})
    await play("authorize: a repeated parameter", "GET", f"{_request(client)}&state=again")


async def _authorize(play: Player, browser: Browser, client: str) -> str:
    asked = await browser("authorize", "GET", _request(client))
    page = await browser.follow("authorize: login or consent page", asked)
    if "password" in HtmlPage(page.text).inputs:
        consent = page
    else:
        page = await browser.follow("authorize: login page", page)
    await browser.submit("sign in with a wrong password", page, email=play.account, password="wrong password")
    signed_in = await browser.sign_in(page)
    consent = await browser.follow("consent page", signed_in)
    await browser.submit("consent: another form's token", consent, answer="allow", csrf="x" * 43)
    allowed = await browser.submit("consent: allow", consent, answer="allow")
    second = await browser("authorize again", "GET", _request(client, prompt="consent"))
    again = await browser.follow("consent page again", second)
    await browser.submit("consent: cancel", again, answer="cancel")
    code = parse_qs(urlsplit(allowed.headers["location"]).query)["code"][0]
    play.masks.learn("code", code)
    return code


async def _token(play: Player, name: str, **fields: str) -> httpx2.Response:
    return await play(name, "POST", "/oauth/token", form=fields)


async def _tokens(play: Player, client: str, code: str) -> None:
    grant = {"grant_type": "authorization_code", "client_id": client, "code": code, "redirect_uri": REDIRECT}
    verified = {**grant, "code_verifier": VERIFIER}
    await _token(play, "token: an unknown code", **{**verified, "code": "0" * 43})
    await _token(play, "token: an unknown client", **{**verified, "client_id": "nobody"})
    await _token(play, "token: an unknown grant", grant_type="password", client_id=client)
    await _token(play, "token: no grant", client_id=client)
    await play("token: JSON", "POST", "/oauth/token", json_body=verified)
    await play("token: GET", "GET", "/oauth/token")
    made = (await _token(play, "token for a code", **verified)).json()
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    both = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    await play("the access token at /mcp", "POST", "/mcp", headers=both, json_body=initialize, key=made["access_token"])
    await play("the access token at the API", "GET", "/api/v1/minds", key=made["access_token"])
    await _introspected(play, "an access token", made["access_token"])
    refresh = {"grant_type": "refresh_token", "client_id": client, "refresh_token": made["refresh_token"]}
    newer = (await _token(play, "refresh", **refresh)).json()
    await _token(
        play, "refresh: a wider scope", **{**refresh, "refresh_token": newer["refresh_token"], "scope": "sparks:write"}
    )
    await _token(play, "refresh: an unknown token", **{**refresh, "refresh_token": "0" * 43})
    await play("introspect without the secret", "POST", "/oauth/introspect", form={"token": newer["access_token"]})
    revoked = {"token": newer["refresh_token"], "client_id": client}
    await play("revoke", "POST", "/oauth/revoke", form=revoked)
    await play("revoke again", "POST", "/oauth/revoke", form=revoked)
    await play("revoke: an unknown token", "POST", "/oauth/revoke", form={"token": "unknown", "client_id": client})
    await play("revoke: no token", "POST", "/oauth/revoke", form={"client_id": client})
    await _introspected(play, "a revoked token", newer["access_token"])
    await _token(play, "refresh: a revoked token", **{**refresh, "refresh_token": newer["refresh_token"]})
    await play(
        "the revoked token at /mcp", "POST", "/mcp", headers=both, json_body=initialize, key=newer["access_token"]
    )
    await _token(play, "token: a code again", **verified)
    basic = base64.b64encode(f"{client}:wrong".encode()).decode()
    wrong = {"authorization": f"Basic {basic}"}
    await play("token: a wrong secret", "POST", "/oauth/token", headers=wrong, form={"grant_type": "refresh_token"})


async def _introspected(play: Player, name: str, token: str) -> None:
    await play(f"introspect {name}", "POST", "/oauth/introspect", form={"token": token}, key=INTROSPECTION)


async def _devices(play: Player, browser: Browser, client: str) -> None:
    path, scope = "/oauth/device_authorization", {"client_id": client, "scope": "sparks:read"}
    await play("device: an unknown client", "POST", path, form={"client_id": "nobody"})
    started = (await play("device: begin", "POST", path, form=scope)).json()
    play.masks.learn("user-code", started["user_code"])
    grant = {"grant_type": DEVICE_GRANT, "client_id": client, "device_code": started["device_code"]}
    await _token(play, "device: pending", **grant)
    await _token(play, "device: too soon", **grant)
    await _token(play, "device: an unknown code", **{**grant, "device_code": "0" * 43})
    await play("device page without a session", "GET", "/oauth/device", headers={"accept": "text/html"})
    await browser("device page", "GET", "/oauth/device")
    await browser("device page: an unknown code", "GET", "/oauth/device?user_code=BBBB-BBBB")
    for decision, ending in (("approve", "approved"), ("deny", "denied")):
        begun = (await play(f"device: begin, to be {ending}", "POST", path, form=scope)).json()
        play.masks.learn("user-code", begun["user_code"])
        page = await browser(f"device page: to be {ending}", "GET", f"/oauth/device?user_code={begun['user_code']}")
        await browser.submit(f"device: {decision}", page, decision=decision)
        await _token(play, f"device: {ending}", **{**grant, "device_code": begun["device_code"]})


async def _account(browser: Browser) -> None:
    await browser("account", "GET", "/account")
    page = await browser("account: keys", "GET", "/account/keys")
    form = next(each for each in HtmlPage(page.text).forms if each.action.endswith("/keys"))
    await browser("account: a new key", "POST", form.action, form={**form.fields, "name": "From the page"})
    await browser("account: a key without a token", "POST", form.action, form={"name": "x"})
    await browser("connect, signed in", "GET", "/connect")
    out = next(each for each in HtmlPage(page.text).forms if each.action.endswith("/logout"))
    await browser("sign out", "POST", out.action, form=out.fields)
    await browser("account, signed out", "GET", "/account")
