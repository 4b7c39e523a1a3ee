"""Who counts nothing takes everything."""

from mcp_server.observability.telemetry import Telemetry


def test_a_process_that_nobody_scrapes_is_told_and_does_nothing() -> None:
    telemetry = Telemetry()

    telemetry.upstream("chat", "2xx", 0.1)
    telemetry.upstream_began()
    telemetry.upstream_ended()
    telemetry.retried("chat")
    telemetry.breaker_changed("chat", "closed", "open")
    telemetry.bulkhead_refused("all")
    telemetry.cache("names")(True)

    assert vars(telemetry) == {}
