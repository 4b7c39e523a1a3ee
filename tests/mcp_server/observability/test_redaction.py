"""No credential in a log line, by whichever way it came there."""

import io
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from mcp_server.observability import logging
from mcp_server.observability.redaction import LONGEST, REDACTED, redact, sanitized

KEY = "minds_" + "0123456789abcdef" * 3
REFRESH = "minds_rt_sNMcElszEcf-LzSH_fiNovH2MBRNbtYwqhQHmo40poI"
JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"


def cleaned(**event: Any) -> dict[str, Any]:
    return dict(redact(None, "info", event))


# fmt: off
SECRET_NAMES = [
    "authorization", "Authorization", "proxy-authorization", "cookie", "set_cookie", "token", "access_token",
    "refreshToken", "client_secret", "password", "passwd", "api_key", "apikey", "x-api-key", "API-KEY", "credential",
    "auth_code", "device_code", "userCode", "code_verifier", "client_assertion",
]
# fmt: on


@pytest.mark.security("AK-07")
@pytest.mark.parametrize("name", SECRET_NAMES)
@pytest.mark.parametrize("value", ["hunter2", b"hunter2", ["hunter2"], {"a": "hunter2"}, ("a", "hunter2"), 31337])
def test_a_field_with_a_secret_name_is_taken_out_whatever_it_holds(name: str, value: Any) -> None:
    assert cleaned(**{name: value}) == {name: REDACTED}


@pytest.mark.security("AK-07")
@pytest.mark.parametrize("name", ["code", "Code"])
@pytest.mark.parametrize(
    "value",
    [
        "4/0AX4XfWh-1yQd", "sNMcElszEcf-LzSH_fiNovH2MBRNbtYwqhQHmo40poI", "a3f1c2d4e5f6a7b8c9d0", "WDJB-MJHT", b"bytes",
        ["listed"], {"a": "deep"}, "two words", "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    ],
)  # fmt: skip
def test_a_code_that_could_be_somebodys_grant_is_taken_out(name: str, value: Any) -> None:
    assert cleaned(**{name: value}) == {name: REDACTED}
    assert cleaned(form=[(name, value)]) == {"form": [[name, REDACTED]]}


@pytest.mark.parametrize(
    "code",
    ["EXTRACTION_FAILED", "TIMEOUT", "HTTP_404", "E11", "not_found", "invalid_grant", "40P01", -32001, 1006, None],
)
def test_the_code_of_an_error_stays_which_the_operator_needs(code: Any) -> None:
    assert cleaned(event="training.stage_failed", code=code) == {"event": "training.stage_failed", "code": code}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tokens", 812),
        ("max_tokens", 100),
        ("token_count", 7),
        ("event", "the token was refused"),
        ("tool", "say"),
        ("status_code", 200),
        ("reason", "AUTHENTICATION_REQUIRED"),
        ("secret", None),
        ("is_token", True),
        ("ms", 1.5),
    ],
)
def test_what_only_sounds_like_a_secret_stays(name: str, value: Any) -> None:
    assert cleaned(**{name: value}) == {name: value}


@pytest.mark.security("AK-07")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (KEY, KEY),
        (f"key {KEY} refused", KEY),
        ("aox_" + "f" * 48, "aox_" + "f" * 48),
        (f"Authorization: Bearer {JWT}", JWT),
        ("BEARER abcdefghijkl", "abcdefghijkl"),
        ("Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"),
        (JWT, JWT),
        ("eyJhbGciOiJub25lIn0..", "eyJhbGciOiJub25lIn0"),
        (f"/nowhere/{JWT[:30]}", JWT[:30]),  # cut off, as a long path is
        (f"/nowhere/{REFRESH}", REFRESH),
        (f"request {REFRESH[:20]} refused", REFRESH[:20]),
        ("postgresql://ada:hunter2@db/minds", "hunter2"),
        ("redis://:hunter2@cache:6379/0", "hunter2"),
        ("https://hunter2@example.com/", "hunter2"),
        ("GET /oauth/callback?code=hunter2&state=xyzzy HTTP/1.1", "hunter2"),
        ("GET /x?a=1&access_token=hunter2", "hunter2"),
        ("sk-proj-abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
    ],
)
@pytest.mark.parametrize(
    "wrap",
    [
        str,
        str.encode,
        lambda text: [text],
        lambda text: {"a": {"b": (text,)}},
        lambda text: {text: 1},
        ValueError,
        lambda text: [[b"x", text.encode()]],
    ],
)
def test_a_secret_is_known_by_its_shape_however_deep_it_stands(text: str, secret: str, wrap: Any) -> None:
    shown = cleaned(event="seen", detail=wrap(text))

    assert secret not in str(shown)
    assert REDACTED in str(shown)


