"""Getting there."""

import pytest

from app.doctor.exchanges import Fault
from app.doctor.judging.reach import reach
from tests.app.doctor.examples import answer, endpoint, healthy, profile, told


@pytest.mark.parametrize("fault", [Fault.TLS, Fault.UNREACHABLE])
def test_an_address_that_nobody_reaches_fails_every_client(fault: Fault) -> None:
    observed = healthy(endpoint=endpoint(get=answer(None, fault=fault)))

    assert told([reach(profile("cursor"), observed), reach(profile("claude"), observed)]) == [("reach", "failed")] * 2


@pytest.mark.parametrize(
    ("url", "hosted"),
    [
        ("https://gateway.example/mcp", "ok"),
        ("http://127.0.0.1:8000/mcp", "undecided"),
        ("http://localhost:8000/mcp", "undecided"),
        ("https://10.0.0.1/mcp", "undecided"),
        ("http://192.168.1.5:8000/mcp", "undecided"),
        ("http://gateway.example/mcp", "failed"),
    ],
)
def test_hosted_clients_reach_public_https_only_and_local_ones_everything(url: str, hosted: str) -> None:
    observed = healthy(url=url)

    assert told(reach(profile("chatgpt"), observed)) == [("reach", hosted)]
    assert told(reach(profile("vscode"), observed)) == [("reach", "ok")]
