"""The rules that all wire models share, and those of a question."""

import contextlib
from typing import Annotated, Any
from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from app.internal_api.http.call import first_error
from app.internal_api.models.asking import AskStudy, GivenClassification
from app.internal_api.models.outputs import Classification
from app.internal_api.models.wire import (
    Listed,
    Pagination,
    RequestModel,
    http_link,
    many_lines,
    one_line,
    plain,
    uuid_text,
)


class Sample(RequestModel):
    """A request with one field."""

    first_name: str


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_plain_text_in_any_script_is_one_line(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize(
    "sign", ["\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\u202e", "\ud800"]
)
def test_signs_that_break_a_line_or_reorder_it_are_refused(sign: str) -> None:
    with pytest.raises(ValueError, match="control"):
        one_line(f"a{sign}b")


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\x85", "\ud800"])
def test_longer_text_may_have_tabs_and_line_ends_but_no_other_control(sign: str) -> None:
    assert many_lines("a\tb\r\nc") == "a\tb\r\nc"
    with pytest.raises(ValueError, match="control"):
        many_lines(f"a{sign}b")


@pytest.mark.parametrize("link", ["http://example.com", "https://example.com:8443/a?b=c#d", "HTTP://EXAMPLE.com/"])
def test_web_addresses_are_links(link: str) -> None:
    assert http_link(link) == link


@pytest.mark.parametrize(
    "link",
    [
        "file:///etc/passwd", "ftp://example.com", "javascript:alert(1)", "//example.com", "example.com", "http://",
        "http:///path", "http://example.com:99999/", "http://example.com:0/", "http://[::1", "http://a b/",
        "http://user@example.com/", "https://user:secret@example.com/", "http://example.com/\n", "",
    ],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_no_link(link: str) -> None:
    with pytest.raises(ValueError):
        http_link(link)


@given(st.text())
def test_any_text_is_a_link_or_refused_and_nothing_else(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert http_link(text).lower().startswith(("http://", "https://"))


def test_a_complaint_never_repeats_what_was_sent() -> None:
    with pytest.raises(ValidationError) as refused:
        Sample.model_validate({"firstName": {"secret": "x"}})

    assert first_error(refused.value).startswith("firstName: ")
    assert "secret" not in first_error(refused.value)


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"inner": []}, "inner: must be an object"),
        ({"many": {}}, "many: must be a list"),
        ({"many": []}, "many: List should have at least 1 item after validation, not 0"),
    ],
)
def test_a_complaint_speaks_of_json_and_not_of_python(sent: dict[str, Any], says: str) -> None:
    class Nested(RequestModel):
        """A request with parts."""

        inner: Sample = Sample(first_name="Ada")
        many: Annotated[tuple[str, ...], Field(min_length=1)] = ("a",)

    with pytest.raises(ValidationError) as refused:
        Nested.model_validate(sent)

    assert first_error(refused.value) == says


@given(st.uuids())
def test_a_uuid_is_stored_in_one_spelling(uuid: UUID) -> None:
    assert uuid_text(str(uuid).upper()) == str(uuid)
    for other in (uuid.hex, f"{{{uuid}}}", uuid.urn, ""):
        with pytest.raises(ValueError, match="UUID"):
            uuid_text(other)


def test_a_model_is_written_under_its_aliases_without_what_is_absent() -> None:
    asked = Classification(type="scale", scale_range=[0, 10])
    page = Pagination(total=1, limit=100, offset=0)

    written = orjson.loads(orjson.dumps({"all": Listed(data=[asked], pagination=page)}, default=plain))

    kept = {"type": "scale", "scaleRange": [0, 10]}
    assert written == {"all": {"data": [kept], "pagination": {"total": 1, "limit": 100, "offset": 0}}}
    with pytest.raises(TypeError):
        orjson.dumps(object(), default=plain)


LINK = "https://example.com/tea"


def _asked(**body: Any) -> AskStudy:
    return AskStudy.model_validate({"question": "Tea?", **body})


def test_links_and_keywords_may_be_plain_text() -> None:
    asked = _asked(links=[LINK, {"url": LINK, "label": "Tea"}], keywords=["price", {"label": "taste"}, {"url": LINK}])

    assert [(link.url, link.label) for link in asked.links] == [(LINK, ""), (LINK, "Tea")]
    assert [(word.url, word.label) for word in asked.keywords] == [(None, "price"), (None, "taste"), (LINK, "")]


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\ud800"])
def test_an_option_that_no_answer_could_be_stored_as_is_refused(sign: str) -> None:
    with pytest.raises(ValidationError):
        GivenClassification.model_validate({"options": [f"Green{sign}", "Black"]})
