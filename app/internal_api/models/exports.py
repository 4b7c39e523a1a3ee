"""Exports of a study, as they are asked for and as they are told of."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from app.internal_api.models.wire import Answered, Asked, AskedId, Id, Time, absent

ExportKind = Literal["executive_brief", "full_report", "raw_data"]
ExportLength = Literal["short", "standard", "detailed"]
FORMATS = ("csv", "md", "pdf")


def known_format(value: str) -> str:
    """Refuse what this API does not make, and name what it makes."""
    if value not in FORMATS:
        message = f"this API makes {', '.join(FORMATS)}"
        raise ValueError(message)
    return value


Format = Annotated[str, AfterValidator(known_format), Field(json_schema_extra={"enum": list(FORMATS)})]


class ExportRequest(Asked):
    """The body of an export; all of it may be left out."""

    kind: ExportKind = "full_report"
    format: Format = "md"
    length: ExportLength = "standard"
    force: bool = False


class ExportQuery(Asked):
    """Which export is meant: a certain one, or the newest of a kind and a format."""

    job_id: AskedId | None = None
    kind: ExportKind | None = None
    format: Format | None = None


class ExportReceipt(Answered):
    """`status` is `completed` at once when the same was made before."""

    kind: ExportKind
    format: str
    job_id: Id
    status: Literal["queued", "processing", "completed", "failed"]


class ExportStatus(ExportReceipt):
    """What is not known yet is left out."""

    progress: int
    source_version: str
    download_url: str | None = Field(default=None, exclude_if=absent)
    filename: str | None = Field(default=None, exclude_if=absent)
    mime_type: str | None = Field(default=None, exclude_if=absent)
    generated_at: Time | None = Field(default=None, exclude_if=absent)
    error: str | None = Field(default=None, exclude_if=absent)
    error_code: str | None = Field(default=None, exclude_if=absent)
