"""Machines that act for themselves (RFC 6749 section 4.4), with the SDK's client and with mcp-remote."""

import json
from pathlib import Path

import pytest

from tests import node
from tests.journeys.clients import python_over_stdio
from tests.journeys.sdk_oauth import SecretMethod, app_by, machine
from tests.journeys.sign_in_site import MACHINE, SECRET, SignInSite


def wish(name: str) -> dict[str, str]:
    return {"name": name, "mode": "manual"}


@pytest.mark.parametrize(("method", "era"), [("client_secret_basic", "legacy"), ("client_secret_post", "auto")])
async def test_a_machine_shows_its_secret_either_way_and_has_personas_of_its_own(
    site: SignInSite, method: SecretMethod, era: str
) -> None:
    async with site.somebody() as person:
        app = app_by("registration", site, person)
        async with machine(site, method, era) as robot, app.connected("auto") as human:
            listed = await robot.call("list_my_ai_personas", {})
            made = await robot.call("create_ai_persona_or_digital_twin", wish(f"{method} {era}"))
            again = await robot.call("list_my_ai_personas", {})
            theirs = await human.call("list_my_ai_personas", {})

    assert made["sparkId"] not in [row["id"] for row in listed["personas"]]
    assert made["sparkId"] in [row["id"] for row in again["personas"]]
    assert theirs["personas"] == []


async def test_the_bridge_acts_for_a_machine_without_any_browser(site: SignInSite, tmp_path: Path) -> None:
    known = json.dumps({"client_id": MACHINE, "client_secret": "${SECRET}"})
    arguments = (site.url, "--transport", "http-only", "--allow-http", "--client-credentials")
    variables = {**node.environment(), "HOME": str(tmp_path), "SECRET": SECRET}
    command = node.program("mcp-remote")

    given = (*arguments, "--static-oauth-client-info", known)
    async with python_over_stdio(command, given, variables, tmp_path) as client:
        await client.call("list_my_ai_personas", {})  # the first call for which it needs a token
        made = await client.call("create_ai_persona_or_digital_twin", wish("Made over the bridge"))
        listed = await client.call("list_my_ai_personas", {"searchQuery": "over the bridge"})

    assert made["sparkId"] in [row["id"] for row in listed["personas"]]
