"""All steps of one client."""

import pytest

from app.doctor.exchanges import Fault
from app.doctor.judging.client import judge
from app.doctor.messages import ERAS
from app.doctor.observed import Discovery
from app.doctor.profiles import PROFILES, Profile
from tests.app.doctor.examples import URL, answer, called, endpoint, healthy, profile, result


@pytest.mark.parametrize("client", PROFILES, ids=lambda one: one.name)
def test_a_healthy_gateway_lets_every_client_connect(client: Profile) -> None:
    assert judge(client, healthy()).connects


def test_nothing_is_judged_behind_a_closed_door() -> None:
    closed = healthy(endpoint=endpoint(get=answer(None, fault=Fault.UNREACHABLE)))

    report = judge(profile("cursor"), closed)

    assert (report.connects, [finding.status.value for finding in report.findings]) == (False, ["failed", "skipped"])


def test_an_open_gateway_needs_no_sign_in() -> None:
    talk = result()
    observed = healthy(
        endpoint=endpoint(discover=talk, initialize=talk, forged=talk),
        discovery=Discovery(URL, {"root": answer(404)}),
        called=tuple(called(era) for era in ERAS),
    )

    assert all(judge(client, observed).connects for client in PROFILES)
