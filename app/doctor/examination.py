"""One examination from the first request to the report, and the report for people and for programs."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import click

from app.doctor import checks_authorization, checks_endpoint, checks_session
from app.doctor.checks_endpoint import CORS, REACH
from app.doctor.exchanges import Fault
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check, Finding, Status
from app.doctor.gateway_client import GatewayClient, gateway_client
from app.doctor.oauth_probes import Credentials, OAuthProbes
from app.doctor.observations import Discovery, Observed, View
from app.doctor.probes import call_tool, discover, meant_endpoint, preflight, probe_endpoint
from app.doctor.profiles import ERAS, Profile, Way
from app.doctor.sign_in import Show, SignIn

OPEN = (*checks_endpoint.CHECKS, Check[View]("sign-in", (SKIPPED, "open", lambda _: True)), CORS, *checks_session.TOOLS)
"""What concerns a gateway that asks nobody to sign in."""
PROTECTED = (
    *checks_endpoint.CHECKS,
    *checks_authorization.DOCUMENTS,
    CORS,
    *checks_authorization.CHECKS,
    *checks_session.SIGN_IN,
    *checks_session.TOOLS,
)
VERDICTS = {True: "can connect", False: "cannot connect", None: "not decided"}
WIDTH = max(len(status) for status in Status)
SEVERITY = (FAILED, UNDECIDED, ADVICE, SKIPPED, OK)
COLOURS = {FAILED: "red", UNDECIDED: "yellow", ADVICE: "yellow", OK: "green"}


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
        return False if FAILED in seen else None if UNDECIDED in seen else True


@dataclass(frozen=True, slots=True)
class Report:
    """The whole examination of one address."""

    url: str
    clients: tuple[ClientReport, ...]

    @property
    def healthy(self) -> bool:
        """No client that was played is kept out; one that is not decided is no fault of the gateway."""
        return all(client.connects is not False for client in self.clients)


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """What the operator asked for. The clients of `profiles` are played; `seconds` is the limit of each request."""

    url: str
    profiles: tuple[Profile, ...]
    seconds: float
    registers: bool = True
    login: bool = False
    login_seconds: float = 300.0
    key: str = field(default="", repr=False)
    client_id: str = ""
    """The client to sign in as, instead of registering one: it is set up, or its address is its metadata document."""
    client_secret: str = field(default="", repr=False)
    callback_port: int = 0


async def examine(options: DoctorOptions, show: Show) -> Report:
    """Ask everything, then judge; `show` gets the address that a browser has to open."""
    hidden = {options.key}
    async with gateway_client(options.url, options.seconds) as client:
        observed = await _observe(client, options, show, hidden)
    return Report(options.url, tuple(judge(View(one, observed), hidden) for one in options.profiles))


async def _observe(client: GatewayClient, options: DoctorOptions, show: Show, hidden: set[str]) -> Observed:
    url = options.url
    endpoint = await probe_endpoint(client, url)
    observed = Observed(url, endpoint, Discovery(url), registers=options.registers)
    if endpoint.get.fault in {Fault.UNREACHABLE, Fault.TLS}:
        return observed
    if meant := await meant_endpoint(client, url, endpoint):
        return replace(observed, meant=meant)
    discovery = await discover(client, url, endpoint)
    is_browser = any(profile.browser for profile in options.profiles)
    probes = OAuthProbes(client, endpoint, discovery, registers=options.registers)
    observed = replace(
        observed,
        discovery=discovery,
        preflights=await preflight(client, url, discovery) if is_browser else {},
        played={profile.name: await probes.play(profile) for profile in options.profiles},
    )
    if options.login and discovery.server_metadata.document:
        # Whose body is registered for the real sign-in: the first that registers, whatever its redirects.
        profile = next((one for one in options.profiles if Way.DYNAMIC in one.ways), options.profiles[0])
        known = Credentials(options.client_id, options.client_secret) if options.client_id else None
        sign_in = SignIn(client, probes, url, hidden)
        grant, called = await sign_in.run(profile, show, options.login_seconds, known, options.callback_port)
        observed = replace(observed, grant=grant, called=called)
    if not observed.called and (options.key or not observed.requires_sign_in):
        called = tuple([await call_tool(client, url, era, options.key) for era in ERAS])
        observed = replace(observed, called=called)
    return observed


def judge(view: View, hidden: Iterable[str] = ()) -> ClientReport:
    """Everything that one client meets at this gateway, in its order, without what is `hidden`."""
    findings = REACH.findings(view)
    if findings[0].status is FAILED and (view.endpoint.get.fault is not None or view.observed.meant):
        findings.append(Finding("everything else", SKIPPED, "nothing was reached"))
    else:
        checks = PROTECTED if view.observed.requires_sign_in else OPEN
        findings = [finding for check in checks for finding in check.findings(view)]
    shown = (replace(one, why=_clean(one.why, hidden), change=_clean(one.change, hidden)) for one in findings)
    return ClientReport(view.profile.name, view.profile.title, tuple(shown))


def _clean(text: str, hidden: Iterable[str]) -> str:
    """`text` with every secret replaced: a server may repeat what it was given in its answers."""
    for secret in sorted(filter(None, hidden), key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    return text


def as_text(report: Report) -> str:
    """The verdicts; then what to change, each remedy once with all that it mends; then the rest, each row once."""
    by_verdict, by_remedy = defaultdict[bool | None, list[str]](list), defaultdict[str, dict[Finding, list[str]]](dict)
    for client in report.clients:
        by_verdict[client.connects].append(client.title)
        for finding in client.findings:
            by_remedy[finding.change].setdefault(finding, []).append(client.name)
    undecided = f", {len(by_verdict[None])} not decided" if by_verdict[None] else ""
    summary = f"{len(by_verdict[True])} of {len(report.clients)} clients can connect{undecided}."
    lines = [f"Examined: {report.url}", click.style(summary, bold=True)]
    lines += [f"  {VERDICTS[each]}: {', '.join(by_verdict[each])}" for each in (False, None, True) if by_verdict[each]]
    rest = by_remedy.pop("", {})
    # What keeps a client out comes before what is only advice.
    remedies = sorted(by_remedy.items(), key=lambda item: min(map(SEVERITY.index, (one.status for one in item[1]))))
    for title, groups in (("To change", remedies), ("The rest", [("", rest)] if rest else [])):
        lines += ["", click.style(title, bold=True)] if groups else []
        for change, rows in groups:
            lines += [_line(row, names, len(report.clients)) for row, names in rows.items()]
            lines += [f"  {'':<{WIDTH}}  -> {change}"] if change else []
    return "\n".join(lines)


def _line(finding: Finding, names: list[str], clients: int) -> str:
    status = click.style(f"{finding.status.value:<{WIDTH}}", fg=COLOURS.get(finding.status))
    whose = "" if len(set(names)) == clients else f" [{', '.join(dict.fromkeys(names))}]"
    return f"  {status}  {finding.step}: {finding.why}{whose}"


def as_json(report: Report) -> dict[str, Any]:
    """Every client with every step of its own."""
    clients = []
    for client in report.clients:
        findings = [asdict(one) | {"change": one.change or None} for one in client.findings]
        known = {"name": client.name, "title": client.title, "connects": client.connects}
        clients.append({**known, "findings": findings})
    return {"url": report.url, "healthy": report.healthy, "clients": clients}
