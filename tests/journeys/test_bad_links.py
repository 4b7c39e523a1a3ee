"""What nobody should link to: each is refused at once, or ends as a failed training that says what to do."""

import asyncio
import gzip
from asyncio import StreamWriter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

import httpx2
import mcp_types as types
import pytest

from tests.journeys.clients import ERAS, PATIENCE, PythonClient
from tests.journeys.host import Host, api, followed, key_for, new_host, started, talking
from tests.loopback import Loopback, Reply, reply
from tests.loopback import serving as serving_documents
from tests.processes import HOST, free_port

MEGABYTE = 1024 * 1024
GOOD = b"<title>Dough</title><p>The dough of the Harbour Bakery rests for eighteen hours.</p>"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

REFUSED_AT_ONCE = {
    "a file": "file:///etc/passwd",
    "gopher": "gopher://127.0.0.1:6379/_INFO",
    "ftp": "ftp://127.0.0.1/secrets",
    "data": "data:text/html,<p>hello",
    "javascript": "javascript:alert(1)",
    "no scheme": "//169.254.169.254/latest/meta-data",
    "a host in the place of a user": "http://example.com@127.0.0.1/",
    "no host": "http:///etc/passwd",
    "a password": "http://admin:secret@example.com/",
    "port 0": "http://example.com:0/",
    "a port beyond": "http://example.com:65536/",
    "a host behind a backslash": "http://127.0.0.1\\@example.com/",
    "a line break": "http://example.com/\r\nHost: 127.0.0.1",
    "a blank": "http://example.com/a b",
    "too long": "http://example.com/" + "a" * 2_048,
    "nothing": "",
}
PRIVATE = {
    "the metadata service": "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
    "loopback": "http://127.0.0.1:{port}/",
    "loopback by name": "http://localhost:{port}/",
    "loopback in IPv6": "http://[::1]:{port6}/",
    "loopback mapped into IPv6": "http://[::ffff:127.0.0.1]:{port}/",
    "loopback in decimal": "http://2130706433:{port}/",
    "loopback in hexadecimal": "http://0x7f000001:{port}/",
    "loopback in octal": "http://0177.0.0.1:{port}/",
    "loopback shortened": "http://127.1:{port}/",
    "loopback in wide digits": "http://\uff11\uff12\uff17.0.0.1:{port}/",
    "loopback with wide stops": "http://127\u30020\u30020\u30021:{port}/",
    "the unspecified address": "http://0.0.0.0:{port}/",
    "a private network": "http://10.0.0.1/",
    "another private network": "http://192.168.1.1/admin",
    "a third private network": "http://172.16.0.1/",
}
UNREADABLE = {
    "a redirect to loopback": "{documents}/to-loopback",
    "a redirect to loopback without a scheme": "{documents}/to-loopback-without-scheme",
    "a redirect to the metadata service": "{documents}/to-metadata",
    "a redirect to a file": "{documents}/to-file",
    "redirects without end": "{documents}/round-and-round",
    "an endless page": "{documents}/endless",
    "a page that never comes": "{documents}/silent",
    "a huge page": "{documents}/huge",
    "a huge page that does not say so": "{documents}/huge-by-surprise",
    "a small page that unpacks to a huge one": "{documents}/bomb",
    "a picture": "{documents}/picture.png",
    "a program": "{documents}/program",
    "a PDF that is none": "{documents}/none.pdf",
    "half a PDF": "{documents}/half.pdf",
    "an empty page": "{documents}/empty",
    "a page that is not there": "{documents}/missing",
    "nonsense instead of HTTP": "{documents}/nonsense",
    "a server that is not there": "http://{gone}/",
}
LIMITS = {
    "INTERNAL_API_MAX_FETCH_BYTES": str(MEGABYTE),
    "INTERNAL_API_FETCH_SECONDS": "3",
    "INTERNAL_API_TRAINING_CONCURRENCY": "4",
}


async def endless(writer: StreamWriter) -> None:
    writer.write(CHUNKED)
    while True:
        writer.write(b"1000\r\n" + b"<p>and on</p>".ljust(0x1000) + b"\r\n")
        await writer.drain()


async def silent(writer: StreamWriter) -> None:
    await asyncio.Event().wait()


