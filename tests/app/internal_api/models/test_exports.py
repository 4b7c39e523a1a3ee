"""An export is asked for by words that are known; the refusal names them."""

import pytest
from pydantic import ValidationError

from app.internal_api.models.exports import ExportQuery, ExportRequest, known_format


def test_everything_may_be_left_out() -> None:
    asked = ExportRequest.model_validate({})

    assert (asked.kind, asked.format, asked.length, asked.force) == ("full_report", "md", "standard", False)


@pytest.mark.parametrize("file_format", ["docx", "pptx", "xls", "sav", "MD", "", "json"])
def test_other_formats_are_refused_with_the_names_of_ours(file_format: str) -> None:
    with pytest.raises(ValueError, match="csv, md, pdf"):
        known_format(file_format)


@pytest.mark.parametrize("body", [{"kind": "poem"}, {"length": "endless"}, {"format": 3}, {"force": "perhaps"}])
def test_unknown_words_are_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ExportRequest.model_validate(body)


def test_a_job_is_named_by_its_uuid() -> None:
    with pytest.raises(ValidationError):
        ExportQuery.model_validate({"jobId": "1"})
