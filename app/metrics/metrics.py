"""Every metric by its name; `docs/metrics.md` has the table.

Labels are words of this program: never an account, a client, a key, an address or a path.
"""

import platform
import threading
from importlib.metadata import version

from prometheus_client import Histogram, ProcessCollector

from app.metrics.families import Families
from mcp_server.observability.events import ToolCalled
from mcp_server.observability.telemetry import CacheLookup, Telemetry
from mcp_server.observability.tracing import current_request, current_trace

LAG = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
BREAKER_STATES = {"closed": 0, "half-open": 1, "open": 2}
SLOW = 0.1  # seconds from which on an observation has an exemplar

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
AREAS = {
    "/mcp": "mcp",
    "/oauth/": "oauth",
    "/.well-known/": "oauth",
    "/api/": "api",
    "/livez": "probes",
    "/readyz": "probes",
    "/metrics": "probes",
    "/exports/": "exports",
}
"""Beginnings of paths."""


class Metrics(Telemetry):
    """One application's. A labelled family is indexed by the values of its labels.

    `calls` and `failures` are for the health page, and count whatever is switched off. `answering` counts the HTTP
    requests that have begun and not ended.
    """

    def __init__(self, families: Families | None = None) -> None:
        self.families = make = families or Families()
        self.calls = self.failures = self.answering = 0
        self._requests = make.counter("http_requests_total", "HTTP requests", "area", "method", "status")
        self._request_seconds = make.histogram("http_request_duration_seconds", "HTTP requests", "area")
        self._in_flight = make.gauge("http_requests_in_flight", "HTTP requests that are being answered")[()]
        self._calls = make.counter("mcp_tool_calls_total", "Tool calls", "tool", "outcome", "code")
        self._call_seconds = make.histogram("mcp_tool_call_duration_seconds", "Tool calls", "tool")
        self._upstream_metrics()
        self._protection_metrics()
        self._process_metrics()
        # An increase is seen only from a value on: the first loss must not be what makes the series.
        self.losses["audit",].inc(0)
        for arrived in (True, False):
            self.exported(0, arrived)

    def _upstream_metrics(self) -> None:
        make, what = self.families, "of the internal API"
        self._upstream_seconds = make.histogram(
            "upstream_request_duration_seconds", f"Calls {what}", "operation", "outcome"
        )
        self._upstream_in_flight = make.gauge("upstream_requests_in_flight", f"Requests {what} under way")[()]
        self._retries = make.counter("upstream_retries_total", f"Calls {what} that were made again", "operation")
        self._breakers = make.gauge(
            "upstream_breaker_state", "0 closed, 1 half open, 2 open", "breaker", merge="livemax"
        )
        self._breaker_changes = make.counter(
            "upstream_breaker_changes_total", "Changes of state, by the new one", "breaker", "state"
        )
        self.bulkheads = make.gauge("upstream_bulkhead_in_use", "Places taken for concurrent calls", "bulkhead")
        self.bulkhead_sizes = make.gauge("upstream_bulkhead_limit", "Places for concurrent calls", "bulkhead")
        self._bulkhead_refusals = make.counter(
            "upstream_bulkhead_refusals_total", "Calls for which no place was free", "bulkhead"
        )

    def _protection_metrics(self) -> None:
        make = self.families
        self.limit_checks = make.counter("rate_limit_checks_total", "Checks of the rate limits", "limit", "verdict")
        self.limit_seconds = make.histogram("rate_limit_check_duration_seconds", "Checks of the rate limits")[()]
        self.failed_over = make.gauge(
            "rate_limit_failover", "1 while local windows stand in for Redis", merge="livemax"
        )[()]
        self.failovers = make.counter("rate_limit_failovers_total", "Times that Redis was given up")[()]
        self.authentications = make.counter(
            "authentication_attempts_total", "Requests at /mcp by credential", "kind", "outcome"
        )
        self.cache_looks = make.counter("cache_requests_total", "Looks into caches", "cache", "result")
        self.queues = make.gauge("queue_depth", "Entries that wait", "queue")
        self.jobs = make.gauge("job_queue_depth", "Jobs that wait in the database", "queue", merge="livemostrecent")
        self.losses = make.counter("queue_losses_total", "Entries that found no place and are lost", "queue")
        self._spans = make.counter("trace_spans_exported_total", "Spans sent to the collector", "outcome")
        self.audit_rows = make.counter("audit_rows_total", "Audit rows given to a sink", "sink", "outcome")

    def _process_metrics(self) -> None:
        make = self.families
        self.lag = make.histogram("event_loop_lag_seconds", "How late the event loop is", buckets=LAG)[()]
        self.store_up = make.gauge("database_up", "1 while the database answers", merge="livemin")[()]
        self.connections = make.gauge("database_connections", "Connections of the pool", "state")
        self._process_collector, self._processor = ProcessCollector(registry=None), 0.0
        self._processor_seconds = make.counter("process_cpu_seconds_total", "Processor time of all workers")[()]
        self._process = {
            "process_resident_memory_bytes": make.gauge("process_resident_memory_bytes", "Memory of all workers")[()],
            "process_open_fds": make.gauge("process_open_fds", "Open files and sockets of all workers")[()],
            "process_max_fds": make.gauge("process_max_fds", "How many a worker may open", merge="livemax")[()],
        }
        self._threads = make.gauge("process_threads", "Threads of all workers")[()]
        self._workers = make.gauge("gateway_workers", "Workers that serve")[()]
        self._starts = make.counter("gateway_worker_starts_total", "Workers that began to serve in this run")[()]
        self.worker_losses = make.counter("gateway_worker_losses_total", "Workers that ended without being told to")[()]
        self._build = make.gauge("gateway_build_info", "1", "version", "python", merge="livemax")

    def request_ended(self, method: str, path: str, status: int, seconds: float) -> None:
        self.answering -= 1
        where = area(path)
        self._requests[where, method if method in METHODS else "other", str(status)].inc()
        self._observe(self._request_seconds[where,], seconds)

    def tool(self, event: ToolCalled) -> None:
        self.calls += 1
        self.failures += event.outcome != "success"
        self._calls[event.tool, event.outcome, event.code or ""].inc()
        self._observe(self._call_seconds[event.tool,], event.seconds)

    def _observe(self, histogram: Histogram, seconds: float) -> None:
        """With an exemplar for what is slow: its trace if somebody keeps that, otherwise the request id in the log."""
        if seconds < SLOW or self.families.shared is not None:  # shared files have no place for exemplars
            histogram.observe(seconds)
            return
        trace, request = current_trace.get(), current_request.get()
        where = {"request_id": request} if request is not None else None
        histogram.observe(seconds, {"trace_id": trace.trace_id} if trace is not None and trace.sampled else where)

    def upstream(self, operation: str, outcome: str, seconds: float) -> None:
        self._observe(self._upstream_seconds[operation, outcome], seconds)

    def retried(self, operation: str) -> None:
        self._retries[operation,].inc()

    def breaker(self, breaker: str, state: str) -> None:
        self._breakers[breaker,].set(BREAKER_STATES[state])

    def breaker_changed(self, breaker: str, _old: str, new: str) -> None:
        self.breaker(breaker, new)
        self._breaker_changes[breaker, new].inc()

    def bulkhead_refused(self, bulkhead: str) -> None:
        self._bulkhead_refusals[bulkhead,].inc()

    def cache(self, name: str) -> CacheLookup:
        hits, misses = self.cache_looks[name, "hit"], self.cache_looks[name, "miss"]
        return lambda hit: (hits if hit else misses).inc()

    def exported(self, spans: int, arrived: bool) -> None:  # noqa: FBT001  a callback
        self._spans["success" if arrived else "failure",].inc(spans)

    def worker_started(self) -> None:
        self._workers.set(1)
        self._starts.inc()
        self._build[version("minds-gateway"), platform.python_version()].set(1)

    def look(self, asking: int = 0) -> None:
        """Show what has begun and not ended, and what the operating system says of this process, as Prometheus' own
        collector does.
        """
        self._in_flight.set(self.answering)
        self._upstream_in_flight.set(asking)
        found = {family.name: family.samples[0].value for family in self._process_collector.collect()}
        for name, gauge in self._process.items():
            gauge.set(found.get(name, 0))
        processor = found.get("process_cpu_seconds", 0.0)
        self._processor_seconds.inc(max(0.0, processor - self._processor))
        self._processor = processor
        self._threads.set(threading.active_count())


def area(path: str) -> str:
    return next((name for beginning, name in AREAS.items() if path.startswith(beginning)), "pages")
