"""A table of personas: read row by row, each fault with its line, and created a few at a time, nothing twice."""

import asyncio
import csv
import hashlib
import io
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, Field, ValidationError

from mcp_server.caller import current_caller
from mcp_server.errors import GatewayError, InvalidArguments, Refused, ToolFailure
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import Missing
from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED, WEB_LINK
from mcp_server.toolkit.attributes import Attributes, tags_of, with_attributes
from mcp_server.toolsets.personas._wire import WORDS, Made, detail
from mcp_server.toolsets.personas.models import BulkCreated, BulkRow, PersonaRow, RowFault

MOST_ROWS = 500
AT_ONCE = 5
SECONDS = 40.0  # of one call, after which no further row is begun: hosts give up after a minute
IDEMPOTENCY_KEY = "x-minds-idempotency-key"

Report = Callable[[float, float], Awaitable[None]]
"""Called with how many rows are done, of how many."""


class Row(BaseModel, extra="forbid"):
    """What one row says."""

    name: Annotated[str, TRIMMED, Field(min_length=2, max_length=100), ONE_LINE]
    discipline: Annotated[str, TRIMMED, Field(max_length=200), ONE_LINE] = ""
    type: Annotated[str, Field(pattern="^(creative|expert|user)$")] = "user"
    context: Annotated[str, TRIMMED, Field(max_length=5_000), PLAIN_TEXT] = ""
    keywords: Annotated[str, TRIMMED, Field(max_length=1_000), ONE_LINE] = ""
    link: Annotated[str, TRIMMED, Field(max_length=2_048), WEB_LINK] | None = None
    description: Annotated[str, TRIMMED, Field(max_length=2_000), PLAIN_TEXT] = ""
    attributes: Attributes = {}

    def body(self) -> dict[str, Any]:
        """Of `POST /minds`; who has attributes alone knows these, and one who is told nothing of begins empty."""
        words = [word.strip() for word in self.keywords.replace(";", ",").split(",") if word.strip()]
        words = words or ([self.discipline] if self.discipline else [])
        context = self.context or ("" if self.link or words else ". ".join(tags_of(self.attributes)))
        mode = "clone" if context else "link" if self.link else "keywords" if words else "manual"
        said = {
            "name": self.name,
            "discipline": self.discipline or next(iter(words), self.name),
            "mode": mode,
            "type": self.type,
            "keywords": words[:20] if self.keywords or mode == "keywords" else None,
            "personaContext": context,
            "contextLink": self.link,
            "description": self.description,
            "tags": tags_of(self.attributes),
        }
        return {field: value for field, value in said.items() if value}


def read_table(
    text: str | None, rows: Sequence[Mapping[str, Any]] | None
) -> tuple[dict[int, Mapping[str, Any]], list[RowFault]]:
    """The bodies of the sound rows by their lines, and the faults of the others.

    Raises InvalidArguments: there is no table, or one that is too long.
    """
    try:
        given = list(_csv_rows(text)) if text else list(enumerate(rows or (), 1))
    except csv.Error as error:  # a quote that nothing closes would swallow the rows after it
        raise InvalidArguments(f"csv: {error}; a quote inside a quoted text is written twice") from None
    if not 0 < len(given) <= MOST_ROWS:
        raise InvalidArguments(f"give csv or rows, with 1 to {MOST_ROWS} rows; the CSV's first line names the columns")
    bodies: dict[int, Mapping[str, Any]] = {}
    faults: list[RowFault] = []
    seen: dict[str, int] = {}
    for line, cells in given:
        try:
            body = _row(cells).body()
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            faults.append(RowFault(line=line, fault=f"{'.'.join(map(str, first['loc']))}: {first['msg']}"))
            continue
        except ValueError as error:
            faults.append(RowFault(line=line, fault=str(error)))
            continue
        if (earlier := seen.setdefault(_same(body["name"], body.get("tags", ())), line)) != line:
            faults.append(RowFault(line=line, fault=f"the same persona as line {earlier}: same name and attributes"))
        else:
            bodies[line] = body
    return bodies, faults


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    columns = Counter(name.strip().casefold() for name in reader.fieldnames or ())
    if twice := [name for name, times in columns.items() if name and times > 1]:
        raise InvalidArguments(f"csv: the head has the column {twice[0]} twice")
    for cells in reader:
        if any(isinstance(value, str) and value.strip() for value in cells.values()):
            inside = sum(value.count("\n") for value in cells.values() if isinstance(value, str))
            yield reader.line_num - inside, cells