@pytest.mark.security("AK-07")
def test_headers_as_pairs_are_read_as_names_and_values() -> None:
    shown = cleaned(headers=[(b"cookie", b"session=hunter2"), (b"accept", b"*/*"), ("x-api-key", "hunter2")])

    assert shown == {"headers": [["cookie", REDACTED], ["accept", "*/*"], ["x-api-key", REDACTED]]}


def test_an_object_is_shown_by_what_it_says_of_itself() -> None:
    assert cleaned(value=SecretStr("hunter2")) == {"value": "SecretStr('**********')"}


def test_plain_words_stay() -> None:
    text = "minds_gateway heard a bearer of news at https://example.com/a?page=2, state of the art"

    assert cleaned(detail=text) == {"detail": text}


@given(before=st.text(alphabet=st.characters(exclude_categories=["L", "N", "P"])), after=st.text(max_size=20))
def test_a_key_is_found_between_whatever_surrounds_it(before: str, after: str) -> None:
    assert KEY not in cleaned(detail=f"{before}{KEY}{after}")["detail"]


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner) | st.dictionaries(st.text(), inner)


@given(value=st.recursive(st.none() | st.booleans() | st.integers() | st.text() | st.binary(), containers))
def test_nothing_breaks_it(value: Any) -> None:
    cleaned(detail=value)


@pytest.mark.security("RE-08")
@pytest.mark.timeout(60)  # quadratic would take hours
@pytest.mark.parametrize("part", ["eyJ", "-eyJ", "minds_", "bearer ", "://", "://a:", "?code", "sk-", "@://"])
def test_a_hostile_text_is_read_in_time(part: str) -> None:
    text = part * (400_000 // len(part))

    assert cleaned(event=text)


@given(
    st.dictionaries(
        st.sampled_from(["tool", "client", "token", "tokens", "reason"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([KEY, REFRESH, JWT, "a=b"]),
    )
)
def test_what_is_logged_flat_is_cleaned_as_what_lies_deeper(event: dict[str, Any]) -> None:
    assert cleaned(**event) == cleaned(outer=event)["outer"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, ünï → 🙂", "plain, ünï → 🙂"),
        ("one\r\ntwo", r"one\u000d\u000atwo"),
        ("\x1b[2Jgone", r"\u001b[2Jgone"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("a\u2028b", r"a\u2028b"),
        ("half \ud800", r"half \ud800"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, expected: str) -> None:
    assert sanitized(text) == expected


@given(st.text(st.characters(exclude_categories=())))
def test_anything_becomes_one_line_that_can_be_written(text: str) -> None:
    clean = sanitized(text)

    assert clean.isprintable()
    assert clean.encode().decode() == clean
    assert sanitized(clean) == clean or len(text) > LONGEST


def test_a_text_without_end_has_one_and_says_so() -> None:
    assert sanitized("x" * 1_000_000).endswith("… (1000000 characters)")
    assert len(sanitized("\0" * 1_000_000)) < 7 * LONGEST


@pytest.mark.security("AK-07")
def test_of_a_long_value_the_front_is_shown_and_no_half_of_a_secret() -> None:
    secret = "https://ada:" + "hunter2" * 40
    front = "x" * LONGEST

    assert cleaned(detail=front * 500)["detail"] == f"{front}… ({500 * LONGEST} characters)"
    # What is redacted makes room for what stands behind it, up to where a secret was cut in two.
    long = f"minds_{'f' * (8 * LONGEST - 200)} {secret}@db {front}"
    assert "hunter2" not in cleaned(detail=long)["detail"]


def test_it_reaches_everything_but_our_own_traces() -> None:
    event = {"path": "a\nb", "deep": {"k\n": ["x\0", 1]}, "exception": "line\nline", "ms": 1.5}

    assert redact(None, "", event) == {
        "path": r"a\u000ab", "deep": {r"k\u000a": [r"x\u0000", 1]}, "exception": "line\nline", "ms": 1.5,
    }  # fmt: skip


@pytest.mark.parametrize("debug", [True, False])
def test_a_line_end_of_a_stranger_makes_no_line_in_the_log(debug: bool) -> None:
    stream = io.StringIO()
    before = structlog.get_config()
    try:
        logging.configure(debug=debug, stream=stream)
        structlog.get_logger().info("request", path="/a\n{}\r\n\u202efake")
    finally:
        structlog.configure(**before)

    assert len(stream.getvalue().splitlines()) == 1
