"""Every operation of the embedded API, with bodies that mostly follow its own schemas."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from app.internal_api.http.operation import Operation
from app.internal_api.resources.table import operations
from tests.fuzz.grammar import encoded, following, header_texts, mutated, pairs, texts, values
from tests.fuzz.sizes import bounded
from tests.fuzz.world import World, sound

OPERATIONS = list(operations())
NAMES = ["limit", "offset", "search", "scope", "format", "expires", "signature", "questionId", "status", "all"]
WORDS = ["1", "100", "0", "-1", "all", "latest", "pdf", "csv", "true", "9" * 30]


def of(model: type[BaseModel] | None) -> st.SearchStrategy[Any]:
    """Bodies for the model of an operation."""
    return values if model is None else following(model.model_json_schema(by_alias=True)) | values


@pytest.fixture(scope="module")
async def ids(world: World) -> dict[str, str]:
    """One object of each kind, so that not every address leads nowhere."""
    mind = await world.answer("POST", "/api/v1/minds", headers=bearer(world), json=MIND)
    minds = {"mindIds": [mind.json()["data"]["id"]]}
    audience = await world.answer(
        "POST", "/api/v1/audiences", headers=bearer(world), json={"name": "Teachers", **minds}
    )
    study = await world.answer("POST", "/api/v1/studies", headers=bearer(world), json={"name": "Pricing", **minds})
    made = {"mindId": mind, "audienceId": audience, "studyId": study}
    return {name: answer.json()["data"]["id"] for name, answer in made.items() if answer.status_code < 300}


MIND = {"name": "Ada", "discipline": "Tea", "mode": "keywords", "keywords": ["oolong", "sencha"]}


def bearer(world: World) -> dict[str, str]:
    return {"authorization": f"Bearer {world.key}"}


@dataclass(frozen=True)
class Asked:
    """A request in the making: where its address leads is known only when the objects are."""

    operation: Operation
    known: bool
    stranger: str
    kind: str
    content: bytes

    def address(self, ids: Mapping[str, str]) -> str:
        quoted = "".join(f"%{byte:02x}" for byte in self.stranger.encode("utf-8", "surrogatepass")) or "x"
        path = self.operation.path
        for name in ("mindId", "audienceId", "studyId"):
            path = path.replace(f"{{{name}}}", ids.get(name, quoted) if self.known else quoted)
        while "{" in path:
            before, _, rest = path.partition("{")
            path = before + quoted + rest.partition("}")[2]
        return f"/api/v1{path}"


@st.composite
def requests(draw: st.DrawFn) -> Asked:
    operation = draw(st.sampled_from([one for one in OPERATIONS if one.method != "DELETE" or one.path.count("{") > 1]))
    return Asked(
        operation,
        known=draw(st.booleans()),
        stranger=draw(st.uuids().map(str) | texts),
        kind=draw(st.one_of(*[st.just("application/json")] * 9, header_texts)),
        content=b"" if operation.method == "GET" else draw(mutated(of(operation.body).map(encoded))),
    )


@bounded()
@given(asked=requests(), query=pairs(NAMES, st.sampled_from(WORDS)))
async def test_no_request_is_a_fault(
    world: World, ids: dict[str, str], asked: Asked, query: list[tuple[str, str]]
) -> None:
    target = asked.address(ids)
    headers = [(b"authorization", f"Bearer {world.key}".encode()), (b"content-type", asked.kind.encode("latin-1"))]
    plain = urlencode(query, errors="surrogatepass")

    response = await world.answer(asked.operation.method, f"{target}?{plain}", headers=headers, content=asked.content)

    sound(response, {"target": target, "body": asked.content, "query": query})


parts = st.lists(
    st.tuples(st.sampled_from(["file", "file", "title", "type", "x"]) | texts, texts, st.binary(max_size=80)),
    max_size=4,
)
kinds = (
    st.sampled_from(["text/plain", "application/pdf", "text/csv", "application/json", "image/png", "x"]) | header_texts
)


@st.composite
def forms(draw: st.DrawFn) -> bytes:
    body = b""
    for name, file_name, data in draw(parts):
        shown = file_name.encode("utf-8", "surrogatepass").replace(b"\n", b" ")
        head = b'form-data; name="%s"; filename="%s"' % (name.encode("utf-8", "surrogatepass"), shown)
        kind = draw(kinds).encode("latin-1")
        body += b"--edge\r\nContent-Disposition: %s\r\nContent-Type: %s\r\n\r\n%s\r\n" % (head, kind, data)
    return body + b"--edge--\r\n"


@bounded()
@given(body=mutated(forms()), boundary=st.sampled_from(["edge"] * 8 + ["", "x", '"', "edge; charset=x", "é"]))
async def test_no_upload_is_a_fault(world: World, ids: dict[str, str], body: bytes, boundary: str) -> None:
    headers = [
        (b"authorization", f"Bearer {world.key}".encode()),
        (b"content-type", f"multipart/form-data; boundary={boundary}".encode("latin-1")),
    ]

    response = await world.answer("POST", f"/api/v1/minds/{ids['mindId']}/knowledge", headers=headers, content=body)

    sound(response, {"body": body, "boundary": boundary})
