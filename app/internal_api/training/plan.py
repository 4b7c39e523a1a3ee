"""Which stages a job has, which are left of it, and how far along each of them is. Pure."""

from collections.abc import Mapping, Sequence

from app.internal_api.store.jobs import KNOWLEDGE, PROMPT, TRAINING

STAGES: Mapping[str, Sequence[str]] = {
    TRAINING: ("profile", "collect", "index", "prompt"),
    KNOWLEDGE: ("collect", "index", "prompt"),
    PROMPT: ("prompt",),
}
# Where the progress stands when a stage begins and when it ends; collecting waits for the network most.
SHARES: Mapping[str, tuple[int, int]] = {
    "profile": (3, 10),
    "collect": (10, 55),
    "index": (55, 85),
    "prompt": (85, 99),
}


def remaining(kind: str, stage: str) -> Sequence[str]:
    """The stages still to do, the one that was begun first: it may have been cut off."""
    stages = STAGES[kind]
    return stages[stages.index(stage) :] if stage in stages else stages


def progress(stage: str, done: int = 0, total: int = 1) -> int:
    """The percentage when `done` of `total` parts of a stage are finished."""
    begin, end = SHARES[stage]
    return begin + (end - begin) * done // max(total, 1)
