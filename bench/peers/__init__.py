"""The servers that the gateway is measured against; each does the same one upstream GET in a `tools/call`."""
