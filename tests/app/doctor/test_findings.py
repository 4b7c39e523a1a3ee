"""Findings, and what is done with strangers' words."""

from hypothesis import given
from hypothesis import strategies as st

from app.doctor.findings import LONGEST_QUOTE, ClientReport, Report, advice, failed, ok, quoted, skipped


def report(*findings: object) -> Report:
    return Report("https://gateway.example/mcp", (ClientReport("one", "One", tuple(findings)),))  # type: ignore[arg-type]  # the tests hand findings over


def test_only_a_failed_step_keeps_a_client_out() -> None:
    assert report(ok("a", ""), advice("b", "", "x"), skipped("c", "")).healthy
    assert not report(ok("a", ""), failed("b", "", "x")).healthy


def test_secrets_are_blotted_out_wherever_a_server_repeats_them() -> None:
    found = report(failed("token", "said s3cret-long and s3cret", "not s3cret")).hiding({"s3cret", "s3cret-long", ""})

    assert "s3cret" not in repr(found)
    assert "long" not in repr(found)


@given(st.text())
def test_a_quotation_is_short_and_moves_no_cursor(text: str) -> None:
    shown = quoted(text)

    assert shown.isprintable()
    assert len(shown) <= LONGEST_QUOTE + 3
