"""The protocol with a credential."""

from app.doctor.exchanges import Exchange, Fault
from app.doctor.judging.calls import calls
from app.doctor.messages import LEGACY, MODERN
from app.doctor.observed import Called
from tests.app.doctor.examples import answer, called, healthy, profile, result, told

CURSOR, SDK = profile("cursor"), profile("python-sdk")
REFUSED = answer(400, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32022}})


def test_both_eras_that_work_are_named() -> None:
    found = calls(SDK, healthy(called=(called(MODERN), called(LEGACY))))

    assert told(found) == [("tools/list", "ok"), ("tools/call", "ok")]
    assert (LEGACY in found[0].why, MODERN in found[0].why) == (True, True)


def test_nobody_signed_in_skips_both() -> None:
    assert told(calls(SDK, healthy())) == [("tools/list", "skipped"), ("tools/call", "skipped")]


def test_a_refused_era_is_no_fault_and_a_broken_one_is_advice() -> None:
    refused, broken = Called(MODERN, REFUSED), Called(MODERN, answer(None, fault=Fault.SLOW))

    assert told(calls(SDK, healthy(called=(refused, called(LEGACY)))))[0] == ("tools/list", "ok")
    assert told(calls(SDK, healthy(called=(broken, called(LEGACY)))))[0] == ("tools/list", "advice")
    assert told(calls(CURSOR, healthy(called=(broken, called(LEGACY)))))[0] == ("tools/list", "ok")


def test_a_refused_credential_fails() -> None:
    found = calls(CURSOR, healthy(called=(Called(LEGACY, answer(401)),)))

    assert told(found) == [("tools/list", "failed"), ("tools/call", "skipped")]
    assert "audience" in found[0].change


def call(answered: Exchange | None, tool: str | None = "count") -> str:
    found = calls(CURSOR, healthy(called=(called(LEGACY, call=answered, tool=tool),)))
    return found[-1].status.value


def test_a_call_is_judged_by_its_result() -> None:
    assert call(result({"content": []})) == "ok"
    assert call(result({"content": [], "isError": True})) == "advice"
    assert call(answer(500)) == "failed"
    assert call(None, None) == "skipped"
