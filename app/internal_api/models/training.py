"""How far a mind's training is."""

from typing import Literal

from app.internal_api.models.wire import Answered, Time

Status = Literal["queued", "running", "completed", "failed"]
Stage = Literal["queued", "profile", "collect", "index", "prompt", "completed", "failed"]
Failure = Literal["COLLECTION_FAILED", "PROFILE_GEN_FAILED", "TIMEOUT", "INTERNAL"]


class TrainingError(Answered):
    """`reason`: the stable word for why all sources were refused, where it was the same for all."""

    code: Failure
    retryable: bool
    reason: str | None


class TrainingStatus(Answered):
    """`progress` never falls within one training and is 100 only when it is completed."""

    status: Status
    ready_to_chat: bool
    message: str | None
    started_at: Time | None
    completed_at: Time | None
    progress: int
    stage: Stage


class FailedTrainingStatus(TrainingStatus):
    """The same, with the reason; only a failed training carries `error`."""

    error: TrainingError


class RegenerateAnswer(Answered):
    """A prompt will be written anew; `training` tells whether the mind is ready meanwhile."""

    success: Literal[True] = True
    data: FailedTrainingStatus | TrainingStatus
