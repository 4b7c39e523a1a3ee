"""A tracer that keeps its spans, in the place of the SDK and its collector."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex

from mcp_server.observability.tracing import Attributes, Kind, Span, Trace


@dataclass
class KeptSpan:
    """What was told of one span."""

    name: str
    kind: Kind
    about: dict[str, str | float]
    parent: Trace | None
    links: Sequence[Trace]
    trace: Trace
    fault: str | None = None
    ends: int = 0

    def put(self, name: str, value: str | float) -> None:
        self.about[name] = value

    def fail(self, kind: str) -> None:
        self.fault = kind

    def end(self) -> None:
        self.ends += 1


@dataclass
class KeepingTracer:
    """`spans` in the order in which they began."""

    spans: list[KeptSpan] = field(default_factory=list)

    def start(
        self, name: str, kind: Kind, attributes: Attributes, parent: Trace | None, links: Sequence[Trace] = ()
    ) -> Span:
        trace_id = parent.trace_id if parent is not None else token_hex(16)
        span = KeptSpan(name, kind, dict(attributes), parent, links, Trace(trace_id, token_hex(8), sampled=True))
        self.spans.append(span)
        return span

    def close(self) -> None:
        """Nothing is sent."""

    def named(self, name: str) -> KeptSpan:
        (found,) = [span for span in self.spans if span.name == name]
        return found
