"""One run of the official suite against one server, and what came of it."""

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests import node

PACKAGE = node.CLIENTS / "node_modules" / "@modelcontextprotocol" / "conformance"
BOUND = 300
"""Seconds for one revision. It takes about three."""

_CONTROL = re.compile(r"\x1b\[[0-9;]*m")
_SCENARIO = re.compile(r"[✓✗] (\S+): (\d+) passed, (\d+) failed")
_EXPECTED = re.compile(r"  ~ (\S+)")
_LISTED = re.compile(r"  [✓✗] (\S+)")
_STALE, _UNEXPECTED = "Stale baseline entries", "Unexpected failures ("


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the suite said of `target`.

    Attributes:
        scenarios: how many of the required ones ran.
        checks: passed checks of those.
        expected: scenarios that failed, as the baseline says.
        optional_failures: scenarios that the revision does not require, and that failed.
        faults: what makes the run fail, one line each; none means passed.

    """

    target: str
    revision: str
    scenarios: int
    checks: int
    expected: tuple[str, ...]
    optional_failures: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.faults


def judge(target: str, url: str, revision: str, baseline: Path, results: Path) -> Verdict:
    """Run what `revision` requires against `url`. Whatever fails or is warned must stand in `baseline`, and must fail.

    Raises:
        NodeMissing: the suite cannot run here.

    """
    command = [node.program("conformance"), "server", "--url", url, "--requirements", revision]
    command += ["--expected-failures", str(baseline), "-o", str(results)]
    run = subprocess.run(
        command, env=node.environment(), capture_output=True, text=True, encoding="utf-8", timeout=BOUND, check=False
    )
    summary = _CONTROL.sub("", run.stdout).partition("=== SUMMARY ===")[2]
    counts = {name: (int(good), int(bad)) for name, good, bad in _SCENARIO.findall(summary)}
    required = required_scenarios(revision)
    faults = [*_faults(summary, results), *_unseen(required, counts)]
    if run.returncode != 0 and not faults:
        faults = [f"the suite ended with {run.returncode}: {(run.stderr or run.stdout)[-2000:]}"]
    return Verdict(
        target=target,
        revision=revision,
        scenarios=len(required & counts.keys()),
        checks=sum(good for name, (good, _bad) in counts.items() if name in required),
        expected=tuple(_EXPECTED.findall(summary)),
        optional_failures=tuple(name for name, (_good, bad) in counts.items() if bad and name not in required),
        faults=tuple(faults),
    )


def required_scenarios(revision: str) -> frozenset[str]:
    """The frozen list of the revision, as the package brings it."""
    document = yaml.safe_load((PACKAGE / "requirements" / f"{revision}.yaml").read_text("utf-8"))
    return frozenset(document["server"])


def _unseen(required: frozenset[str], counts: Mapping[str, object]) -> Iterable[str]:
    return (f"{name}: is required and did not run" for name in sorted(required - counts.keys()))


def _faults(summary: str, results: Path) -> Iterable[str]:
    section = ""
    for line in summary.splitlines():
        listed = _LISTED.fullmatch(line)
        if listed is None:
            section = line or section
        elif section.startswith(_STALE):
            yield f"{listed[1]}: passes now; take it out of the baseline"
        elif section.startswith(_UNEXPECTED):
            yield f"{listed[1]}: {'; '.join(_messages(listed[1], results)) or 'failed'}"


def _messages(scenario: str, results: Path) -> Iterable[str]:
    for path in sorted(results.glob(f"server-{scenario}-[0-9]*/checks.json")):
        for check in json.loads(path.read_text("utf-8")):
            if check["status"] in {"FAILURE", "WARNING"}:
                yield f"{check['id']}: {check.get('errorMessage', check['status'])}"
