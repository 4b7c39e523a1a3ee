"""The settings of a process's end: how it is announced, and how long running requests have."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings


class ProcessSettings(BaseSettings):
    """A part of `Settings`."""

    shutdown_seconds: Annotated[float, Field(ge=0, le=3600)] = Field(
        30, description="Seconds that running requests and streams have to finish when the process is told to end."
    )
    shutdown_notice_seconds: Annotated[float, Field(ge=0, le=300)] = Field(
        0, description="Seconds between readiness going off and the port closing; for a proxy that asks `/readyz`."
    )