def _row(cells: Mapping[Any, Any]) -> Row:
    """Columns with a name of their own are attributes. Raises ValueError: more cells than columns."""
    if None in cells:
        raise ValueError("more cells than the head has columns; put quotes around a text with the separator in it")
    told = {
        " ".join(str(key).split()).casefold(): value
        for key, value in cells.items()
        if value is not None and value != ""
    }
    lists = {key: value for key, value in told.items() if isinstance(value, list)}
    told |= {key: (", " if key == "keywords" else "\n\n").join(map(str, value)) for key, value in lists.items()}
    if "knowledge" in told:  # as people call it; context is the name of the other tools
        told["context"] = "\n\n".join(str(told.pop(name)) for name in ("context", "knowledge") if name in told)
    told.update([("name", told.pop(key)) for key in [one for one in WORDS["names"] if one in told][:1]])
    known = {key: str(value) for key, value in told.items() if key in Row.model_fields}
    free = {key: str(value) for key, value in told.items() if key not in Row.model_fields}
    if isinstance(given := told.get("attributes", {}), Mapping):  # JSON writes ages as numbers, languages as a list
        parted = {key: value if isinstance(value, list) else [value] for key, value in given.items()}
        given = {key: ", ".join(map(str, parts)) for key, parts in parted.items() if parts != [None]} | free
    return Row.model_validate({**known, "attributes": given})


def _same(name: str, tags: Sequence[str]) -> str:
    """What makes two rows one persona."""
    return "\n".join([name, *sorted(tags)]).casefold()


class ChangedAttributes(Answer):
    """Personas with their attributes changed."""

    personas: list[PersonaRow]
    untrusted: Untrusted = ("$.personas",)

    def as_text(self) -> str:
        return "\n".join(["Changed:", *(row.line() for row in self.personas)])


class Bulk:
    """Many personas of the caller's at once. `clock` counts seconds."""

    def __init__(
        self,
        api: Api,
        rows: Callable[[], Awaitable[list[PersonaRow]]],
        post: Callable[[Mapping[str, Any], str], Awaitable[Made]],
        read: Callable[[str], Awaitable[PersonaRow]],
        *,
        clock: Callable[[], float],
    ) -> None:
        self._api, self._rows, self._post, self._read, self._clock = api, rows, post, read, clock

    async def create(
        self, text: str | None, rows: Sequence[Mapping[str, Any]] | None, group: str | None, report: Report
    ) -> BulkCreated:
        """Every row's persona, and their group once all are there; once it is late, no further row is begun.

        Raises InvalidArguments: there is no table.
        """
        bodies, faults = read_table(text, rows)
        owner, ends = current_caller.get().owner, self._clock() + SECONDS
        there = {_same(row.name, row.tags): row for row in await self._rows()}
        waiting = list(bodies.items())[::-1]
        made = BulkCreated(created=[], existing=[], faults=faults, left=0, group_id=None)

        async def work() -> None:
            while waiting and self._clock() <= ends:
                line, body = waiting.pop()
                same = there.get(_same(body["name"], body.get("tags", ())))
                if same is not None:
                    made.existing.append(BulkRow(line=line, spark_id=same.id, name=body["name"], status=same.status))
                    continue
                try:
                    new = await self._post(body, digest(owner, body))
                except (GatewayError, ToolFailure) as failure:
                    made.faults.append(RowFault(line=line, fault=failure.message))
                    continue
                status = "empty" if body["mode"] == "manual" else new.training.status
                made.created.append(BulkRow(line=line, spark_id=new.row.id, name=new.row.name, status=status))
                await report(len(made.created) + len(made.existing), len(bodies))

        async with asyncio.TaskGroup() as workers:
            for _ in range(AT_ONCE):
                workers.create_task(work())
        for found in (made.created, made.existing, made.faults):
            found.sort(key=lambda row: row.line)
        ids = [row.spark_id for row in (*made.created, *made.existing)]
        group_id = await self._group(group, ids) if group and ids and not (waiting or made.faults) else None
        return made.model_copy(update={"left": len(waiting), "group_id": group_id})

    async def draft(self, audience: str, count: int) -> BulkCreated:
        """A table of people of that audience, nobody created. Raises Refused: this API has nothing to draft with."""
        body = {"audience": audience, "count": count}
        try:
            answer = await self._api.call("POST", "audience-drafts", operation=Operation.CHAT, json=body)
        except (Missing, Refused) as failure:
            raise Refused(WORDS["no_drafts"]) from failure
        people = reading.items(reading.mapping(reading.mapping(answer).get("data")), "people")
        rows = [{str(key): value for key, value in reading.mapping(one).items()} for one in people]
        bodies, faults = read_table(None, rows)
        sound = [_row(rows[line - 1]).model_dump(exclude_defaults=True) for line in bodies]
        return BulkCreated(created=[], existing=[], faults=faults, left=0, group_id=None, draft=sound)

    async def set_attributes(self, ids: Sequence[str], attributes: Mapping[str, str]) -> ChangedAttributes:
        """Raises Missing: one of them is no persona of the caller's; then none is changed."""
        changed = []
        for row in [await self._read(one) for one in ids]:
            said = {"tags": with_attributes(row.tags, attributes)}
            changed.append(detail(await self._api.call("PUT", "minds", row.id, json=said)))
        return ChangedAttributes(personas=changed)

    async def _group(self, name: str, ids: Sequence[str]) -> str | None:
        headers = {IDEMPOTENCY_KEY: digest(current_caller.get().owner, name, ids)}
        body = {"name": name, "mindIds": ids}
        answer = await self._api.call("POST", "audiences", operation=Operation.CREATE, json=body, headers=headers)
        return reading.text(reading.mapping(reading.mapping(answer).get("data")), "id")


def digest(*parts: Any) -> str:
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()
