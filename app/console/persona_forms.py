"""The forms of personas: what was filled in, as the tools take it."""

import base64
from typing import Any
from urllib.parse import quote

from starlette.datastructures import UploadFile

from app.console.calls import CallRefused
from app.console.site import Sent
from app.console.wording import TABLES

MOST_BYTES = 3_000_000  # of a document; what add_knowledge takes
MOST_NAME = 150  # characters of a file's name
KINDS, MISSING = TABLES["personas"], TABLES["missing"]


def filled(sent: Sent) -> dict[str, str]:
    """The fields of the form, to show them again. A browser takes no file back."""
    return {name: value for name, value in sent.data.multi_items() if isinstance(value, str)}


async def source_of(sent: Sent) -> dict[str, Any]:
    """The chosen source, as `add_knowledge` takes it. Raises `CallRefused`: it is missing, or too large."""
    chosen = sent.text("source") if sent.text("source") in MISSING else "text"
    upload = sent.file("file")
    value = await _resource(upload) if chosen == "file" and upload is not None else sent.text(chosen)
    if not value:
        raise refused(MISSING[chosen])
    return {chosen: value}


async def _resource(upload: UploadFile) -> dict[str, str]:
    if not upload.size or upload.size > MOST_BYTES:
        what = "the file is empty" if not upload.size else f"a file may have up to {MOST_BYTES // 1_000_000} MB"
        raise refused(f"Document: {what}. Choose another one.")
    name = quote((upload.filename or "file")[-MOST_NAME:], safe="")
    kind = {"mimeType": upload.content_type} if upload.content_type else {}
    return {"uri": f"file:///{name}", **kind, "blob": base64.b64encode(await upload.read()).decode()}


def attributes_of(lines: str) -> dict[str, str]:
    """`role: Nurse`, one on each line. Raises `CallRefused`: a line is none."""
    found = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not (key and colon and value):
            raise refused(f'Attributes: write each on a line of its own, such as "role: Nurse", not "{line[:50]}".')
        found[key] = value
    return found


def refused(message: str) -> CallRefused:
    return CallRefused("invalid_arguments", message, {})
