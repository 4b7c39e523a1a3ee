"""What the doctor finds: for each client and each step one status, why, and what to change."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

LONGEST_QUOTE = 160
"""Characters of a stranger's words that are repeated."""


class Status(StrEnum):
    """`advice`: this client gets through, but another client, or a stricter day, will not.

    `undecided`: the client needs this step, and from here nobody can see whether it works.
    """

    OK = "ok"
    ADVICE = "advice"
    SKIPPED = "skipped"
    UNDECIDED = "undecided"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One step. `change` is one sentence for the operator of the gateway; empty where nothing is wrong."""

    step: str
    status: Status
    why: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class ClientReport:
    """What one client meets, in its own order."""

    name: str
    title: str
    findings: tuple[Finding, ...]

    @property
    def connects(self) -> bool | None:
        """Whether every step that it needs works; None when none failed but one cannot be decided from here."""
        seen = {finding.status for finding in self.findings}
        if Status.FAILED in seen:
            return False
        return None if Status.UNDECIDED in seen else True


@dataclass(frozen=True, slots=True)
class Report:
    """The whole examination of one address."""

    url: str
    clients: tuple[ClientReport, ...]

    @property
    def healthy(self) -> bool:
        """No client that was played is kept out; one that is not decided is no fault of the gateway."""
        return all(client.connects is not False for client in self.clients)

    def hiding(self, secrets: Iterable[str]) -> "Report":
        """The same report with every secret blotted out: a server may repeat what it was given in its answers."""
        known = sorted((secret for secret in secrets if secret), key=len, reverse=True)
        return replace(self, clients=tuple(_hidden(client, known) for client in self.clients))


def _hidden(client: ClientReport, secrets: list[str]) -> ClientReport:
    return replace(
        client,
        findings=tuple(
            replace(finding, why=_blot(finding.why, secrets), change=_blot(finding.change, secrets))
            for finding in client.findings
        ),
    )


def _blot(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[secret]")
    return text


def ok(step: str, why: str) -> Finding:
    return Finding(step, Status.OK, why)


def advice(step: str, why: str, change: str) -> Finding:
    return Finding(step, Status.ADVICE, why, change)


def skipped(step: str, why: str, change: str = "") -> Finding:
    return Finding(step, Status.SKIPPED, why, change)


def undecided(step: str, why: str, change: str = "") -> Finding:
    return Finding(step, Status.UNDECIDED, why, change)


def failed(step: str, why: str, change: str) -> Finding:
    return Finding(step, Status.FAILED, why, change)


def quoted(value: object) -> str:
    """A stranger's words, short and on one line, without anything that a terminal would obey."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return f"`{text[:LONGEST_QUOTE]}{'…' if len(text) > LONGEST_QUOTE else ''}`"
