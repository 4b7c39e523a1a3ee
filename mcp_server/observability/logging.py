"""structlog for a whole process: one line an event, on stderr, with secrets taken out."""

import json
import logging
import sys
from typing import Any, TextIO

import orjson
import structlog
from structlog.typing import EventDict, Processor

from mcp_server.observability.redaction import redact
from mcp_server.observability.tracing import current_request, current_trace


def configure(*, debug: bool = False, level: str = "info", form: str = "auto", stream: TextIO | None = None) -> None:
    """Once, by an entry point, before anything is logged. With `debug`, all lines are.

    In the form "auto", what is logged is for people with `debug` and on a terminal, and else JSON.
    Redaction stands after the exception was formatted: a trace is where secrets hide.
    """
    out = stream or sys.stderr
    is_read = form == "console" or (form == "auto" and (debug or out.isatty()))
    first: list[Processor] = [
        add_request,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    json_lines = structlog.processors.JSONRenderer(serializer=_dumps)
    last: list[Processor] = [
        structlog.processors.format_exc_info,
        redact,
        structlog.dev.ConsoleRenderer(colors=False) if is_read else json_lines,
    ]
    structlog.configure(
        processors=[*first, *last],
        wrapper_class=structlog.make_filtering_bound_logger("debug" if debug else level),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last], foreign_pre_chain=first
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if debug else logging.ERROR if level == "error" else logging.WARNING)


def add_request(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """The processor that says which request a line belongs to, and its trace where somebody asked for one."""
    if (identity := current_request.get()) is not None:
        event["request_id"] = identity
        if (trace := current_trace.get()) is not None and trace.is_asked:
            event["trace_id"] = trace.trace_id
    return event


def _dumps(event: Any, default: Any = None, **_options: Any) -> str:
    try:
        return orjson.dumps(event, default=default, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # an integer beyond 64 bits, half a surrogate pair: no reason to lose the line, or the request
        return json.dumps(event, default=repr, ensure_ascii=False).encode("utf-8", "replace").decode()
