"""structlog for the whole process: one JSON line an event, on stderr, with secrets taken out."""

import logging
import sys
from typing import Any, TextIO

import orjson
import structlog
from structlog.typing import Processor

from mcp_server.redaction import redact


def configure(*, debug: bool = False, stream: TextIO | None = None) -> None:
    """Once, by an entry point, before anything is logged. With `debug`, more lines, and for people.

    Redaction stands after the exception was formatted: a trace is where secrets hide.
    """
    out = stream or sys.stderr
    lines = structlog.dev.ConsoleRenderer(colors=False)
    renderer: Processor = lines if debug else structlog.processors.JSONRenderer(serializer=_dumps)
    processors: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
        renderer,
    ]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if debug else logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *processors[3:]],
            foreign_pre_chain=processors[:3],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if debug else logging.WARNING)


def _dumps(event: Any, default: Any = None, **_options: Any) -> str:
    return orjson.dumps(event, default=default, option=orjson.OPT_NON_STR_KEYS).decode()
