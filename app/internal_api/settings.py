"""Settings of the embedded API; every limit has its contract's value as default."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1024 * 1024


class InternalApiSettings(BaseSettings):
    """Limits, leases and the demo's terms; made by the entry point."""

    model_config = SettingsConfigDict(
        env_prefix="INTERNAL_API_", env_file=".env", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    max_upload_bytes: int = Field(50 * MIB, gt=0, description="largest uploaded file")
    max_json_bytes: int = Field(4 * MIB, gt=0, description="largest JSON body")
    max_fetch_bytes: int = Field(10 * MIB, gt=0, description="largest page or file fetched from a link")
    fetch_seconds: float = Field(20, gt=0, description="longest fetch of one link")
    max_items_per_mind: int = Field(200, gt=0, description="knowledge items of one mind")
    passages_per_answer: int = Field(6, gt=0, description="passages of knowledge given to one answer")
    stream_heartbeat_seconds: float = Field(15, gt=0, description="silence before a streamed answer sends a comment")

    run_worker: bool = Field(default=True, description="train and ask in this process")
    training_concurrency: int = Field(2, gt=0, description="minds trained at once by one process")
    training_attempts: int = Field(2, gt=0, description="times a job may be taken up before it fails")
    training_seconds: float = Field(600, gt=0, description="longest training of one mind")
    lease_seconds: float = Field(30, gt=0, description="silence after which a job's worker counts as dead")
    poll_seconds: float = Field(30, gt=0, description="wait between looks for jobs made by other processes")
    housekeeping_seconds: float = Field(60, gt=0, description="wait between removals of expired demo minds and exports")

    export_seconds: float = Field(300, gt=0, description="longest making of one export")
    export_attempts: int = Field(3, gt=0, description="times an export may be taken up before it fails")
    export_hours: float = Field(24, gt=0, description="how long a finished export is kept")
    export_link_seconds: float = Field(300, gt=0, description="life of a link to a finished export")

    panel_concurrency: int = Field(10, gt=0, description="personas that answer one question at once")
    panels_at_once: int = Field(4, gt=0, description="questions worked on at once by one process")
    answer_seconds: float = Field(30, gt=0, description="longest wait for one persona's answer to a question")
    panel_lease_seconds: float = Field(15, gt=0, description="silence after which a question's worker counts as dead")
    panel_drain_seconds: float = Field(10, ge=0, description="wait at the end of a process for answers on their way")
    panel_attempts: int = Field(3, gt=0, description="times a question may be taken up in vain before it ends")

    demo_hours: float = Field(24, gt=0, description="life of a demo mind")
    demo_quota: int = Field(200, ge=0, description="demo minds alive at once")
    idempotency_hours: float = Field(24, gt=0, description="how long an idempotency key is remembered")
