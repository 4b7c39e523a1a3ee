"""Bodies of the wrong type, form or size."""

import gc
from collections.abc import AsyncIterator

import psutil
import pytest

from tests.app.internal_api.support import KEYWORDS, World

ONE = "/minds/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"NaN", b"\xff", b"[" * 100_000, b'{"name":' * 5_000])
async def test_what_is_no_json_object_is_refused(world: World, body: bytes) -> None:
    refused = await world.client().post("/minds", content=body, headers={"content-type": "application/json"})

    assert refused.status_code == 400


async def test_another_content_type_is_refused(world: World) -> None:
    refused = await world.client().post("/minds", content=b"name=Ada", headers={"content-type": "text/plain"})

    assert refused.status_code == 415


async def test_a_body_over_the_limit_is_refused_whether_or_not_its_length_is_declared(world: World) -> None:
    world.settings = world.settings.model_copy(update={"max_json_bytes": 1000})
    client = world.client()

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100

    json = {"content-type": "application/json"}
    declared = await client.post("/minds", content=b" " * 2000, headers=json)
    undeclared = await client.post("/minds", content=endless(), headers=json)

    assert (declared.status_code, undeclared.status_code) == (413, 413)


async def test_an_upload_that_ends_in_the_middle_of_its_file_leaves_no_file_open(world: World) -> None:
    client = world.client()
    made = await client.post("/minds", json=KEYWORDS)
    cut = b'--a\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n' + b"y" * 2_000_000
    before = psutil.Process().num_fds()

    refused = [
        await client.post(
            f"/minds/{made.json()['data']['id']}/knowledge",
            content=cut,
            headers={"content-type": "multipart/form-data; boundary=a"},
        )
        for _ in range(3)
    ]
    files = psutil.Process().num_fds()
    gc.collect()  # a file that was left to it would be told of here

    assert [answer.status_code for answer in refused] == [400] * 3
    assert files <= before + 2  # connections of the database
