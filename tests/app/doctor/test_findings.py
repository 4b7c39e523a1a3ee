"""Findings and reports, and what is done with strangers' words."""

import json

from click import unstyle
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


ALSO = Finding("registration", FAILED, "status 500", "Accept loopback.")


def test_the_verdicts_come_first_and_each_row_and_remedy_stands_once_however_many_meet_it() -> None:
    both = ClientReport("codex", "Codex", (SHARED, OWN, ALSO))
    text = unstyle(as_text(Report(REPORT.url, (*REPORT.clients, both))))

    assert text.splitlines()[1:4] == [
        "1 of 3 clients can connect.",
        "  cannot connect: Cursor, Codex",
        "  can connect: Claude",
    ]
    assert [text.count(each) for each in ("the address answers", "status 400", "status 500", "Accept loopback.")] == [
        1
    ] * 4
    assert "registration: status 400 [cursor, codex]\n" in text
    assert (
        text.index("status 400") < text.index("status 500") < text.index("Accept") < text.index("the address answers")
    )


def test_what_keeps_a_client_out_is_told_before_advice() -> None:
    advised = Finding("challenge", ADVICE, "without scope", "Add it.")
    text = unstyle(as_text(report(advised, OWN)))

    assert text.index("Accept loopback.") < text.index("Add it.")


def test_what_cannot_be_seen_from_here_is_neither_a_yes_nor_a_no() -> None:
    far = ClientReport("claude", "Claude", (Finding("reach", UNDECIDED, "it never gets here", "Publish it."),))
    found = Report(REPORT.url, (ClientReport("cursor", "Cursor", (SHARED,)), far))

    assert "1 of 2 clients can connect, 1 not decided." in as_text(found)
    assert "not decided: Claude\n" in as_text(found)
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

    # Those without a name of their own take it from what was answered.
    answered = {("POST /mcp", str(status)) for status in (403, 404, 405, 406, 421)}
    answered |= {("registration", f"invalid_{word}") for word in ("redirect_uri", "client_metadata", "scope")}

    assert {rule for rule in ruled if rule[1]} <= said
    assert answered <= said
    assert {name for _, name in said - ruled - answered} == {"fine"}
    assert all(rule.get("change", ".").endswith((".", "?")) for rules in SENTENCES.values() for rule in rules.values())
