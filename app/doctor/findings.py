"""What the doctor finds: for each client and each step one status, why, and what to change."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from app.doctor.observations import View

LONGEST_QUOTE = 160
"""Characters of a server's words that are repeated."""


class Status(StrEnum):
    """`advice`: this client gets through, but another client, or a stricter day, will not.

    `undecided`: the client needs this step, and from here nobody can see whether it works.
    """

    OK = "ok"
    ADVICE = "advice"
    SKIPPED = "skipped"
    UNDECIDED = "undecided"
    FAILED = "failed"


OK, ADVICE, SKIPPED, UNDECIDED, FAILED = Status

Row = tuple[Status, str, str]
"""Status, why, and one sentence for the operator on what to change; that one is empty where nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of one step."""

    step: str
    status: Status
    why: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One step: `rows` yields what is seen in a view, the worst first; `fine` stands where it yields nothing.

    The first row counts. With `every` all of them do, but failed ones are reported alone.
    """

    step: str
    rows: Callable[[View], Iterator[Row]]
    applies: Callable[[View], object] = lambda _view: True
    fine: str = ""
    every: bool = False

    def findings(self, view: View) -> list[Finding]:
        """What this client meets at this step; nothing where the step does not apply to it."""
        if not self.applies(view):
            return []
        rows = list(islice(self.rows(view), None if self.every else 1))
        failed = [row for row in rows if row[0] is Status.FAILED]
        return [Finding(self.step, *row) for row in failed or rows or [(Status.OK, self.fine, "")]]


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

    def without(self, secrets: Iterable[str]) -> "Report":
        """The same report with every secret replaced: a server may repeat what it was given in its answers."""
        known = sorted((secret for secret in secrets if secret), key=len, reverse=True)

        def clean(text: str) -> str:
            for secret in known:
                text = text.replace(secret, "[secret]")
            return text

        def cleaned(client: ClientReport) -> ClientReport:
            found = (replace(one, why=clean(one.why), change=clean(one.change)) for one in client.findings)
            return replace(client, findings=tuple(found))

        return replace(self, clients=tuple(map(cleaned, self.clients)))


def quoted(value: object) -> str:
    """A server's words, short and on one line, without anything that a terminal would obey."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return f"`{text[:LONGEST_QUOTE]}{'…' if len(text) > LONGEST_QUOTE else ''}`"
