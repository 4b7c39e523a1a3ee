"""A link opens its own file until its time is over, and nobody else makes one."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.routes.signed_links import LinkKey

KEY = LinkKey.derived("secret")


def parts(link: str) -> tuple[str, str, str]:
    split = urlsplit(link)
    query = parse_qs(split.query)
    return split.path.split("/")[-2], query["expires"][0], query["signature"][0]


def test_a_link_opens_until_its_moment() -> None:
    given_out = parts(KEY.link("job", 1000))

    assert KEY.link("job", 1000).startswith("/api/v1/exports/job/file?expires=1000&signature=")
    assert KEY.opens(*given_out, now=999)
    assert not KEY.opens(*given_out, now=1000)


def test_the_same_secret_makes_the_same_key_and_another_does_not() -> None:
    given_out = parts(KEY.link("job", 1000))

    assert LinkKey.derived("secret").opens(*given_out, now=0)
    assert not LinkKey.derived("other").opens(*given_out, now=0)


@pytest.mark.parametrize(
    "expires", ["", "-1", "1e9", " 1000", "1000 ", "01000", "\u0661\u0660\u0660\u0660", "9" * 5000]
)
def test_a_moment_that_was_not_signed_opens_nothing(expires: str) -> None:
    _, _, signature = parts(KEY.link("job", 1000))

    assert not KEY.opens("job", expires, signature, now=0)


@given(st.text(), st.text())
def test_no_made_up_signature_opens_anything(job_id: str, signature: str) -> None:
    assert not KEY.opens(job_id, "1000", signature, now=0)


def test_a_link_opens_no_other_file_and_not_for_longer() -> None:
    job_id, expires, signature = parts(KEY.link("job", 1000))

    assert not KEY.opens("another", expires, signature, now=0)
    assert not KEY.opens(job_id, "2000", signature, now=0)
    assert not KEY.opens(job_id, expires, signature[:-1], now=0)
    assert not KEY.opens(job_id, expires, signature.upper(), now=0)
