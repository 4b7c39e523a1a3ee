"""The embedded Minds API: a package of its own, which imports neither mcp_server nor oauth."""
