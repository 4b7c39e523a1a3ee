"""A report for people, and one for programs."""

import json

from app.doctor.findings import ClientReport, Report, failed, ok, undecided
from app.doctor.report import as_json, as_text

SHARED, OWN = ok("reach", "the address answers"), failed("registration", "status 400", "Accept loopback.")
REPORT = Report(
    "https://gateway.example/mcp",
    (ClientReport("cursor", "Cursor", (SHARED, OWN)), ClientReport("claude", "Claude", (SHARED,))),
)


def test_what_all_clients_meet_stands_once() -> None:
    text = as_text(REPORT)

    assert text.count("the address answers") == 1
    assert text.index("Every client") < text.index("Cursor [cursor]: cannot connect") < text.index("Accept loopback.")
    assert text.endswith("1 of 2 clients can connect.")


def test_what_cannot_be_seen_from_here_is_neither_a_yes_nor_a_no() -> None:
    far = ClientReport("claude", "Claude", (undecided("reach", "it never gets here", "Publish it."),))
    report = Report(REPORT.url, (ClientReport("cursor", "Cursor", (SHARED,)), far))

    assert "Claude [claude]: not decided" in as_text(report)
    assert as_text(report).endswith("1 of 2 clients can connect, 1 not decided.")
    assert [client["connects"] for client in as_json(report)["clients"]] == [True, None]
    assert report.healthy


def test_one_client_alone_shares_with_nobody() -> None:
    assert "Every client" not in as_text(Report(REPORT.url, REPORT.clients[:1]))


def test_programs_get_every_step_of_every_client() -> None:
    told = json.loads(json.dumps(as_json(REPORT)))

    assert (told["healthy"], [client["connects"] for client in told["clients"]]) == (False, [False, True])
    assert told["clients"][0]["findings"][1] == {
        "step": "registration",
        "status": "failed",
        "why": "status 400",
        "change": "Accept loopback.",
    }
    assert told["clients"][1]["findings"][0]["change"] is None
