"""The official MCP conformance suite against the gateway: `python -m tests.conformance`."""
