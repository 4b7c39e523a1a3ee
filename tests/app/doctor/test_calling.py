"""The protocol with a credential, in both eras."""

import pytest

from app.doctor.calling import Caller
from app.doctor.door import open_door
from app.doctor.messages import ERAS, LEGACY, MODERN, result
from app.doctor.observed import Called

SECONDS = 20.0


async def called(url: str, era: str, credential: str) -> Called:
    async with open_door(url, SECONDS) as door:
        return await Caller(door, url, credential).call(era)


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_that_only_reads_is_called(gateways: str, era: str) -> None:
    found = await called(f"{gateways}/healthy/mcp", era, "key-of-healthy")

    assert (found.tool, found.call is not None) == ("count", True)
    assert found.call is not None
    assert result(found.call.body, found.call.media_type) is not None


async def test_a_refused_credential_ends_it(gateways: str) -> None:
    found = await called(f"{gateways}/healthy/mcp", MODERN, "wrong")

    assert (found.start.status, found.listed) == (401, None)


async def test_an_era_that_is_not_spoken_ends_it(gateways: str) -> None:
    url = f"{gateways}/legacy-only/mcp"

    modern, legacy = [await called(url, era, "key-of-legacy-only") for era in (MODERN, LEGACY)]

    assert (modern.start.status, modern.listed) == (400, None)
    assert legacy.call is not None
