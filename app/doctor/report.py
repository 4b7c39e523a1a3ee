"""How a report is told: lines for people, one JSON object for programs."""

from collections.abc import Iterator
from typing import Any

from app.doctor.findings import Finding, Report, Status

VERDICTS = {True: "can connect", False: "cannot connect", None: "not decided"}
WIDTH = max(len(status) for status in Status)


def as_text(report: Report) -> str:
    """What all clients meet alike stands once, at the top; then each client's own."""
    shared = _shared(report)
    lines = [f"Examined: {report.url}", ""]
    if shared:
        lines += ["Every client", *_lines(shared), ""]
    for client in report.clients:
        own = [finding for finding in client.findings if finding not in shared]
        lines += [f"{client.title} [{client.name}]: {VERDICTS[client.connects]}", *_lines(own), ""]
    return "\n".join([*lines, _summary(report)])


def as_json(report: Report) -> dict[str, Any]:
    """Every client with every step of its own."""
    return {
        "url": report.url,
        "healthy": report.healthy,
        "clients": [
            {
                "name": client.name,
                "title": client.title,
                "connects": client.connects,
                "findings": [
                    {"step": one.step, "status": one.status.value, "why": one.why, "change": one.change or None}
                    for one in client.findings
                ],
            }
            for client in report.clients
        ],
    }


def _shared(report: Report) -> list[Finding]:
    if len(report.clients) < 2:  # noqa: PLR2004 - of one client everything is its own
        return []
    first, *others = (client.findings for client in report.clients)
    return [finding for finding in first if all(finding in other for other in others)]


def _lines(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"  {finding.status.value:<{WIDTH}}  {finding.step}: {finding.why}"
        if finding.change:
            yield f"  {'':<{WIDTH}}  -> {finding.change}"


def _summary(report: Report) -> str:
    verdicts = [client.connects for client in report.clients]
    open_ones = verdicts.count(None)
    rest = f", {open_ones} not decided" if open_ones else ""
    return f"{verdicts.count(True)} of {len(verdicts)} clients can connect{rest}."
