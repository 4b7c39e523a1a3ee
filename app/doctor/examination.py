"""One examination from the first request to the report, and the report for people and for programs."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from app.doctor import checks_authorization, checks_metadata
from app.doctor.checks_endpoint import CHECKS, CORS, REACH
from app.doctor.checks_session import SIGN_IN, TOOLS
from app.doctor.exchanges import Fault
from app.doctor.findings import FAILED, SKIPPED, Check, ClientReport, Finding, Report, Status
from app.doctor.gateway_client import GatewayClient, gateway_client
from app.doctor.oauth_probes import OAuthProbes
from app.doctor.observations import Discovery, Observed, View
from app.doctor.probes import call_tool, discover, preflight, probe_endpoint
from app.doctor.profiles import ERAS, Profile, Way
from app.doctor.sign_in import KnownClient, Show, SignIn

NO_SIGN_IN = Check("sign-in", lambda _view: iter([(SKIPPED, "the gateway asks nobody to sign in", "")]))
VERDICTS = {True: "can connect", False: "cannot connect", None: "not decided"}
WIDTH = max(len(status) for status in Status)


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
    known: KnownClient | None = None
    """The client to sign in as, instead of registering one."""


async def examine(options: DoctorOptions, show: Show) -> Report:
    """Ask everything, then judge; `show` gets the address that a browser has to open."""
    hidden = {options.key}
    async with gateway_client(options.url, options.seconds) as client:
        observed = await _observe(client, options, show, hidden)
    return Report(options.url, tuple(judge(View(one, observed)) for one in options.profiles)).without(hidden)


async def _observe(client: GatewayClient, options: DoctorOptions, show: Show, hidden: set[str]) -> Observed:
    url = options.url
    endpoint = await probe_endpoint(client, url)
    observed = Observed(url, endpoint, Discovery(url), registers=options.registers)
    if endpoint.get.fault in {Fault.UNREACHABLE, Fault.TLS}:
        return observed
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
        sign_in = SignIn(client, probes, url, hidden)
        grant, called = await sign_in.run(profile, show, options.login_seconds, options.known)
        observed = replace(observed, grant=grant, called=called)
    if not observed.called and (options.key or not observed.requires_sign_in):
        called = tuple([await call_tool(client, url, era, options.key) for era in ERAS])
        observed = replace(observed, called=called)
    return observed


def judge(view: View) -> ClientReport:
    """Everything that one client meets at this gateway, in its order."""
    return ClientReport(view.profile.name, view.profile.title, tuple(_findings(view)))


def _findings(view: View) -> Iterator[Finding]:
    reached = REACH.findings(view)
    if reached[0].status is FAILED and view.endpoint.get.fault is not None:
        yield from (*reached, Finding("everything else", SKIPPED, "nothing was reached"))
        return
    checks: tuple[Check, ...] = (*CHECKS, *checks_metadata.CHECKS, CORS, *checks_authorization.CHECKS, *SIGN_IN, *TOOLS)
    if not view.observed.requires_sign_in:
        checks = (*CHECKS, NO_SIGN_IN, CORS, *TOOLS)
    for check in checks:
        yield from check.findings(view)


def as_text(report: Report) -> str:
    """What all clients meet alike stands once, at the top; then each client's own."""
    first, *others = (client.findings for client in report.clients)
    shared = [finding for finding in first if others and all(finding in other for other in others)]
    lines = [f"Examined: {report.url}", ""]
    if shared:
        lines += ["Every client", *_lines(shared), ""]
    for client in report.clients:
        own = [finding for finding in client.findings if finding not in shared]
        lines += [f"{client.title} [{client.name}]: {VERDICTS[client.connects]}", *_lines(own), ""]
    verdicts = [client.connects for client in report.clients]
    undecided = f", {verdicts.count(None)} not decided" if None in verdicts else ""
    return "\n".join([*lines, f"{verdicts.count(True)} of {len(verdicts)} clients can connect{undecided}."])


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


def _lines(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"  {finding.status.value:<{WIDTH}}  {finding.step}: {finding.why}"
        if finding.change:
            yield f"  {'':<{WIDTH}}  -> {finding.change}"
