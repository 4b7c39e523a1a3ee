"""Judges whether the client gets to the gateway at all."""

from app.doctor import addresses
from app.doctor.exchanges import Fault
from app.doctor.findings import Finding, failed, ok, quoted, undecided
from app.doctor.observed import Observed
from app.doctor.profiles import Profile

STEP = "reach"


def reach(profile: Profile, observed: Observed) -> Finding:
    """TLS and the network; for hosted clients also whether the address is public."""
    get = observed.endpoint.get
    if get.fault is Fault.TLS:
        return failed(
            STEP,
            f"TLS failed: {quoted(get.reason)}",
            "Serve a certificate that names this host, is in date, and brings its whole chain (RFC 8446, 9525).",
        )
    if get.fault is Fault.UNREACHABLE:
        return failed(STEP, f"no connection ({get.reason})", "Check the DNS entry, the port and the firewall.")
    return _hosted(observed.url) if profile.hosted else ok(STEP, "the address answers")


def _hosted(url: str) -> Finding:
    if addresses.is_private(url):
        # A machine under development is not at fault, and everything after this step can be played from here. But that
        # the client gets through is not to be claimed: from where it is, there is nothing at this address.
        return undecided(
            STEP,
            f"this client connects from its maker's servers, which never reach {quoted(addresses.origin(url))}",
            "Publish the gateway at a public https address before this client uses it.",
        )
    if not url.startswith("https:"):
        return failed(
            STEP,
            "this client connects from its maker's servers, to public https addresses only",
            "Publish the gateway at a public https address (MCP authorization: HTTPS; RFC 6750 section 5.3).",
        )
    return ok(STEP, "the address is https and answers")
