"""Pages escape what they show, are kept by nobody and framed by nobody."""

from oauth.endpoints.pages import Pages


def test_what_a_stranger_wrote_is_shown_as_text() -> None:
    page = Pages().problem("Stop", "<script>alert(1)</script>", 400)

    assert page.status_code == 400
    assert b"<script>" not in page.body
    assert b"&lt;script&gt;" in page.body


def test_a_page_is_not_kept_not_framed_and_runs_nothing() -> None:
    headers = Pages().problem("Stop", "text").headers

    assert headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "script-src" not in headers["content-security-policy"]


def test_a_page_hides_its_address_from_other_sites_and_lets_its_forms_name_their_origin() -> None:
    assert Pages().problem("Stop", "text").headers["referrer-policy"] == "same-origin"


def test_a_page_without_an_answer_says_when_to_try_again() -> None:
    assert Pages().problem("Try again", "Soon.", 503).headers["retry-after"] == "1"
    assert (
        Pages().render("problem.html", 503, headers={"retry-after": "9"}, title="a", text="b").headers["retry-after"]
        == "9"
    )
    assert "retry-after" not in Pages().problem("No", "Never.", 400).headers
