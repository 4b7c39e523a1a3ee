"""The internal API's answers about personas, read with suspicion, and this gateway's own words for their training.

Unknown fields are ignored and missing ones are tolerated. Only what the contract promises outright (a list is a list, a
persona has an id) is insisted on; where it is missing, the internal API is at fault. Of a training only stable words
are read: the upstream's sentences may quote a stranger's web page. `idle` and absent states mean that nothing has
begun, and never count as ready.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import SecretStr

from mcp_server.minds_api.refusals import UNREADABLE, fault_of
from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolsets.personas.models import Failure, Knowledge, PersonaRow, Stage, Status, ToldStatus, TrainingFacts

POLL_AFTER_MS = 3_000

UNDESCRIBED = "Created via API"  # what the Minds API says of whom nobody has described
TAGS, TAG = 20, 250

# `idle`: no status row yet; it waits like the rest.
STATUSES: dict[str, ToldStatus] = {**{status: status for status in get_args(ToldStatus)}, "idle": "queued"}
STAGES: dict[str, Stage] = {stage: stage for stage in get_args(Stage)}

WORDS = tomllib.loads(Path(__file__).with_name("_words.toml").read_text(encoding="utf-8"))
DOING: Mapping[str, str] = WORDS["doing"]
STANDS: Mapping[Status, str] = WORDS["stands"]
CAUSES: Mapping[str, Mapping[str, str]] = WORDS["causes"]
ADVICE: Mapping[str, str] = WORDS["advice"]
NEXT: Mapping[str, str] = WORDS["next"]


class Training(TrainingFacts):
    """How far a training is, and why it failed where it did."""

    failure: Failure | None
    started_at: str | None
    completed_at: str | None

    @property
    def over(self) -> bool:
        return self.status in {"completed", "failed", "empty"}

    def phrase(self) -> str:
        """A sentence on where it stands, to follow a persona's name and a colon."""
        if self.status == "running":
            about = "about " if self.progress_estimated else ""
            share = f" ({about}{self.progress}%)" if self.progress is not None else ""
            return f"training is running{share}: {DOING.get(self.stage or '', 'the persona is being trained')}."
        if self.status == "completed" and not self.ready_to_chat:
            return "training is completed, but it cannot talk yet."
        return " ".join([STANDS[self.status], *([self.failure.explanation] if self.failure else [])])

    def next_step(self) -> str:
        if self.ready_to_chat:
            return NEXT["ready"]
        if self.status == "empty":
            return NEXT["empty"]
        if self.failure is not None:
            return self.failure.what_to_do
        if self.over:
            return NEXT["over"]
        return NEXT["not_told"] if self.poll_after_ms is None else NEXT["poll"].format(POLL_AFTER_MS // 1_000)


def read_training(data: Mapping[str, Any], items: Sequence[str] | None = None) -> Training:
    """Read a training status; `items` are the states of the persona's sources, to estimate by."""
    stated = reading.word(data, "status") or ""
    status: Status = STATUSES.get(stated, "unknown")
    ready = reading.flag(data, "readyToChat")
    failure = read_failure(reading.mapping(data.get("error"))) if status == "failed" else None
    if status in {"failed", "completed"} and ready is False and items == []:
        status, failure = "empty", None
    stage = STAGES.get((reading.word(data, "stage") or "") if status in {"running", "unknown"} else status)
    progress, estimated = _progress(status, reading.number(data, "progress"), items)
    return Training(
        status=status,
        stage=stage,
        progress=progress,
        progress_estimated=estimated,
        # One that trains anew, or whose second training failed, may well be ready; one that never began is not.
        ready_to_chat=stated in STATUSES.keys() - {"idle"} and (status == "completed" if ready is None else ready),
        # Where the internal API tells nothing, asking again would never end.
        poll_after_ms=None if status in {"completed", "failed", "empty"} or not stated else POLL_AFTER_MS,
        failure=failure,
        started_at=reading.text(data, "startedAt"),
        completed_at=reading.text(data, "completedAt"),
    )


def read_failure(error: Mapping[str, Any]) -> Failure:
    """Read the `error` of a failed training; a word that is not known here counts as absent."""
    stated = reading.word(error, "code") or ""
    code = stated if stated in CAUSES else "UNKNOWN"
    model = fault_of(reading.word(error, "reason"), reading.text(error, "llmHost"))
    if model is not None:
        explanation = f"{model[:1].upper()}{model[1:]}."
        return Failure(code=code, retryable=True, explanation=explanation, what_to_do=NEXT["mended"])
    reason = (reading.word(error, "reason") or "") if code == "COLLECTION_FAILED" else ""
    retryable, general = reading.flag(error, "retryable"), CAUSES[code]["advice"]
    return Failure(
        code=code,
        retryable=bool(retryable),
        explanation=UNREADABLE.get(reason, CAUSES[code]["explanation"]),
        what_to_do=ADVICE.get(reason) or (general if retryable is not False else f"{general} {NEXT['change']}"),
    )


def tally(items: Sequence[str]) -> Knowledge:
    completed, failed = items.count("completed"), items.count("failed")
    return Knowledge(total=len(items), completed=completed, failed=failed, in_progress=len(items) - completed - failed)


def _progress(status: Status, stated: float | None, items: Sequence[str] | None) -> tuple[int | None, bool]:
    """Per cent, and whether it is an estimate: the end is a fact; before it, else, the share of the sources done."""
    if status == "completed":
        return 100, False
    if stated is not None:
        return max(0, min(99, round(stated))), False
    if status in {"queued", "empty"}:
        return 0, False
    if status == "unknown" or items is None:
        return None, False
    settled = len(items) - tally(items).in_progress
    return min(99, round(100 * settled / len(items))) if items else 0, True


@dataclass(frozen=True, slots=True)
class Made:
    """A persona that was just created."""

    row: PersonaRow
    training: Training
    demo_token: SecretStr | None
    demo_expires_at: str | None


def read_row(data: Mapping[str, Any]) -> PersonaRow | None:
    """Read an item of `GET /minds`; one without a name is no persona."""
    identity, name, described = (reading.text(data, key) for key in ("id", "name", "description"))
    if identity is None or name is None:
        return None
    tags = [reading.text({"tag": tag}, "tag", TAG) for tag in reading.items(data, "tags")[:TAGS]]
    return PersonaRow(
        id=identity,
        name=name,
        discipline=reading.text(data, "discipline"),
        type=reading.word(data, "type"),
        description=described if described != UNDESCRIBED else None,
        created_at=reading.text(data, "createdAt"),
        tags=[tag for tag in tags if tag is not None],
        status=_listed_status(data),
    )


def _listed_status(data: Mapping[str, Any]) -> Status | None:
    """Of a list that tells it; the documented one does not."""
    status = STATUSES.get(reading.word(data, "trainingStatus") or "")
    if status is None or reading.flag(data, "readyToChat"):
        return status and "completed"
    is_over = status in {"failed", "completed"}
    return "empty" if is_over and reading.whole(data, "knowledgeItemCount") == 0 else status


def detail(body: Any) -> PersonaRow:
    """Read `GET /minds/{id}`."""
    row = read_row(reading.mapping(reading.mapping(body).get("data")))
    if row is None:
        raise reading.unreadable("a persona")
    return row


def made(body: Any) -> Made:
    """Read `POST /minds`."""
    row, answer = detail(body), reading.mapping(body)
    demo = reading.mapping(answer["data"].get("demo"))
    token = demo.get("token")
    secret = SecretStr(token) if isinstance(token, str) and token else None
    return Made(row, read_training(reading.mapping(answer.get("training"))), secret, reading.text(demo, "expiresAt"))


def training_of(body: Any) -> Mapping[str, Any]:
    """Read the training from `GET /minds/{id}`. Before it had one, a persona with a prompt was trained."""
    data = reading.mapping(reading.mapping(body).get("data"))
    if data.get("trainingStatus") is not None:
        return {"status": data["trainingStatus"], "readyToChat": data.get("readyToChat")}
    if "systemPrompt" not in data:
        return {}
    ready = bool(data["systemPrompt"])
    return {"status": "completed" if ready else "running", "readyToChat": ready}
