"""What the pages of personas show, read with the tools of the person who looks at them, and their forms as these take
them.
"""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from starlette.datastructures import UploadFile

from app.console.calls import CallRefused
from app.console.site import Sent, Visitor
from app.console.wording import TABLES, badge, training, web_link

PATH = "/personas"
TABS = {"talk": "", "knowledge": "/knowledge", "settings": "/settings"}
MOST_LOOKED_AT = 4  # personas of one list whose progress is asked for
MOST_BYTES = 3_000_000  # of a document; what add_knowledge takes
MOST_NAME = 150  # characters of a file's name
KINDS, MISSING = TABLES["personas"], TABLES["missing"]


async def values_of(visitor: Visitor, persona: str, tab: str, *, charged: bool = True) -> dict[str, Any]:
    """What a page of one persona shows. Raises `CallRefused`."""
    progress = await visitor.call("check_ai_persona_training_progress", sparkId=persona, charged=charged)
    about = {"persona": progress, "address": address(progress["sparkId"], "talk")}
    values: dict[str, Any] = {**about, "state": training(progress), "tab": tab, "tabs": TABS}
    if tab == "knowledge":
        values["sources"] = await sources_of(visitor, persona)
    if tab == "settings":
        values["row"] = await _row(visitor, progress)
    return values


async def rows_of(visitor: Visitor, personas: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What a list shows of each; how far the first of those are that are just being trained."""
    running = [row["id"] for row in personas if row["status"] in {"queued", "running"}][:MOST_LOOKED_AT]
    looks = (visitor.call("check_ai_persona_training_progress", sparkId=each) for each in running)
    told = dict(zip(running, await asyncio.gather(*looks, return_exceptions=True), strict=True))
    states = {name: state for name, state in told.items() if isinstance(state, dict)}

    def shown(row: Mapping[str, Any]) -> dict[str, Any]:
        now = states.get(row["id"], {"status": row["status"], "progress": None})
        facts = [fact for fact in (row["discipline"], row["type"]) if fact and fact != row["name"]]
        state = badge(now["status"], now["progress"])
        return {**row, "address": address(row["id"], "talk"), "badge": state, "facts": facts}

    return [shown(row) for row in personas]


async def sources_of(visitor: Visitor, persona: str) -> list[dict[str, Any]]:
    """What the persona was given to know."""
    known = await visitor.call("list_knowledge", sparkId=persona)
    return [{**item, "link": web_link(item["link"])} for item in known["items"]]


def address(persona: str, tab: str) -> str:
    """The path of a persona's page."""
    return f"{PATH}/{quote(persona, safe='')}{TABS[tab]}"


async def _row(visitor: Visitor, persona: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The persona as the list has it, with its attributes; None where a search by its name does not find it."""
    try:
        found = await visitor.call("list_my_ai_personas", searchQuery=persona["name"])
    except CallRefused:
        return None
    return next((row for row in found["personas"] if row["id"] == persona["sparkId"]), None)


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
