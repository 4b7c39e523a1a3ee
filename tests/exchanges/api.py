"""What a client of the embedded API sends: minds, knowledge, training, completion, studies; and its refusals."""

from collections.abc import Callable
from typing import Any

import httpx2

from tests.exchanges.mcp_eras import ABOUT
from tests.exchanges.player import Player

ROOT = "/api/v1"
MISSING = "00000000-0000-4000-8000-000000000000"


async def api_v1(play: Player) -> None:
    async def ask(name: str, method: str, path: str, **more: Any) -> httpx2.Response:
        return await play(name, method, ROOT + path, **{"key": play.key, **more})

    await ask("openapi.json", "GET", "/openapi.json", summary=operations)
    await ask("me", "GET", "/auth/me")
    await ask("no minds", "GET", "/minds")
    mind = await _minds(ask)
    await _knowledge(ask, mind)
    await _completion(ask, mind)
    await _studies(ask, mind)
    await _refusals(ask, play)
    await ask("delete a mind", "DELETE", f"/minds/{mind}")
    await ask("a deleted mind", "GET", f"/minds/{mind}")


def operations(answer: httpx2.Response) -> str:
    """Paths and methods of the OpenAPI document."""
    methods = {"get", "post", "put", "patch", "delete"}
    found = [
        f"{path} {method}" for path, item in answer.json()["paths"].items() for method in item if method in methods
    ]
    return "\n".join(sorted(found))


async def _minds(ask: Callable[..., Any]) -> str:
    wanted = {"name": "Cy Clist", "discipline": "Cycling", "mode": "clone", "personaContext": ABOUT}
    once = {"x-minds-idempotency-key": "once"}
    made = await ask("create a mind", "POST", "/minds", headers=once, json_body=wanted)
    identity: str = made.json()["data"]["id"]
    path = f"/minds/{identity}"
    await ask("training", "GET", f"{path}/training", until=lambda answer: answer.json()["status"] == "completed")
    await ask("create a mind again", "POST", "/minds", headers=once, json_body=wanted)
    await ask("create another with the same key", "POST", "/minds", headers=once, json_body={**wanted, "name": "Other"})
    await ask("create a mind without a name", "POST", "/minds", json_body={"discipline": "x"})
    await ask("create a mind with an unknown field", "POST", "/minds", json_body={**wanted, "colour": "red"})
    await ask("a mind", "GET", path, show="shape")
    await ask("minds", "GET", "/minds", until=lambda answer: all(one["readyToChat"] for one in answer.json()["data"]))
    await ask("minds by a word", "GET", "/minds?search=nobody&limit=1&offset=0")
    await ask("minds with a wrong limit", "GET", "/minds?limit=many")
    return identity


async def _knowledge(ask: Callable[..., Any], mind: str) -> None:
    path = f"/minds/{mind}/knowledge"
    text = {"text": "The bicycle hire opens at seven and costs two euros an hour.", "description": "Prices"}
    added = await ask("add text", "POST", path, json_body=text)
    status = f"{path}/{added.json()['data']['id']}/status"
    await ask("status of the text", "GET", status, until=lambda answer: answer.json()["data"]["readyForRetrieval"])
    await ask("add a link to this machine", "POST", path, json_body={"link": "http://127.0.0.1:9/secret"})
    await ask("add a link of no scheme", "POST", path, json_body={"link": "file:///etc/passwd"})
    await ask("add nothing", "POST", path, json_body={})
    await ask("add a form", "POST", path, form={"text": "x"})
    await ask("knowledge", "GET", path)
    await ask("status of nothing", "GET", f"{path}/{MISSING}/status")
    ready = "completed"
    await ask("trained", "GET", f"/minds/{mind}/training", until=lambda answer: answer.json()["status"] == ready)
    await ask("retrain", "POST", f"/minds/{mind}/retrain", show="shape")
    await ask("retrained", "GET", f"/minds/{mind}/training", until=lambda answer: answer.json()["status"] == ready)


async def _completion(ask: Callable[..., Any], mind: str) -> None:
    path = f"/minds/{mind}/completion"
    question = {"messages": [{"role": "user", "content": "When does the bicycle hire open?"}]}
    await ask("completion", "POST", path, json_body=question, show="shape")
    await ask("completion as a stream", "POST", path, json_body={**question, "responseMode": "stream"}, summary=events)
    await ask("completion of nothing", "POST", path, json_body={"messages": []}, show="shape")
    await ask("completion with a wrong role", "POST", path, json_body={"messages": [{"role": "king", "content": "x"}]})
    await ask("completion of nobody", "POST", f"/minds/{MISSING}/completion", json_body=question)


def events(answer: httpx2.Response) -> str:
    """The kinds of lines of an event stream, each once, in the order of their first appearance."""
    return "\n".join(
        dict.fromkeys(line.partition(":")[0] for line in answer.text.splitlines() if line[:1] not in {"", ":"})
    )


async def _studies(ask: Callable[..., Any], mind: str) -> None:
    audience = await ask("create an audience", "POST", "/audiences", json_body={"name": "Riders", "mindIds": [mind]})
    riders = audience.json()["data"]["id"]
    for name, path in (("audiences", ""), ("an audience", f"/{riders}"), ("members", f"/{riders}/members")):
        await ask(name, "GET", f"/audiences{path}")
    await ask("rename an audience", "PUT", f"/audiences/{riders}", json_body={"name": "Cyclists"})
    await ask("add a member twice", "POST", f"/audiences/{riders}/members", json_body={"mindIds": [mind]})
    study = await ask("create a study", "POST", "/studies", json_body={"name": "Hire", "audienceIds": [riders]})
    path = f"/studies/{study.json()['data']['id']}"
    await ask("create a study of nobody", "POST", "/studies", json_body={"name": "Hire"})
    await ask("studies", "GET", "/studies")
    await ask("a study", "GET", path)
    question = {"question": "When does the bicycle hire open?"}
    await ask("ask without a question", "POST", f"{path}/ask", json_body={})
    await ask("ask", "POST", f"{path}/ask", json_body=question, summary=events)
    await ask("a study that was asked", "GET", path, show="shape")
    await ask("export", "POST", f"{path}/export", json_body={"format": "md"})
    await ask(
        "export status", "GET", f"{path}/export-status", show="shape", until=lambda answer: "downloadUrl" in answer.text
    )
    await ask("export in an unknown format", "POST", f"{path}/export", json_body={"format": "docx"})
    await ask("file without a signature", "GET", f"/exports/{MISSING}/file", key=None)
    await ask("remove a member", "DELETE", f"/audiences/{riders}/members/{mind}")
    await ask("delete the study", "DELETE", path)
    await ask("delete the audience", "DELETE", f"/audiences/{riders}")


async def _refusals(ask: Callable[..., Any], play: Player) -> None:
    await ask("no credential", "GET", "/minds", key=None)
    await ask("a wrong credential", "GET", "/minds", key="minds_" + "0" * 48)
    await ask("too few scopes", "GET", "/minds", key=play.narrow_key)
    await ask("an unknown mind", "GET", f"/minds/{MISSING}")
    await ask("no id", "GET", "/minds/x")
    await ask("an unknown path", "GET", "/nothing")
    await ask("another method", "PATCH", "/minds")
    await ask("HEAD", "HEAD", "/minds")
    await ask("no JSON", "POST", "/minds", headers={"content-type": "application/json"}, content=b"{")
    await ask("another content type", "POST", "/minds", headers={"content-type": "text/plain"}, content=b"x")
    await ask("a number for an object", "POST", "/minds", json_body=7)
    await ask("another origin", "GET", "/minds", headers={"origin": "https://evil.example"})
