"""Findings and reports, and what is done with strangers' words."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.doctor.examination import OPEN, PROTECTED, ClientReport, Report, as_json, as_text, judge
from app.doctor.exchanges import LONGEST_QUOTE, quoted
from app.doctor.findings import ADVICE, FAILED, OK, SENTENCES, SKIPPED, UNDECIDED, Finding
from app.doctor.observations import Grant, View
from tests.app.doctor.examples import ISSUER, answer, healthy, profile

SHARED = Finding("reach", OK, "the address answers")
OWN = Finding("registration", FAILED, "status 400", "Accept loopback.")
REPORT = Report(
    "https://gateway.example/mcp",
    (ClientReport("cursor", "Cursor", (SHARED, OWN)), ClientReport("claude", "Claude", (SHARED,))),
)


def report(*findings: Finding) -> Report:
    return Report("https://gateway.example/mcp", (ClientReport("one", "One", findings),))


def test_only_a_failed_step_keeps_a_client_out() -> None:
    assert report(SHARED, Finding("b", ADVICE, "", "x"), Finding("c", SKIPPED, "")).healthy
    assert not report(SHARED, OWN).healthy


def test_secrets_are_blotted_out_wherever_a_server_repeats_them() -> None:
    refused = Grant({"code": "c", "iss": ISSUER}, token=answer(400, {"error": "said s3cret-long and s3cret"}))

    told = repr(judge(View(profile("claude"), healthy(grant=refused)), {"s3cret", "s3cret-long", ""}))

    assert "said [secret] and [secret]" in told
    assert "s3cret" not in told


@given(st.text())
def test_a_quotation_is_short_and_moves_no_cursor(text: str) -> None:
    shown = quoted(text)

    assert shown.isprintable()
    assert len(shown) <= LONGEST_QUOTE + 3


def test_what_all_clients_meet_stands_once() -> None:
    text = as_text(REPORT)

    assert text.count("the address answers") == 1
    assert text.index("Every client") < text.index("Cursor [cursor]: cannot connect") < text.index("Accept loopback.")
    assert text.endswith("1 of 2 clients can connect.")
    assert "Every client" not in as_text(Report(REPORT.url, REPORT.clients[:1]))


def test_what_cannot_be_seen_from_here_is_neither_a_yes_nor_a_no() -> None:
    far = ClientReport("claude", "Claude", (Finding("reach", UNDECIDED, "it never gets here", "Publish it."),))
    found = Report(REPORT.url, (ClientReport("cursor", "Cursor", (SHARED,)), far))

    assert "Claude [claude]: not decided" in as_text(found)
    assert as_text(found).endswith("1 of 2 clients can connect, 1 not decided.")
    assert [client["connects"] for client in as_json(found)["clients"]] == [True, None]
    assert found.healthy


def test_programs_get_every_step_of_every_client() -> None:
    found = json.loads(json.dumps(as_json(REPORT)))

    assert (found["healthy"], [client["connects"] for client in found["clients"]]) == (False, [False, True])
    assert found["clients"][0]["findings"][1] == {
        "step": "registration",
        "status": "failed",
        "why": "status 400",
        "change": "Accept loopback.",
    }
    assert found["clients"][1]["findings"][0]["change"] is None


def test_every_rule_has_its_sentences_and_every_sentence_its_rule() -> None:
    checks = (*PROTECTED, *OPEN)
    ruled = {(check.step, name) for check in checks for _, name, _ in check._rules}
    said = {(step, name) for step, sentences in SENTENCES.items() for name in sentences}

    assert ruled <= said
    assert {name for _, name in said - ruled} == {"fine"}
    assert all(rule.get("change", ".").endswith(".") for sentences in SENTENCES.values() for rule in sentences.values())
