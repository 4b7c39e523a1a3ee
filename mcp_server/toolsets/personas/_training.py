"""What an upstream training status means: the facts, and this gateway's own words for them.

The upstream's sentences stay behind: what failed may quote a stranger's web page. `idle` and absent states mean that
nothing has begun, and never count as ready.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolsets.personas._causes import read_failure
from mcp_server.toolsets.personas.models import Failure, Knowledge, Stage, Status

POLL_AFTER_MS = 3_000

STATUSES: dict[str, Status] = {
    "idle": "queued",  # no status row yet: it waits like the rest
    "queued": "queued",
    "running": "running",
    "completed": "completed",
    "failed": "failed",
}

STAGES: dict[str, Stage] = {stage: stage for stage in get_args(Stage)}

DOING: dict[str, str] = {
    "profile": "its profile is being worked out",
    "collect": "its sources are being collected",
    "index": "what it read is being indexed",
    "prompt": "its character is being written",
}


@dataclass(frozen=True, slots=True)
class Training:
    """How far a training is, with what says so."""

    status: Status
    stage: Stage | None
    progress: int | None
    estimated: bool
    ready: bool
    failure: Failure | None = None
    started_at: str | None = None
    completed_at: str | None = None

    @property
    def over(self) -> bool:
        return self.status in {"completed", "failed"}

    @property
    def poll_after_ms(self) -> int | None:
        return None if self.over else POLL_AFTER_MS

    def facts(self) -> dict[str, Any]:
        """The fields of `TrainingFacts`."""
        return {
            "status": self.status,
            "stage": self.stage,
            "progress": self.progress,
            "progress_estimated": self.estimated,
            "ready_to_chat": self.ready,
            "poll_after_ms": self.poll_after_ms,
        }

    def news(self) -> str:
        """The stage and what happens in it."""
        match self.status:
            case "queued":
                doing = "waiting for its turn"
            case "completed":
                doing = "ready to talk" if self.ready else "done"
            case "failed":
                doing = self.failure.explanation if self.failure else "training failed"
            case _:
                doing = DOING.get(self.stage or "", "being trained")
        return f"{self.stage or self.status}: {doing}"

    def phrase(self) -> str:
        """Where it stands, to follow a persona's name and a colon."""
        match self.status:
            case "completed":
                return "training is completed" if self.ready else "training is completed, but it cannot talk yet"
            case "failed":
                return f"training failed. {self.failure.explanation}" if self.failure else "training failed"
            case "queued":
                return "training is queued and has not begun"
            case "unknown":
                return "training has an unknown state"
        doing = DOING.get(self.stage or "", "the persona is being trained")
        return f"training is running{self._percent()}: {doing}"

    def _percent(self) -> str:
        if self.progress is None:
            return ""
        return f" (about {self.progress}%)" if self.estimated else f" ({self.progress}%)"


def read_training(data: Mapping[str, Any], items: Sequence[str] | None = None) -> Training:
    """Read a training status; `items` are the states of the persona's sources, to estimate by."""
    status = STATUSES.get(reading.word(data, "status") or "", "unknown")
    stage = STAGES.get(reading.word(data, "stage") or "")
    if status in {"queued", "completed", "failed"}:
        stage = STAGES[status]
    stated = reading.number(data, "progress")
    progress, estimated = (_clamped(stated, status), False) if stated is not None else _estimate(status, items)
    return Training(
        status=status,
        stage=stage,
        progress=progress,
        estimated=estimated,
        ready=_is_ready(data, status),
        failure=read_failure(reading.mapping(data.get("error"))) if status == "failed" else None,
        started_at=reading.text(data, "startedAt"),
        completed_at=reading.text(data, "completedAt"),
    )


def tally(items: Sequence[str]) -> Knowledge:
    """The sources counted by their state."""
    completed, failed = items.count("completed"), items.count("failed")
    return Knowledge(total=len(items), completed=completed, failed=failed, in_progress=len(items) - completed - failed)


def _is_ready(data: Mapping[str, Any], status: Status) -> bool:
    """A persona that trains anew, or whose second training failed, may well be ready; one that never began is not."""
    if status == "unknown" or reading.word(data, "status") == "idle":
        return False
    stated = reading.flag(data, "readyToChat")
    return stated if stated is not None else status == "completed"


def _clamped(stated: float, status: Status) -> int:
    if status == "completed":
        return 100
    return max(0, min(99, round(stated)))


def _estimate(status: Status, items: Sequence[str] | None) -> tuple[int | None, bool]:
    """The start and the end are facts; in between, the share of the sources that are done."""
    if status == "completed":
        return 100, False
    if status == "queued":
        return 0, False
    if status == "unknown" or items is None:
        return None, False
    settled = len(items) - tally(items).in_progress
    return min(99, round(100 * settled / len(items))) if items else 0, True
