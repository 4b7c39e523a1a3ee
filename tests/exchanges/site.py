"""What browsers, operators and downloaders send: pages, health, metrics, exported files; and what limits answer."""

from urllib.parse import urlsplit

import httpx2

from tests.edge import request
from tests.exchanges.mcp_eras import ABOUT, call, structured
from tests.exchanges.player import Player

METRICS_TOKEN = "only-for-the-recordings-metrics"
HTML = {"accept": "text/html"}


async def pages(play: Player) -> None:
    for path in (
        "/",
        "/login",
        "/login?continue=x",
        "/consent",
        "/oauth/login",
        "/oauth/consent",
        "/oauth/device",
        "/oauth/authorize",
        "/account",
        "/connect",
        "/connect?check=1",
        "/no-such-page",
        "/robots.txt",
        "/favicon.ico",
        "/exports",
        "/static/",
        "/oauth/style.css/x",
        "/account/",
        "/%2e%2e/etc/passwd",
    ):
        await play(f"GET {path}", "GET", path, headers=HTML)
    page = await play("GET the login page again", "GET", "/oauth/login", headers=HTML)
    style = page.text.partition('rel="stylesheet" href="')[2].partition('"')[0]
    await play("GET the style sheet", "GET", style)
    await play("HEAD the style sheet", "HEAD", style)
    await play("POST to a page", "POST", "/connect", form={})
    await play("sign in without a token", "POST", "/oauth/login", form={"email": play.account, "password": "x"})
    await play("an unknown page as JSON", "GET", "/no-such-page", headers={"accept": "application/json"})
    await play("a page for another origin", "GET", "/connect", headers={**HTML, "origin": "https://evil.example"})
    await play(
        "preflight of a page",
        "OPTIONS",
        "/connect",
        headers={"origin": "https://claude.ai", "access-control-request-method": "GET"},
    )
    await play("an unknown method", "PATCH", "/login")


async def health(play: Player) -> None:
    for path in ("/mcp", "/livez", "/readyz"):
        await play(f"GET {path}", "GET", path)
        await play(f"POST {path}", "POST", path)
    await play("HEAD /livez", "HEAD", "/livez")
    await play("metrics without a token", "GET", "/metrics")
    await play("metrics with a wrong token", "GET", "/metrics", key="wrong")
    await play("metrics", "GET", "/metrics", key=METRICS_TOKEN, summary=metric_names)
    accept = {"accept": "application/openmetrics-text"}
    await play("metrics as OpenMetrics", "GET", "/metrics", headers=accept, key=METRICS_TOKEN, summary=metric_names)


def metric_names(answer: httpx2.Response) -> str:
    """The names and types of the metrics that the server declares."""
    declared = {line.removeprefix("# TYPE ") for line in answer.text.splitlines() if line.startswith("# TYPE ")}
    return "\n".join(sorted(declared))


async def limits(play: Player) -> None:
    """Two requests without a credential, three with one, and one registration a day."""
    headers, body = request("tools/list")
    for number in ("first", "second", "third"):
        await play(
            f"the {number} request of a stranger", "POST", "/mcp", headers=headers, json_body=body, show="nothing"
        )
    await play(
        "a wrong credential of a stranger", "POST", "/mcp", headers=headers, json_body=body, key="minds_" + "0" * 48
    )
    await play("no JSON of a stranger", "POST", "/mcp", headers=headers, content=b"{")
    for number in ("first", "second", "third"):
        await play(
            f"the {number} request of an account",
            "POST",
            "/mcp",
            headers=headers,
            json_body=body,
            key=play.key,
            show="nothing",
        )
    await call(play, "a call of an account over its limit", "list_panels", {})
    await call(play, "a call in 2026 over the limit", "list_panels", {}, era="2026-07-28")
    await play("the API over the limit", "GET", "/api/v1/minds", key=play.key)
    registration = {
        "client_name": "x",
        "redirect_uris": ["https://app.example/cb"],
        "token_endpoint_auth_method": "none",
    }
    for number in ("first", "second"):
        await play(f"the {number} registration", "POST", "/oauth/register", json_body=registration)


async def exports(play: Player) -> None:
    group = {"name": "Readers", "sparkNames": ["Ed Reader"]}
    persona = {"name": "Ed Reader", "mode": "clone", "personaContext": ABOUT}
    made = await call(play, "create a persona", "create_ai_persona_or_digital_twin", persona, show="nothing")
    progress = {"sparkId": made["sparkId"]}
    await call(
        play,
        "training",
        "check_ai_persona_training_progress",
        progress,
        until=lambda answer: bool(structured(answer)["readyToChat"]),
    )
    panel = await call(play, "create a panel", "create_panel", {"name": "Books", "groupConfigs": [group]})
    question = {"panelId": panel["panelId"], "question": "On a scale of 1 to 10, how much do you like books?"}
    await call(
        play, "ask", "ask_panel", question, show="nothing", until=lambda answer: '"status":"completed"' in answer.text
    )
    earliest = ""
    for kind in ("json", "md", "xlsx", "csv", "pdf"):
        wanted = {"panelId": panel["panelId"], "format": kind}
        made = await call(play, f"export as {kind}", "export_panel", wanted, show="shape")
        link = _path(made)
        earliest = earliest or link
        await play(f"download {kind}", "GET", link, show="nothing")
    await play("HEAD", "HEAD", link, show="nothing")
    await play("a range", "GET", link, headers={"range": "bytes=0-3"}, show="nothing")
    await play("POST", "POST", link)
    await play("a forged signature", "GET", f"{link[:-4]}0000")
    await play("no signature", "GET", link.partition("?")[0])
    expired = link.replace("expires=", "expires=1")[: len(link)]
    await play("another time", "GET", expired)
    await play(
        "a link that has expired", "GET", earliest, until=lambda answer: answer.status_code == httpx2.codes.NOT_FOUND
    )
    await play("another name", "GET", link.replace(".pdf", ".txt"))


def _path(made: dict[str, object]) -> str:
    link = urlsplit(str(made["url"]))
    return f"{link.path}?{link.query}"