async def huge_by_surprise(writer: StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n")
    for _ in range(4):
        writer.write(b"x" * MEGABYTE)
        await writer.drain()


def on_the_shelf(witness: str) -> dict[str, Reply]:
    return {
        "/to-loopback": reply("302 Found", Location=f"http://{witness}/"),
        "/to-loopback-without-scheme": reply("307 Temporary Redirect", Location=f"//{witness}/"),
        "/to-metadata": reply("301 Moved Permanently", Location="http://169.254.169.254/latest/"),
        "/to-file": reply("302 Found", Location="file:///etc/passwd"),
        "/round-and-round": reply("302 Found", Location="/round-and-round"),
        "/endless": endless,
        "/silent": silent,
        "/huge": reply("200 OK", b"word " * MEGABYTE, Content_Type="text/html"),
        "/huge-by-surprise": huge_by_surprise,
        "/bomb": reply("200 OK", gzip.compress(b"word " * MEGABYTE), Content_Encoding="gzip", Content_Type="text/html"),
        "/picture.png": reply("200 OK", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, Content_Type="image/png"),
        "/program": reply("200 OK", b"\x7fELF" + bytes(range(256)) * 40, Content_Type="application/x-executable"),
        "/none.pdf": reply("200 OK", b"<html><p>Not a PDF at all.", Content_Type="application/pdf"),
        "/half.pdf": reply("200 OK", b"%PDF-1.7\n1 0 obj\n<< /Type /Cat", Content_Type="application/pdf"),
        "/empty": reply("200 OK", Content_Type="text/html"),
        "/nonsense": b"220 mail.example.com ESMTP ready\r\n",
        "/good": reply("200 OK", GOOD, Content_Type="text/html"),
    }


@dataclass(frozen=True)
class Scene:
    """A running server, a user's key, and what their links may lead to.

    `witnesses` are loopback servers that must never be asked anything; `places` fills the holes in the links.
    """

    host: Host
    key: str
    witnesses: Sequence[Loopback]
    places: Mapping[str, object]


@pytest.fixture(scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    async with (
        serving_documents({"/": reply("200 OK", GOOD)}) as inside,
        serving_documents({"/": reply("200 OK", GOOD)}, host="::1") as inside6,
        serving_documents(on_the_shelf(inside.netloc)) as documents,
    ):
        gone = f"{HOST}:{free_port()}"
        allowed = f"{documents.netloc},{gone}"
        host = new_host(tmp_path_factory.mktemp("careful"), FETCH_ALLOW_HOSTS=allowed, **LIMITS)
        places = {"documents": documents.origin, "port": inside.port, "port6": inside6.port, "gone": gone}
        async with started(host):
            yield Scene(host, await key_for(host), (inside, inside6), places)


async def create(client: PythonClient, name: str, link: str) -> types.CallToolResult:
    return await client.result("create_ai_persona_or_digital_twin", {"name": name, "mode": "link", "contextLink": link})


async def assert_the_server_is_well(scene: Scene) -> None:
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        assert (await web.get(f"{scene.host.origin}/readyz")).status_code == 200
        assert (await web.get(scene.host.url)).json()["status"] == "ok"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", REFUSED_AT_ONCE)
async def test_a_link_that_cannot_be_one_is_refused_and_nothing_is_made(scene: Scene, kind: str, era: str) -> None:
    name = f"Refused {kind} {era}"

    async with talking(scene.host, scene.key, era) as client:
        refused = await create(client, name, REFUSED_AT_ONCE[kind])
        mine = await client.call("list_my_ai_personas", {})

    assert refused.is_error
    assert refused.structured_content["error"]["code"] == "invalid_arguments"
    assert name not in [persona["name"] for persona in mine["personas"]]
    await assert_the_server_is_well(scene)


@pytest.mark.parametrize("kind", PRIVATE)
async def test_a_link_to_a_private_address_is_refused_unasked_and_nothing_is_made(scene: Scene, kind: str) -> None:
    name = f"Private {kind}"

    async with talking(scene.host, scene.key) as client:
        refused = await create(client, name, PRIVATE[kind].format(**scene.places))
        mine = await client.call("list_my_ai_personas", {})

    assert refused.is_error
    assert refused.structured_content["error"]["code"] in {"refused", "invalid_arguments"}
    assert name not in [persona["name"] for persona in mine["personas"]]
    assert [witness.heads for witness in scene.witnesses] == [[], []]
    await assert_the_server_is_well(scene)


@pytest.mark.parametrize("kind", UNREADABLE)
async def test_a_link_that_leads_nowhere_good_is_a_failure_that_says_what_to_do(scene: Scene, kind: str) -> None:
    link = UNREADABLE[kind].format(**scene.places)

    async with talking(scene.host, scene.key) as client:
        made = (await create(client, f"Failed {kind}", link)).structured_content
        looks = await followed(client, made["sparkId"])
        spoken = await client.result("talk_to_ai_persona", {"sparkId": made["sparkId"], "message": "Hello"})

    assert [look["readyToChat"] for look in looks] == [False] * len(looks)
    assert (looks[-1]["status"], looks[-1]["failure"]["code"]) == ("failed", "COLLECTION_FAILED")
    assert looks[-1]["failure"]["whatToDo"]
    assert spoken.is_error
    assert spoken.structured_content["error"]["code"] == "not_ready"
    assert [witness.heads for witness in scene.witnesses] == [[], []]
    await assert_the_server_is_well(scene)


async def test_bad_links_do_not_keep_a_good_one_from_being_read(scene: Scene) -> None:
    bad = ("/silent", "/endless", "/huge", "/none.pdf")

    async with talking(scene.host, scene.key) as client:
        for number, path in enumerate(bad):
            await create(client, f"In the way {number}", f"{scene.places['documents']}{path}")
        good = (await create(client, "Good", f"{scene.places['documents']}/good")).structured_content
        looks = await followed(client, good["sparkId"])

    assert (looks[-1]["status"], looks[-1]["readyToChat"]) == ("completed", True)


async def test_a_file_that_cannot_be_read_is_refused_and_changes_nothing(scene: Scene) -> None:
    files = {
        "none.pdf": (b"<html><p>Not a PDF at all.", "application/pdf", 422),
        "half.pdf": (b"%PDF-1.7\n1 0 obj\n<< /Type /Cat", "application/pdf", 422),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "image/png", 415),
        "empty.txt": (b"", "text/plain", 422),
    }

    async with talking(scene.host, scene.key) as client, api(scene.host, scene.key) as web:
        made = await client.call("create_ai_persona_or_digital_twin", {"name": "Patient", "mode": "manual"})
        path = f"/minds/{made['sparkId']}/knowledge"
        answers = {
            name: (await web.post(path, files={"file": (name, data, media_type)})).status_code
            for name, (data, media_type, _) in files.items()
        }
        known = (await web.get(path)).json()

    assert answers == {name: status for name, (_, _, status) in files.items()}
    assert known["data"] == {"items": [], "total": 0}
