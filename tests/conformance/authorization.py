"""The suite's scenarios for authorization servers, played to the end by a person who allows."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests import node
from tests.conformance.suite import BOUND, Verdict
from tests.journeys.person import Person
from tests.processes import HOST

_LISTED = re.compile(r"  - (\S+) \[")
_RESULTS = "authorization-server-{}-[0-9]*/checks.json"


@dataclass(frozen=True, slots=True)
class Examined:
    """An authorization server, and a client that it knows, whose answers come back to `port`."""

    site: str
    client_id: str
    port: int

    @property
    def callback(self) -> str:
        return callback(self.port)


def callback(port: int) -> str:
    """Where the suite, as a client, takes the answer."""
    return f"http://{HOST}:{port}/callback"


def judge_authorization(target: str, examined: Examined, revision: str, email: str, results: Path) -> Verdict:
    """Run every scenario for authorization servers. Nothing is excused: what fails, is warned or skipped, is a fault.

    Raises:
        NodeMissing: the suite cannot run here.

    """
    command = [node.program("conformance"), "authorization", "--url", examined.site, "--spec-version", revision]
    command += ["--client-id", examined.client_id, "--port", str(examined.port)]
    command += ["--resource", f"{examined.site}/mcp", "-o", str(results)]
    scenarios = listed_scenarios(revision)
    ended = list(_played(command, examined, email))
    checks = {name: list(_checks(name, results)) for name in scenarios}
    return Verdict(
        target=target,
        revision=revision,
        scenarios=sum(bool(found) for found in checks.values()),
        checks=sum(check["status"] == "SUCCESS" for found in checks.values() for check in found),
        expected=(),
        optional_failures=(),
        faults=(*_faults(checks), *ended),
    )


def listed_scenarios(revision: str) -> Sequence[str]:
    """What the package has for authorization servers of `revision`; there is no frozen list of it."""
    command = [node.program("conformance"), "list", "--authorization", "--spec-version", revision]
    told = subprocess.run(
        command, env=node.environment(), capture_output=True, text=True, encoding="utf-8", timeout=BOUND, check=True
    )
    return _LISTED.findall(told.stdout)


def _played(command: Sequence[str], examined: Examined, email: str) -> Iterable[str]:
    """Run the suite and open what it asks a person to open. What is yielded are faults of the run itself."""
    with subprocess.Popen(
        command, env=node.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    ) as suite:
        try:
            said = []
            for line in suite.stdout or ():
                said.append(line)
                if line.startswith(f"{examined.site}/"):
                    asyncio.run(_allow(line.strip(), email))
            if suite.wait(BOUND) != 0:
                yield f"the suite ended with {suite.returncode}: {''.join(said)[-2000:]}"
        except AssertionError as lost:
            yield f"the person did not arrive: {lost}"
        finally:
            suite.kill()


async def _allow(address: str, email: str) -> None:
    """As the person with this account, who says yes and follows the answer to the suite's callback."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as browser:
        person = Person(browser, email)
        page = await person.asked(address)
        await person.follow(page if page.left else await person.press(page, "allow"))


def _checks(scenario: str, results: Path) -> Iterable[Mapping[str, Any]]:
    for path in sorted(results.glob(_RESULTS.format(scenario))):
        yield from json.loads(path.read_text("utf-8"))


def _faults(checks: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[str]:
    for scenario, found in checks.items():
        if not found:
            yield f"{scenario}: did not run"
        for check in found:
            if check["status"] not in {"SUCCESS", "INFO"}:
                yield f"{scenario}: {check['id']}: {check.get('errorMessage', check['status'])}"
