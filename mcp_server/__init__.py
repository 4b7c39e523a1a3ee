"""The MCP server: its tools, and what runs them on every transport."""
