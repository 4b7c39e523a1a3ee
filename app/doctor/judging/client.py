"""Puts the steps of one client in order, and says which of them its predecessors made pointless."""

from app.doctor.findings import ClientReport, Finding, Status, skipped
from app.doctor.judging import authorize, calls, cors, endpoint, grant, reach, registration, resource, server
from app.doctor.observed import Observed
from app.doctor.profiles import Profile


def judge(profile: Profile, observed: Observed) -> ClientReport:
    """Everything that this client meets at this gateway."""
    return ClientReport(profile.name, profile.title, tuple(_findings(profile, observed)))


def _findings(profile: Profile, observed: Observed) -> list[Finding]:
    reached = reach.reach(profile, observed)
    if reached.status is Status.FAILED and observed.endpoint.get.fault is not None:
        return [reached, skipped("everything else", "nothing was reached")]
    found = [
        reached,
        endpoint.get(profile, observed),
        endpoint.post(profile, observed),
        endpoint.challenge(profile, observed),
        endpoint.origin(profile, observed),
    ]
    return [*found, *_sign_in(profile, observed), *calls.calls(profile, observed)]


def _sign_in(profile: Profile, observed: Observed) -> list[Finding]:
    if not endpoint.asks_for_sign_in(observed):
        return [skipped("sign-in", "the gateway asks nobody to sign in"), *cors.cors(profile, observed)]
    return [
        *resource.resource_metadata(profile, observed),
        *server.server_metadata(profile, observed),
        *cors.cors(profile, observed),
        registration.registration(profile, observed),
        *authorize.authorize(profile, observed),
        *grant.grant(profile, observed),
    ]
