"""Which kind of document a media type or a file's name declares, and what reads each kind."""

import tomllib
from email.message import Message
from pathlib import Path, PurePosixPath

ACCEPTED = "text, Markdown, HTML, CSV, JSON, XML, RTF, PDF and Word (DOCX)"
_TABLES = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
NAMES, EXTRACTORS = _TABLES["names"], _TABLES["extractors"]
# What says nothing: browsers and servers send these for files that they do not know.
VAGUE = frozenset({"", "text/plain", "application/octet-stream", "binary/octet-stream"})
KINDS = {name: kind for kind, names in NAMES.items() for name in names if name not in VAGUE}


def split_media_type(media_type: str | None) -> tuple[str, str | None]:
    """`Text/HTML; Charset="utf-8"` -> `text/html`, `utf-8`."""
    message = Message()
    message["Content-Type"] = media_type or ""
    charset = message.get_param("charset")
    essence = (media_type or "").partition(";")[0].strip().lower()
    return essence, charset if isinstance(charset, str) and charset else None


def is_hopeless(essence: str) -> bool:
    """Whether a media type can be refused before its body is read."""
    return essence.partition("/")[0] in {"audio", "font", "image", "model", "video"}


def declared_kind(essence: str, filename: str) -> str | None:
    """By the media type, or where that says nothing by the file's extension; None for what is not accepted."""
    if essence in KINDS or is_hopeless(essence):
        return KINDS.get(essence)
    if essence.endswith(("+json", "+xml")):
        return essence.rpartition("+")[2]
    usual = "text" if essence in VAGUE or essence.startswith("text/") else None
    return KINDS.get(PurePosixPath(filename).suffix.lower(), usual)
